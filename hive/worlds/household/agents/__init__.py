"""Episodes of housework for teams of language agents: what agents read, choose and send."""
