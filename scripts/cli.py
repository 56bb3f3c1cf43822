"""`python scripts/cli.py …` is the command `hive …`; a file named after a package would hide that package."""

import sys

from hive.cli import main

sys.exit(main())
