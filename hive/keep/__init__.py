"""Files that a run leaves behind: run folders, packed recordings, and the checked reading of `.npz` files."""
