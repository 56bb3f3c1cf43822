"""Plans against plans: seats on a mirrored map, the games of all pairs, and ratings with intervals."""
