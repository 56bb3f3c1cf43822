"""Floor plans of households: pictures, movies and the replay page."""
