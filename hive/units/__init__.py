"""Units: the neighbour sweep, what they sense, what their trees' leaves mean, how they fight, move and push."""
