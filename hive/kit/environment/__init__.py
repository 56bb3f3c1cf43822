"""Environments: what those of all worlds offer to learners; each world has its own in its folder."""
