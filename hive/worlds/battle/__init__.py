"""Battles: scenario files as worlds, recordings, texts for commanders, the ability tests."""
