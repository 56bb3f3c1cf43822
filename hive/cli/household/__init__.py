"""Episodes of housework: `hive household`."""
