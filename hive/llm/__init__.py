"""Language models as commanders: clients, the dialogue, recordings of exchanges, the study of abilities."""
