"""Row `gpu`: programs compiled for a GPU that need not be there, and what that GPU would have to do."""
