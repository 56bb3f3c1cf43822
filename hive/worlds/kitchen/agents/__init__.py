"""The kitchen for teams of language agents: what each cook knows and reads, the plans that it writes, and episodes.

`KitchenTroupe` gives the episodes as `hive.kit.stage.Troupe`, each of them a `hive.kit.stage.PlanStage`.
"""
