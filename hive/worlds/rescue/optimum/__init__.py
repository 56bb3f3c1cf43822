"""The best that a team can do: proved optima of instances, with plans that reach them (docs/rules/rescue.md 8)."""
