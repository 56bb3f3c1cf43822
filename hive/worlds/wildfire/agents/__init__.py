"""Levels for teams of language agents: what each agent reads, the actions that it chooses, and episodes in a batch.

`open_episodes` gives the episodes of a level as `hive.kit.agent_env.Episodes`. An agent's view is the published text of
its window (docs/rules/wildfire.md 6.3), and its paragraph is made from the same facts by rules.
"""
