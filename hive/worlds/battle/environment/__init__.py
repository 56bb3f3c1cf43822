"""Battles as environments: agents are single units, or squads that are given orders."""
