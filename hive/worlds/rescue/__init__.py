"""Rescues: a team of agents brings water, food and medicine to victims on a graph of rooms."""
