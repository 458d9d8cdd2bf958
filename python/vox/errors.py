"""Every error of vox: one class for each code of `contracts/errors.yaml`.

A message says what was wrong, where, and what to do. The core raises these
classes too; `vox` exits with `exit_status` when one reaches the command line.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar


class VoxError(Exception):
    """Any error of vox."""

    code: ClassVar[str] = "internal"
    """Its name in `contracts/errors.yaml`, and in `--json` answers."""
    exit_status: ClassVar[int] = 70
    """What the command line exits with."""
    http_status: ClassVar[int] = 500
    """What the web API answers with."""


class InvalidArgumentError(VoxError, ValueError):
    """An argument or option is wrong."""

    code = "invalid_argument"
    exit_status = 2
    http_status = 400


class NotFoundError(VoxError, LookupError):
    """No such window, item, blob or file."""

    code = "not_found"
    exit_status = 3
    http_status = 404


class NotAnArchiveError(VoxError):
    """The folder holds no vox archive."""

    code = "not_an_archive"
    exit_status = 10


class WrongVersionError(VoxError):
    """The archive was written by a newer or unknown format."""

    code = "wrong_version"
    exit_status = 11


class DamagedError(VoxError):
    """Bytes of the archive contradict each other or are cut off."""

    code = "damaged"
    exit_status = 12


class VerifyFailedError(VoxError):
    """verify found damage."""

    code = "verify_failed"
    exit_status = 13


class PermissionDeniedError(VoxError):
    """The system refused access to a file."""

    code = "permission_denied"
    exit_status = 14
    http_status = 403


class ReadOnlyError(VoxError):
    """The archive is open for reading, or on a read-only medium."""

    code = "read_only"
    exit_status = 15
    http_status = 403


class DiskFullError(VoxError):
    """No space left on the device."""

    code = "disk_full"
    exit_status = 16
    http_status = 507


class MapFullError(VoxError):
    """The memory map could not grow further."""

    code = "map_full"
    exit_status = 17
    http_status = 507


class AddressSpaceError(VoxError):
    """The process may not map enough memory."""

    code = "address_space"
    exit_status = 18
    http_status = 507


class TooManyReadersError(VoxError):
    """All reader slots of the archive are taken."""

    code = "too_many_readers"
    exit_status = 19
    http_status = 503


class ForkedError(VoxError):
    """The archive was opened before fork() and used after it."""

    code = "forked"
    exit_status = 20


class TooLargeError(VoxError):
    """A value is larger than the format allows."""

    code = "too_large"
    exit_status = 21
    http_status = 413


class ConflictError(VoxError):
    """What was to be changed has changed in between."""

    code = "conflict"
    exit_status = 22
    http_status = 409


class ClosedError(VoxError):
    """The archive was closed."""

    code = "closed"
    exit_status = 23


class IoError(VoxError):
    """The system reported an input or output error."""

    code = "io"
    exit_status = 24


class SourceUnreadableError(VoxError):
    """A source file is no transcript of a known tool."""

    code = "source_unreadable"
    exit_status = 25
    http_status = 422


class PartialError(VoxError):
    """The work was done but for the parts that the report names."""

    code = "partial"
    exit_status = 26
    http_status = 207


class PurgedError(VoxError, LookupError):
    """The content was purged; only its hash is left."""

    code = "purged"
    exit_status = 27
    http_status = 410


class BusyError(VoxError):
    """Another process keeps the archive from doing this now."""

    code = "busy"
    exit_status = 28
    http_status = 503


class UnsupportedError(VoxError):
    """A file needs a part that vox does not have."""

    code = "unsupported"
    exit_status = 29
    http_status = 422


class MalformedError(VoxError):
    """A file is not what it should be, or is cut off."""

    code = "malformed"
    exit_status = 30
    http_status = 422


class InfeasibleError(VoxError):
    """What must be kept does not fit the budget."""

    code = "infeasible"
    exit_status = 31
    http_status = 422


class OverBudgetError(VoxError):
    """What is committed is more than the model has room for."""

    code = "over_budget"
    exit_status = 32
    http_status = 422


class StoppedError(VoxError):
    """Stopped by the user."""

    code = "interrupted"
    exit_status = 130
    http_status = 499


class InternalError(VoxError):
    """A fault of vox itself."""

    code = "internal"


def of_system(error: OSError) -> VoxError:
    """What the operating system refused, as an error of vox."""
    message = error.strerror or str(error)
    if error.filename is not None:
        message = f"{error.filename}: {message}"
    if isinstance(error, PermissionError):
        return PermissionDeniedError(message)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(message)
    return IoError(message)


BY_CODE: Mapping[str, type[VoxError]] = MappingProxyType(
    {error.code: error for error in VoxError.__subclasses__()}
)
"""The class of each code."""
