"""Files that a run leaves behind: run folders and packed recordings."""
