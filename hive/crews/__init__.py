"""Crews in a wildfire: what they carry, see and do, and what their games are worth."""
