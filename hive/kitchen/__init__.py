"""The kitchen: two cooks of unequal knowledge who share a wall of counters."""
