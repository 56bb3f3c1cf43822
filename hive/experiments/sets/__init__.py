"""Studies of commanders on sets of drawn battles. Rules: docs/rules/sets.md 3."""
