"""The arena: two commanders against each other, each with its own sight of the game, both may give new orders."""
