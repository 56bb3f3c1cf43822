"""Optimal play: the least time of an order, and all reference trajectories (docs/rules/kitchen.md 8)."""
