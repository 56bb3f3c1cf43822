"""Files that a run writes: run folders, packed recordings, and the checked reading of `.npz` files."""
