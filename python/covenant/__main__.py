"""`python -m covenant`: the same as the command `covenant`."""

import sys

from covenant.cli import main

if __name__ == "__main__":
    sys.exit(main())
