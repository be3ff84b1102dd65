"""``python -m roofline_lsp``: the command of an environment that need not be on PATH."""

import sys

from roofline_lsp.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
