# SPDX-License-Identifier: Apache-2.0
"""Crivo: indexes over large key sets, built into files and looked up where they are mapped.

    import crivo

    crivo.build_mphf(crivo.Files("urls.txt"), "urls.crv")      # key -> rank in [0, n)
    crivo.build_filter(words, "seen.crv", fpr=0.01)            # key -> maybe, or surely absent
    crivo.build_map(words, "counts.crv", values=counts)        # key -> number, without the keys
    crivo.build_store(words, "pages", records=pages)           # key -> record

    with crivo.open("urls.crv") as ranks:
        rank = ranks.lookup(b"http://a.example/")              # an int, or None
        many = ranks.lookup_many(urls)                         # a numpy array of uint64

A key is ``bytes``, ``str`` (taken as UTF-8) or an ``int`` of 64 bits (the key of its 8 bytes, the lowest first). Many keys
are a list or tuple of the first two, a numpy array of 64-bit integers, of type ``S`` or of objects; a build also takes any
iterable, which is read once, and :class:`Files`. Long calls and batches let other threads run.
"""

from ._index import ABSENT, Filter, Info, Map, Mphf, Store, inspect, open, verify
from ._build import (
    Files,
    Progress,
    Summary,
    add_to_filter,
    build_filter,
    build_map,
    build_mphf,
    build_store,
    random_seed,
    remove_from_filter,
)
from ._errors import BadInputError, CancelledError, CorruptError, Error, MismatchError, UsageError, VersionError
from ._native import ffi as _ffi, lib as _lib

__version__: str = _ffi.string(_lib.crivo_version()).decode()

__all__ = [
    "ABSENT", "BadInputError", "CancelledError", "CorruptError", "Error", "Files", "Filter", "Info", "Map", "MismatchError",
    "Mphf", "Progress", "Store", "Summary", "UsageError", "VersionError", "add_to_filter", "build_filter", "build_map",
    "build_mphf", "build_store", "inspect", "open", "random_seed", "remove_from_filter", "verify",
]
