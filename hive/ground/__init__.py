"""The ground that units stand on: shapes and rasters, terrain words, lines, distance maps, exact arithmetic."""
