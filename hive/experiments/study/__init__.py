"""The study of commanders: models are asked for plans in the ability tests of battles, and their plans are played."""
