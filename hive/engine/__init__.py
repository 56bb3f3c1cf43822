"""The engine: the first state, the phases of a tick, the loop of a game, its outcome, and plan swaps."""
