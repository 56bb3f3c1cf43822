"""Games of any world: `hive list`, `describe`, `run`, `explain`, `sweep` and `replay`."""
