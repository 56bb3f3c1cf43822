"""Measurements: how fast the engine is, row by row, each case in a fresh process (`hive bench`, `hive scale`)."""
