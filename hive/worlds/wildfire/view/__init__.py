"""Pictures, movies and replays of wildfires."""
