"""What options cost, learned from texts: exploratory episodes, features, the regression, and its errors."""
