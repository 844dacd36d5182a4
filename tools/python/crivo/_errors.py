# SPDX-License-Identifier: Apache-2.0
"""Failed calls as exceptions."""

from __future__ import annotations

import errno
import os
from typing import Optional

from ._native import ffi, lib


class Error(Exception):
    """A call failed; the text says where, what is wrong and what to do. The base of all that the library raises."""

    file: Optional[str] = None  #: the file at fault
    line: Optional[int] = None  #: of the key at fault, from 1; of a key in memory its index and 1
    section: Optional[str] = None  #: of the file, that is damaged
    byte: Optional[int] = None  #: of the file, at which damage begins
    remedy: Optional[str] = None  #: the option of the call that is at fault or would help, by its name in C++


class MismatchError(Error):
    """A verification found a wrong answer."""


class UsageError(Error, ValueError):
    """The call itself makes no sense: an unknown option, an output that exists."""


class BadInputError(Error, ValueError):
    """The input is at fault: a duplicate key, a bad record."""


class CorruptError(Error):
    """A file is damaged, truncated, or not a Crivo file."""


class VersionError(Error):
    """A file of a version that this library does not read."""


class CancelledError(Error):
    """The program cancelled the call."""


class ResourceError(Error, OSError):
    """The system refused: no such file, a full disk, no memory, no permission. As any OSError it has `errno`, `strerror` and
    `filename`, as far as they are known, and it is a FileNotFoundError or PermissionError where these fit."""

    def __str__(self) -> str:
        return str(self.args[0])


class _NoFile(ResourceError, FileNotFoundError):
    pass


class _NoPermission(ResourceError, PermissionError):
    pass


_CLASSES = {
    lib.CRIVO_STATUS_MISMATCH: MismatchError,
    lib.CRIVO_STATUS_USAGE: UsageError,
    lib.CRIVO_STATUS_BAD_INPUT: BadInputError,
    lib.CRIVO_STATUS_CORRUPT: CorruptError,
    lib.CRIVO_STATUS_TOO_NEW: VersionError,
    lib.CRIVO_STATUS_TOO_OLD: VersionError,
    lib.CRIVO_STATUS_CANCELLED: CancelledError,
}
_BY_ERRNO = {errno.ENOENT: _NoFile, errno.EACCES: _NoPermission, errno.EPERM: _NoPermission}


def _text(chars) -> Optional[str]:
    return ffi.string(chars).decode("utf-8", "surrogateescape") if chars != ffi.NULL else None


#: What this package says behind a message, by its remedy.
_REMEDIES = {
    "replace": "; replace=True replaces it",
    "ignore_duplicates": "; ignore_duplicates=True keeps one of each",
    "allow_empty": " (allow_empty=True)",
    "ordered": " (build_store with ordered=True, backend=\"flat\")",
    "keyed_hash": " (keyed_hash=True, seed=random_seed())",
}


def failure(status: int) -> Optional[Error]:
    """What a status says of this thread's last call; None of CRIVO_STATUS_OK."""
    if status == lib.CRIVO_STATUS_OK:
        return None
    code = lib.crivo_error_errno()
    remedy = _text(lib.crivo_error_remedy())
    message = (_text(lib.crivo_error_message()) or "") + _REMEDIES.get(remedy or "", "")
    error: Error
    if status in _CLASSES:
        error = _CLASSES[status](message)
    else:
        error = _BY_ERRNO.get(code, ResourceError)(message)
    error.file = _text(lib.crivo_error_file())
    error.line = lib.crivo_error_line() or None
    error.section = _text(lib.crivo_error_section())
    byte = lib.crivo_error_byte()
    error.byte = byte if byte != 2**64 - 1 else None
    error.remedy = remedy
    if isinstance(error, ResourceError):
        error.errno = code or None
        error.strerror = os.strerror(code) if code else None
        error.filename = error.file
    return error


def check(status: int) -> None:
    """Raises what a status other than CRIVO_STATUS_OK says."""
    error = failure(status)
    if error is not None:
        raise error
