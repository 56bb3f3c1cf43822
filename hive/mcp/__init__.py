"""The server of `hive mcp`: any client of the Model Context Protocol commands games."""
