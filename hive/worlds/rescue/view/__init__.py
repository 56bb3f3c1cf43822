"""Pictures, movies and pages of rescues."""
