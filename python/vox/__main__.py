"""`python -m vox` is the command `vox`."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run `vox` with the process's arguments and exit, also if it is stopped while it loads."""
    try:
        from vox.cli import main as run

        run()
    except KeyboardInterrupt:
        from vox.errors import StoppedError

        sys.stderr.write("\nvox: stopped\n")
        sys.exit(StoppedError.exit_status)


if __name__ == "__main__":
    main()
