"""Measurements: `hive abilities` (the study of planners), `competency`, `conform`, `bench` and `scale`."""
