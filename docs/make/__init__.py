"""Makes the pages, pictures and editor grammars of `docs/` from the code: `python -m docs.make`."""
