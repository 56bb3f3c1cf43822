"""The panel: players of rising strength play drawn battles, and who wins first is the level of a battle.

`measuring.py` plays a group of battles; open it first. Rules: docs/rules/sets.md 2.
"""
