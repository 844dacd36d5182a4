# SPDX-License-Identifier: Apache-2.0
"""Texts made keys, as ``crivo extract`` and ``crivo build --from`` make them.

    crivo.keys.surt("http://www.Example.com:80/A")                          # "com,example)/a"
    form = crivo.notes("words.crv")["crivo.with.keys"]                      # "terms fold", of build --from
    words.get(crivo.keys.key_of(form, "Word"))
"""

from __future__ import annotations

from typing import AnyStr, Optional, Union

from ._errors import check
from ._keys import record_bytes
from ._native import ffi, lib
from ._texts import text_bytes

__all__ = ["fold", "key_of", "kmer", "surt", "url"]


def key_of(form: str, text: Union[str, bytes]) -> bytes:
    """The key that a text becomes in a form: "lines", "urls", "urls surt", "terms fold", "terms", "docnos" or "kmers K"
    (no bytes for what is not K bases).

    >>> crivo.keys.key_of("terms fold", "Word")
    b'word'
    """
    data = record_bytes(text, "a text")
    room = ffi.new("char[]", 3 * len(data) + 8)
    size = ffi.new("size_t*")
    check(lib.crivo_key_of(text_bytes(form, "form"), data, len(data), room, size))
    return bytes(ffi.buffer(room, size[0]))


def _text(form: str, text: AnyStr) -> AnyStr:
    key = key_of(form, text)
    return key.decode() if isinstance(text, str) else key


def surt(text: AnyStr) -> AnyStr:
    """A URL in the order of its host's parts, as indexes of web archives have it.

    >>> crivo.keys.surt("http://www.Example.com:80/A")
    'com,example)/a'
    """
    return _text("urls surt", text)


def url(text: AnyStr) -> AnyStr:
    """A URL as it is extracted: without < and > and white space around it, a space in it as %20.

    >>> crivo.keys.url(" <http://a.example/b c> ")
    'http://a.example/b%20c'
    """
    return _text("urls", text)


def fold(text: AnyStr) -> AnyStr:
    """A to Z as a to z.

    >>> crivo.keys.fold("Word")
    'word'
    """
    return _text("terms fold", text)


def kmer(bases: Union[str, bytes]) -> Optional[int]:
    """The canonical number of 1 to 31 bases, whose 8 bytes are the key; None for another text.

    >>> crivo.keys.kmer("ACGT"), crivo.keys.kmer("N")
    (27, None)
    """
    if not 1 <= len(bases) <= 31:
        return None
    key = key_of(f"kmers {len(bases)}", bases)
    return int.from_bytes(key, "little") if key else None
