"""Wildfire maps: land, places and fire starts, on the host as published and on the device in batches."""
