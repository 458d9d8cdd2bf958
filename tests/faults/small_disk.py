"""A disk of its own for a process, as small as one likes: a tmpfs that nobody else sees and that
goes when the process does. It needs a system that lets users have namespaces, not their rights."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

CLONE_NEWNS = 0x0002_0000
CLONE_NEWUSER = 0x1000_0000
MS_RDONLY = 1
MS_REMOUNT = 32

FILLER = "filler"


def mount(folder: str, size: int) -> None:
    """Puts a disk of `size` bytes on `folder`. Before it, the process must have one thread."""
    user, group = os.getuid(), os.getgid()
    _call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"size=%d" % size)


def set_writable(folder: str, *, writable: bool) -> None:
    """Remounts the disk; no file on it may be open for writing."""
    flags = MS_REMOUNT | (0 if writable else MS_RDONLY)
    _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", flags, b"")


def fill(folder: str, leave: int) -> None:
    """Fills the disk but for so many bytes."""
    stat = os.statvfs(folder)
    with (Path(folder) / FILLER).open("wb") as file:
        file.write(bytes(max(0, stat.f_bavail * stat.f_frsize - leave)))


def empty(folder: str) -> None:
    """Takes away what filled it."""
    (Path(folder) / FILLER).unlink()


def can_be_had() -> bool:
    """Whether this system lets a process have one."""
    if not hasattr(os, "fork") or not Path("/proc/self/setgroups").exists():
        return False
    child = os.fork()
    if child == 0:
        try:
            mount("/tmp", 1 << 16)
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _call(name: str, *arguments: int | bytes) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments):
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
