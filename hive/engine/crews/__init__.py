"""Crews in a wildfire: what they carry, see and do, and how their games are scored."""
