# SPDX-License-Identifier: Apache-2.0
"""Failed calls as exceptions."""

from __future__ import annotations

from typing import Optional

from ._native import ffi, lib


class Error(Exception):
    """A call failed; the text says where, what is wrong and what to do. The base of all that this package raises, and what it
    raises where the system refused: a full disk, no memory, no permission."""

    file: Optional[str] = None  #: the file at fault
    line: Optional[int] = None  #: of the key at fault (from 1), or its number
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
    """A file is damaged, truncated, or none of Crivo's."""


class VersionError(Error):
    """A file of a version that this library does not read."""


class CancelledError(Error):
    """A function of the program ended the call."""


_CLASSES = {
    lib.CRIVO_MISMATCH: MismatchError,
    lib.CRIVO_USAGE: UsageError,
    lib.CRIVO_BAD_INPUT: BadInputError,
    lib.CRIVO_CORRUPT: CorruptError,
    lib.CRIVO_TOO_NEW: VersionError,
    lib.CRIVO_TOO_OLD: VersionError,
    lib.CRIVO_CANCELLED: CancelledError,
}


def _text(chars) -> Optional[str]:
    return ffi.string(chars).decode("utf-8", "surrogateescape") if chars != ffi.NULL else None


def check(status: int) -> None:
    """Raises what a status other than CRIVO_OK says."""
    if status == lib.CRIVO_OK:
        return
    error = _CLASSES.get(status, Error)(_text(lib.crivo_error_message()))
    error.file = _text(lib.crivo_error_file())
    error.line = lib.crivo_error_line() or None
    error.section = _text(lib.crivo_error_section())
    byte = lib.crivo_error_byte()
    error.byte = byte if byte != 2**64 - 1 else None
    error.remedy = _text(lib.crivo_error_remedy())
    raise error
