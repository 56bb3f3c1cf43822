"""The kitchen of two cooks: Collab-Overcooked on arrays (docs/rules/kitchen.md)."""
