"""Pictures and replays of battles."""
