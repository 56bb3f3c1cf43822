"""Levels for teams of language agents: what each agent reads, the actions that it chooses, and episodes in a batch.

`open_troupe` gives the episodes of a level as `hive.kit.stage.Troupe`. An agent's view is the published text of its
window (docs/rules/wildfire.md 6.3), and its paragraph is made from the same facts by rules.
"""
