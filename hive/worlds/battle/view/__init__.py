"""Pictures and movies of battles, from a recording of one."""
