"""Rescues on a graph of rooms: `hive rescue`."""
