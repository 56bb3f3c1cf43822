"""What the documentation site adds to Sphinx: colours for both languages, pages of commands, links into the sources."""
