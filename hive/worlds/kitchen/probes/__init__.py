"""The study of failures: one probe of initiating and responding for each collaborative action of a task.

Rules: docs/rules/kitchen.md 12.
"""
