"""Policies and plans that are found and rated: `hive train`, `evaluate`, `improve` and `league`."""
