# SPDX-License-Identifier: Apache-2.0
"""Options of builds: the table of choices as the library has it, and structures as crivo.h has them."""

from __future__ import annotations

import builtins
import inspect
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Optional, Tuple, Union

import numpy as np

from ._native import ffi, lib
from ._resources import resources
from ._texts import c_path, c_text, flag, whole

#: Names and values that a file keeps.
Notes = Optional[Mapping[str, str]]
#: A structure or array, and what keeps its texts.
Struct = Tuple[Any, Any]


def struct_of(name: str, **fields: Any) -> Struct:
    """The structure crivo_`name` of the fields that are not None; texts are str, and paths bytes."""
    given: Dict[str, Any] = {}
    types = dict(ffi.typeof(f"crivo_{name}").fields)
    for field, value in fields.items():
        if value is None:
            continue
        if types[field].type.cname == "char *":
            given[field] = c_path(value) if isinstance(value, bytes) else c_text(value, field)
        elif types[field].type.kind == "primitive" and types[field].type.cname != "double":
            given[field] = whole(value, field, 2 ** (8 * ffi.sizeof(types[field].type)) - 1)
        else:
            given[field] = value
    texts = dict(given)
    given["struct_size"] = ffi.sizeof(f"crivo_{name}")
    return ffi.new(f"crivo_{name}*", given), texts


@dataclass(frozen=True)
class Choice:
    """A row of the table of choices: what can be asked of a kind of index."""

    name: str
    help: str
    default: Union[None, bool, int, float, str]  #: None: there is none
    values: Tuple[str, ...]  #: names, or the only numbers; none: any
    takers: Tuple[str, ...]  #: the algorithms or types that take it; none: all
    annotation: Any  #: what it may be


def _default(row: Any) -> Union[None, bool, int, float, str]:
    text = ffi.string(row.initial).decode()
    if row.type in (lib.CRIVO_CHOICE_TYPE_NAME, lib.CRIVO_CHOICE_TYPE_TEXT):
        return text
    if row.type in (lib.CRIVO_CHOICE_TYPE_RATE, lib.CRIVO_CHOICE_TYPE_NUMBER):
        return None  # one stands for the other
    return text == "1" if row.type == lib.CRIVO_CHOICE_TYPE_FLAG else int(text)


def _annotation(row: Any) -> Any:
    of_type = {
        lib.CRIVO_CHOICE_TYPE_NAME: str,
        lib.CRIVO_CHOICE_TYPE_TEXT: str,
        lib.CRIVO_CHOICE_TYPE_RATE: Optional[float],
        lib.CRIVO_CHOICE_TYPE_NUMBER: Optional[float],
        lib.CRIVO_CHOICE_TYPE_FLAG: bool,
    }
    return of_type.get(row.type, int)


def _rows(kind: "builtins.bytes") -> Iterator[Choice]:
    row = ffi.new("crivo_choice*", {"struct_size": ffi.sizeof("crivo_choice")})
    index = 0
    while lib.crivo_choice_of(kind, index, row) == lib.CRIVO_STATUS_OK:
        name, text, values, takers = (ffi.string(field).decode() for field in (row.name, row.help, row.values, row.takers))
        yield Choice(name, text, _default(row), tuple(values.split()), tuple(takers.split()), _annotation(row))
        index += 1


def _kinds() -> Iterator[str]:
    index = 0
    while lib.crivo_kind_name(index) != ffi.NULL:
        yield ffi.string(lib.crivo_kind_name(index)).decode()
        index += 1


#: The choices of each kind, as the library has them; the first names the algorithm or type.
CHOICES: Dict[str, Tuple[Choice, ...]] = {kind: tuple(_rows(kind.encode())) for kind in _kinds()}


def _text(choice: Choice, value: Any) -> str:
    """A value of a choice, as its type has it; a number may be a text, as the program takes it."""
    if isinstance(value, str):
        return value
    if choice.annotation is str:
        raise TypeError(f"{choice.name} is {value!r}, not a str")
    if choice.annotation is bool:
        return str(flag(value, choice.name))
    if choice.annotation is int:
        return str(whole(value, choice.name))
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{choice.name} is {value!r}, not a number")
    return f"{float(value):.17g}"


def choices(kind: str, given: Dict[str, Any]) -> Struct:
    """Those of a build of the kind, for crivo.h; what is None has its default."""
    if not isinstance(kind, str) or kind not in CHOICES:
        raise ValueError(f"kind is {kind!r}: use {', '.join(CHOICES)}")
    rows = {choice.name: choice for choice in CHOICES[kind]}
    for name in given:
        if name not in rows:
            raise TypeError(f"got an unexpected keyword argument {name!r}: a {kind} takes {', '.join(sorted(rows))}")
    return _texts((name, _text(rows[name], value)) for name, value in given.items() if value is not None)


def with_choices(kind: str, *own: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a function the keywords of a kind's choices in the place of its `**chosen`, but those of its `own`, in its signature
    and its help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        rows = [choice for choice in CHOICES[kind] if choice.name not in own]
        signature = inspect.signature(function)
        parameters = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        parameters += [
            inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=row.default, annotation=row.annotation) for row in rows
        ]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        function.__annotations__.pop("chosen")
        function.__annotations__.update((row.name, row.annotation) for row in rows)
        lines = []
        for row in rows:
            takers = f" ({', '.join(row.takers)})" if row.takers and not all(t in row.help for t in row.takers) else ""
            lines.append(f"    `{row.name}`: {row.help}{takers}")
        function.__doc__ = (function.__doc__ or "") + "\n\n" + "\n".join(lines)
        return function

    return decorate


def _texts(values: Iterable[Tuple[str, str]]) -> Struct:
    """The array of texts NAME=VALUE that crivo.h has choices and notes as."""
    texts = [c_text(f"{name}={value}", name) for name, value in values]
    return ffi.new("char*[]", [*texts, ffi.NULL]), texts


def build_options(
    given: resources, *, seed: int = 0, keyed_hash: Union[bool, str] = False, ignore_duplicates: bool = False,
    replace: bool = False, notes: Notes = None,
) -> Any:
    """crivo_build_options, which live no longer than `given`."""
    if notes is not None and not isinstance(notes, Mapping):
        raise TypeError(f"notes is {notes!r}, not a mapping of names to values")
    for name, value in (notes or {}).items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"the note {name!r} is {value!r}: names and values of notes are str")
        if "=" in name:
            raise ValueError(f"the note {name!r} has an = in its name")
    given.kept = _texts((notes or {}).items())
    aes = isinstance(keyed_hash, str)
    if aes and keyed_hash != "aes":
        raise ValueError(f"keyed_hash is {keyed_hash!r}: use True, False or 'aes'")
    high = 0
    if aes and isinstance(seed, int) and 0 <= seed < 2**128:
        seed, high = seed % 2**64, seed >> 64
    return struct_of("build_options", seed=seed, seed_high=high, aes_hash=int(aes),
                     keyed_hash=0 if aes else flag(keyed_hash, "keyed_hash"),
                     ignore_duplicates=flag(ignore_duplicates, "ignore_duplicates"),
                     replace=flag(replace, "replace"), resources=given.struct, notes=ffi.cast("const char* const*", given.kept[0]))[0]
