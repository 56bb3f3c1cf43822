"""Plans: from checked syntax to arrays, and their progress on the device."""
