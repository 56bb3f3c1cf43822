"""Behaviour trees as tables: leaf codes, their registry, and the structure of a decision."""
