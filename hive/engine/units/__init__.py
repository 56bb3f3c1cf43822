"""Units: the neighbour sweep, senses, the leaves of their trees, combat, motion and pushing."""
