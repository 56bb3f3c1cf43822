"""Teams of language agents: a runtime for any world of `hive.kit.agent_env`, and the frameworks that run on it.

Rules: docs/rules/teams.md. How to write a framework: docs/teams.md.
"""
