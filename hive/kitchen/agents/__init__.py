"""The kitchen for teams of language agents: what each cook knows and reads, the plans that it writes, and episodes.

`KitchenTroupe` gives the episodes as `hive.stage.Troupe`, each of them a `hive.stage.PlanStage`.
"""
