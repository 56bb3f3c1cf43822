"""Behaviour trees as tables: leaf codes, their registry, and what a decision looks like."""
