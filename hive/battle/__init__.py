"""Battles: scenario files as worlds, recordings, texts for a commander, the ability tests."""
