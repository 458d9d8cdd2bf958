"""Which repository a folder is in, in the words of an archive.

Transcripts say where they happened by a folder or by the address of a remote.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from vox import _native


def known(archive: _native.Archive, folder: Path) -> list[str]:
    """What windows of the archive call the repository of `folder`."""
    folder = folder.absolute()
    root = next((above for above in (folder, *folder.parents) if (above / ".git").exists()), None)
    all_ = dict.fromkeys(archive.repos())
    names = dict.fromkeys(_names(folder, root))
    known = [name for name in names if name in all_]
    if root is not None:
        # Sessions that were begun in a folder of the repository are of it too.
        below = f"{root}{os.sep}"
        known += [name for name in all_ if name.startswith(below) and name not in names]
    return known


def _names(folder: Path, root: Path | None) -> Iterator[str]:
    yield str(folder)
    if root is None:
        return
    for above in folder.parents:
        if above == root or root in above.parents:
            yield str(above)
    yield from _remotes(root)


def _remotes(root: Path) -> Iterator[str]:
    """Addresses of the remotes of a repository, as its settings write them."""
    try:
        lines = (_git_folder(root) / "config").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        return  # a scope is a convenience: without these it is the folder alone
    in_remote = False
    for line in map(str.strip, lines):
        if line.startswith("["):
            in_remote = line.startswith("[remote ")
        elif in_remote:
            name, _, value = line.partition("=")
            if name.strip() == "url" and value:
                yield value.strip().strip('"')


def _git_folder(root: Path) -> Path:
    """Where the settings of a repository are; a worktree names that of its main one."""
    git = root / ".git"
    if not git.is_file():
        return git
    git = root / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    common = git / "commondir"
    return git / common.read_text(encoding="utf-8").strip() if common.exists() else git
