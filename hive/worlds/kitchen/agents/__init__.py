"""The kitchen for teams of language agents: what each cook knows and reads, the plans that it writes, and episodes.

`KitchenEpisodes` gives the episodes as `hive.kit.agent_env.Episodes`, each of them a `hive.kit.agent_env.PlanAgentEnv`.
"""
