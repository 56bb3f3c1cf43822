"""The planner that knows everything: the best split of the objects and the best tours, for housework."""
