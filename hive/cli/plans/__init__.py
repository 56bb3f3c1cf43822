"""Texts of plans and trees: `hive check`, `format` and `grammar`."""
