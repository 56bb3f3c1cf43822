"""A language model at a running game: `hive ask`, `chat`, `serve` (a web page) and `mcp` (a server of tools)."""
