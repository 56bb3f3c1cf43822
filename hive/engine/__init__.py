"""The engine: a first state, the phases of a tick, the loop of a game, its outcome, and swapping plans."""
