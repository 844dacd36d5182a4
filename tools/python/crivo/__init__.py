# SPDX-License-Identifier: Apache-2.0
"""Crivo: indexes over large key sets, built into files and looked up where they are mapped.

    import crivo

    crivo.build_mphf(crivo.Files("urls.txt"), "urls.crv")      # key -> rank in [0, n)
    crivo.build_filter(words, "seen.crv", fpr=0.01)            # key -> maybe, or surely absent
    crivo.build_map({"a": 7, "b": -2}, "counts.crv")           # key -> number, without the keys; or keys and values=
    crivo.build_store({"a": b"page"}, "pages")                 # key -> record; or keys and records=
    crivo.build_dictionary(words, "words.crv")                 # key <-> id, in order: d["k"], d.key(i), d.prefix("ap")
    crivo.build_exact(revoked, issued, "crl.crv")              # key -> member or other, without error; or with groups=
    crivo.build_rows(crivo.Files("ids.tsv"), "ids.crv")        # key -> file, row group and row of a table that lies as files
    crivo.build_delta("crl.crv", revoked, issued, "day1.crv")  # what has changed since, in some bytes a key
    crivo.apply_deltas("crl.crv", ["day1.crv"], "now.crv")     # a chain, opened as the set is
    crivo.build_filter_delta("seen.crv", more, "day1.crv")     # keys that a filter gains, applied likewise

    with crivo.open("urls.crv") as ranks:
        rank = ranks[b"http://a.example/"]                     # an int; KeyError if the key is surely absent
        rank = ranks.get("http://b.example/")                  # an int, or None
        many = ranks.get_many(urls)                            # a numpy array of uint64
    with crivo.open("seen.crv") as seen:
        "word" in seen, len(seen), seen.get_many(words)        # of every kind that can tell: [], get, in, len, get_many
    with crivo.Remote("https://a.example/seen.crv", trust=crivo.Trust(["publisher.pub"])) as seen:
        seen.get_many(words)                                   # of a file on a server, of which only what keys need is read

    crivo.set_records("pages", words[:9], changed)             # while others read them; crivo.Writer does it one by one
    crivo.estimate("mphf", crivo.Files("urls.txt"))            # what a build would take

A set that one machine does not hold is built in shards, by any tasks that see one directory:

    crivo.partition_keys(crivo.Files(*files), "dealt", shards=2, part=(j, m))  # each of m tasks
    crivo.finish_partition("dealt")                                            # once
    crivo.build_part("mphf", "dealt", (i, 2), f"part{i}")                      # each shard
    crivo.merge_parts(["part0", "part1"], "urls.crv")                          # or write_manifest, which leaves them as they are

A key is ``bytes``, ``str`` (taken as UTF-8) or an ``int`` of 64 bits (the key of its 8 bytes, the lowest first). Many keys
are a list or tuple of the first two or of integers, a numpy array of 64-bit integers, of type ``S`` (without NULs at the
ends), ``V`` (all of whose bytes count), ``U`` or of objects; a build also takes any iterable, which is read once, and
:class:`Files`. Long calls and batches let other threads run; Ctrl-C, or an exception of a
progress function, ends a long call and leaves no output. What is open can be pickled: it is opened again by its path.
"""

from ._index import ABSENT, ANSWERS, Dictionary, Exact, ExactGroup, Filter, FilterSet, Info, Map, Mphf, Row, Rows, Store, guard_reads, inspect, notes, open, verify
from ._build import (
    Estimate,
    Summary,
    build_dictionary,
    build_exact,
    build_filter,
    build_filterset,
    build_map,
    build_mphf,
    build_rows,
    build_store,
    estimate,
    random_seed,
)
from ._delta import DeltaSummary, apply_deltas, build_delta, build_filter_delta, squash_deltas
from ._edit import (
    StoreCompaction,
    StoreEdit,
    Writer,
    add_to_filter,
    compact_store,
    remove_from_filter,
    remove_records,
    set_records,
)
from ._errors import (
    BadInputError,
    CancelledError,
    CorruptError,
    Error,
    MismatchError,
    ResourceError,
    UsageError,
    VersionError,
)
from . import keys
from ._files import Files
from ._hashes import HashFilter, build_filter_hashes
from ._remote import Remote
from ._resources import BuildWarning, Progress
from ._layers import GroupsChange, RowsChange, add_groups, add_rows, compact_groups, compact_rows, remove_groups, remove_rows
from ._show import ProgressBar
from ._shards import Partition, Totals, build_delta_part, build_part, finish_partition, merge_parts, partition_keys, write_manifest
from ._trust import Signature, Trust, sign
from ._native import ffi as _ffi, lib as _lib

__version__: str = _ffi.string(_lib.crivo_version()).decode()

__all__ = [
    "ABSENT", "ANSWERS", "BadInputError", "BuildWarning", "CancelledError", "CorruptError", "DeltaSummary", "Dictionary", "Error", "Estimate", "Exact", "ExactGroup", "Files", "Filter", "FilterSet", "GroupsChange", "HashFilter", "Info", "Map",
    "MismatchError", "Mphf", "Partition", "Progress", "ProgressBar", "Remote", "ResourceError", "Row", "Rows", "RowsChange", "Signature", "Store", "StoreCompaction", "StoreEdit", "Summary",
    "Totals", "Trust", "UsageError", "VersionError",
    "Writer", "add_groups", "add_rows", "add_to_filter", "apply_deltas", "build_delta", "build_delta_part", "build_dictionary", "build_exact", "build_filter", "build_filter_delta", "build_filter_hashes", "build_filterset", "build_map",
    "build_mphf", "build_part", "build_rows", "build_store", "compact_groups", "compact_rows", "compact_store", "estimate",
    "finish_partition", "guard_reads", "inspect", "keys", "merge_parts", "notes", "open", "partition_keys", "random_seed",
    "remove_from_filter", "remove_groups", "remove_records", "remove_rows", "set_records", "sign", "squash_deltas", "verify", "write_manifest",
]
