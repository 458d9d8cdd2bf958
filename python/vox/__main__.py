"""`python -m vox` is the command `vox`."""

from vox.cli import main

if __name__ == "__main__":
    main()
