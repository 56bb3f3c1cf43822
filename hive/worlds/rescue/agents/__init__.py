"""Rescues for teams of language agents: what they read and do, agents that follow a rule, and a scripted speaker."""
