"""Environments as other libraries expect them; each view needs its library (extra `rl`)."""
