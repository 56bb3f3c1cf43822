"""Commanders of one side of a battle, which plan once or give new orders during a game.

`moments.py` says what one is asked with and answers, `naming.py` reads their names, `known.py` and `kept.py` have all
of them, and `playing.py` plays a game that they command. Rules: docs/arena.md.
"""
