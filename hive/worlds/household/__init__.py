"""Households: teams that tidy apartments, on arrays (docs/rules/household.md)."""
