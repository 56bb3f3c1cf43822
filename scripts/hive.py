"""`python scripts/hive.py …` is the command `hive …`."""

import sys

from hive.cli import main

sys.exit(main())
