"""Teams of language agents on wildfire levels: `hive team`."""
