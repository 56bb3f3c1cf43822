"""Pictures, movies and pages of kitchens."""
