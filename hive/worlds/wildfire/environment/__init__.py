"""Wildfire levels as environments, whose agents are the units of a crew."""
