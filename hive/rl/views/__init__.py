"""Environments as other libraries expect them; `jaxmarl` and `pettingzoo` need their library (extra `rl`)."""
