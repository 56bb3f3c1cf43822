"""The plain commander: rules and a lexicon that read an order in English and write a plan, or ask a question."""
