"""Agents of households that ask no model: rules, searches and bounds, for many episodes at once."""
