"""Battles drawn from a class and a seed: `battle/rivers/17` is the same battle everywhere.

`draw.py` is the way from a name to a scenario; open it first. Rules: docs/rules/drawn.md.
"""
