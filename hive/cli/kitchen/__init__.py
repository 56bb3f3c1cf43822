"""The kitchen of two cooks: `hive kitchen`."""
