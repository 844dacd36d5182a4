# SPDX-License-Identifier: Apache-2.0
"""Options of builds as crivo.h has them: a function a kind, whose defaults are those of the library."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

from ._native import ffi
from ._resources import resources

#: A structure, and what keeps its texts.
Struct = Tuple[Any, Any]


def struct_of(name: str, **fields: Any) -> Struct:
    """The structure crivo_`name` of the fields that are not None; texts are str."""
    texts = {field: ffi.new("char[]", value.encode()) for field, value in fields.items() if isinstance(value, str)}
    given = {field: texts.get(field, value) for field, value in fields.items() if value is not None}
    given["struct_size"] = ffi.sizeof(f"crivo_{name}")
    return ffi.new(f"crivo_{name}*", given), texts


def mphf_options(
    *, algorithm: str = "fast", effort: int = 0, signature_bits: int = 0, hash: str = "xxh3",  # pylint: disable=redefined-builtin
    unbiased: bool = False,
) -> Struct:
    return struct_of("mphf_options", algorithm=algorithm, effort=effort, signature_bits=signature_bits, hash=hash,
                     unbiased=int(unbiased))


def filter_options(
    *, type: str = "ribbon", fpr: Optional[float] = None, bits: Optional[float] = None,  # pylint: disable=redefined-builtin
    capacity: int = 0, hashes: int = 0, counter_bits: int = 0, arity: int = 0, semi_sorted: bool = False,
) -> Struct:
    return struct_of("filter_options", type=type, fpr=fpr, bits=bits, capacity=capacity, hashes=hashes,
                     counter_bits=counter_bits, arity=arity, semi_sorted=int(semi_sorted))


def map_options(
    *, values: bool = False, algorithm: str = "ribbon", value_bits: int = 0, compress: bool = False, arity: int = 0,
    signature_bits: int = 0, value_type: Optional[str] = None, scale: int = 0,
) -> Struct:
    return struct_of("map_options", values=int(values), algorithm=algorithm, value_bits=value_bits,
                     compress=int(compress), arity=arity, signature_bits=signature_bits, value_type=value_type, scale=scale)


def store_options(
    *, algorithm: str = "fast", signature_bits: int = 0, codec: str = "auto", block_bytes: int = 0, backend: str = "lmdb",
    repeated: str = "first",
) -> Struct:
    return struct_of("store_options", algorithm=algorithm, signature_bits=signature_bits, codec=codec,
                     block_bytes=block_bytes, backend=backend, repeated=repeated)


_OF_KIND: Dict[str, Callable[..., Struct]] = {
    "mphf": mphf_options, "filter": filter_options, "map": map_options, "store": store_options,
}


def options_of(kind: str, options: Dict[str, Any]) -> Struct:
    """Those of a kind by its name."""
    if kind not in _OF_KIND:
        raise ValueError(f"kind is {kind!r}: use {', '.join(_OF_KIND)}")
    return _OF_KIND[kind](**options)


def build_options(
    given: resources, *, seed: int = 0, keyed_hash: bool = False, ignore_duplicates: bool = False, replace: bool = False
) -> Any:
    """crivo_build_options."""
    return struct_of("build_options", seed=seed, keyed_hash=int(keyed_hash), ignore_duplicates=int(ignore_duplicates),
                     replace=int(replace), resources=given.struct)[0]
