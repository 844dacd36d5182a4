# SPDX-License-Identifier: Apache-2.0
"""Whose signatures are asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Optional, Sequence, Union

from ._native import ffi
from ._options import Struct

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Trust:
    """What a signature must have: it is checked, and then every byte, before a file gives any answer. What fails is
    :class:`CorruptError`."""

    #: Paths of key files of minisign, or their lines in base64: any of these may have signed.
    public_keys: Sequence[str]
    #: A lower one is refused; a signature without one has 0.
    minimum_sequence: int = 0
    #: A signature that expired by then is refused; None: by the time of the system. A time without a zone is local.
    now: Optional[datetime] = None
    #: A file that keeps the highest sequence seen of each file name; a lower one is refused from then on.
    state: Optional[Path] = None


@dataclass(frozen=True)
class Signature:
    """What a signature says that was checked."""

    key_id: str  #: 16 hexadecimal digits, as minisign prints them
    sequence: int
    expires: Optional[datetime]


def trust_struct(trust: Trust) -> Struct:
    """crivo_trust, and what keeps its texts."""
    if isinstance(trust.public_keys, str):
        raise TypeError("public_keys is a list of keys: got one str")
    keys = [ffi.new("char[]", os.fsencode(key)) for key in trust.public_keys]
    array = ffi.new("char*[]", [*keys, ffi.NULL])
    state = ffi.NULL if trust.state is None else ffi.new("char[]", os.fsencode(trust.state))
    struct = ffi.new(
        "crivo_trust*",
        {"struct_size": ffi.sizeof("crivo_trust"), "public_keys": ffi.cast("const char* const*", array), "state": state,
         "minimum_sequence": trust.minimum_sequence, "now": 0 if trust.now is None else int(trust.now.timestamp())},
    )  # fmt: skip
    return struct, (keys, array, state)


def signature_of(answer: Any) -> Signature:
    """Of crivo_signature."""
    expires = datetime.fromtimestamp(answer.expires, timezone.utc) if answer.expires else None
    return Signature(ffi.string(answer.key_id).decode(), answer.sequence, expires)
