"""The console script: an interrupt is answered even while the command line is still being imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from catalog.commands.main import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted; nothing was changed", file=sys.stderr)
        sys.exit(130)
