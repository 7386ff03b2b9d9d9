"""`python -m handloom` is the same as `handloom`."""

import sys

from handloom.cli import main

if __name__ == "__main__":
    sys.exit(main())
