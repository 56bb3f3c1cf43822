"""What all drawings share: display lists, the painter, words, pictures, movies, pages; it reads and never decides."""
