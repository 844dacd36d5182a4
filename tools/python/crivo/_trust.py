# SPDX-License-Identifier: Apache-2.0
"""Whose signatures are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Callable, Optional, Sequence

from ._native import ffi, lib
from ._options import Struct, struct_of
from ._resources import Progress, resources
from ._texts import Path, c_path, flag, path_bytes, whole



@dataclass(frozen=True)
class Trust:
    """What a signature must have: it is checked, and then every byte, before a file gives any answer. What fails is
    :class:`CorruptError`.

    >>> try:
    ...     crivo.open("unsigned.crv", trust=crivo.Trust(["key.pub"]))
    ... except crivo.Error as error:
    ...     print(type(error).__name__)
    _NoFile
    """

    #: Paths of key files of minisign, or their lines in base64: any of these may have signed.
    public_keys: Sequence[str]
    #: A lower one is refused; a signature without one has 0.
    minimum_sequence: int = 0
    #: A signature that expired by then is refused; None: by the time of the system. A time without a zone is local.
    now: Optional[datetime] = None
    #: A file that keeps the highest sequence seen of each file name; a lower one is refused from then on.
    state: Optional[Path] = None

    def __post_init__(self) -> None:
        trust_struct(self)  # which refuses what is none


@dataclass(frozen=True)
class Signature:
    """What a signature says that was checked."""

    key_id: str  #: 16 hexadecimal digits, as minisign prints them
    sequence: int
    expires: Optional[datetime]


def _seconds(time: datetime, name: str) -> int:
    """Since 1970; 0 would be no time at all."""
    if not isinstance(time, datetime):
        raise TypeError(f"{name} is {time!r}, not a datetime")
    seconds = int(time.timestamp())
    if seconds < 1:
        raise ValueError(f"{name} is {time}, which is not after 1970")
    return seconds


def trust_struct(trust: Trust) -> Struct:
    """crivo_trust, and what keeps its texts."""
    if not isinstance(trust, Trust):
        raise TypeError(f"trust is {trust!r}, not a Trust")
    if isinstance(trust.public_keys, (str, bytes)) or not isinstance(trust.public_keys, Iterable):
        raise TypeError(f"public_keys is {trust.public_keys!r}, not a list of keys")
    keys = [c_path(key) for key in trust.public_keys]
    array = ffi.new("char*[]", [*keys, ffi.NULL])
    state = ffi.NULL if trust.state is None else c_path(trust.state)
    struct = ffi.new(
        "crivo_trust*",
        {"struct_size": ffi.sizeof("crivo_trust"), "public_keys": ffi.cast("const char* const*", array), "state": state,
         "minimum_sequence": whole(trust.minimum_sequence, "minimum_sequence"), "now": 0 if trust.now is None else _seconds(trust.now, "now")},
    )  # fmt: skip
    return struct, (keys, array, state)


def signature_of(answer: Any) -> Signature:
    """Of crivo_signature."""
    expires = datetime.fromtimestamp(answer.expires, timezone.utc) if answer.expires else None
    return Signature(ffi.string(answer.key_id).decode(), answer.sequence, expires)


def sign(
    path: Path,
    secret_key: Path,
    *,
    password: Optional[str] = None,
    sequence: int = 0,
    expires: Optional[datetime] = None,
    replace: bool = False,
    threads: int = 0,
    progress: Optional[Callable[[Progress], Any]] = None,
) -> Signature:
    """Verifies a file or a store and writes its signature beside it, as ``minisign`` can check it: ``FILE.minisig``, or
    ``DIR/index.crv.minisig``. `secret_key` is the path of a secret key file of minisign, with its `password` if it has one.
    `sequence` counts what is published under the name; readers refuse the file from `expires` on.

    >>> signature = crivo.sign("urls.crv", "minisign.key", sequence=7)  # doctest: +SKIP
    >>> crivo.open("urls.crv", trust=crivo.Trust(["minisign.pub"], minimum_sequence=7))  # doctest: +SKIP
    """
    options, _kept = struct_of(
        "sign_options", secret_key=path_bytes(secret_key), password=password, sequence=sequence,
        expires=None if expires is None else _seconds(expires, "expires"), replace=flag(replace, "replace"),
    )  # fmt: skip
    answer = ffi.new("crivo_signature*", {"struct_size": ffi.sizeof("crivo_signature")})
    with resources(threads=threads, progress=progress) as given:
        given.run(lambda: lib.crivo_sign(path_bytes(path), options, given.struct, answer))
    return signature_of(answer)
