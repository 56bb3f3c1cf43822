"""The player's page: a server that shows a live game in a browser and takes its orders."""
