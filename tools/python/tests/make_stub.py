#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_stub.py > ../crivo/_build.pyi: what type checkers read of crivo/_build.py, whose functions have the library's choices as
parameters. It asks the package that is installed; test_types.py holds the file to what it prints."""

import inspect

import crivo
from crivo import _build, _options

HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Made by make_stub.py.
import builtins
from dataclasses import dataclass
from typing import Any, Callable, Dict, Literal, Optional, Tuple, Union

from ._input import Input
from ._options import Notes
from ._resources import Progress, resources
from ._texts import Path

OnProgress = Optional[Callable[[Progress], Any]]
'''


def type_of(kind, parameter):
    """A choice that has names takes these alone."""
    choice = next((row for row in _options.CHOICES[kind] if row.name == parameter.name), None)
    if choice is not None and choice.annotation is str and choice.values:
        return f"Literal[{', '.join(repr(value) for value in choice.values)}]"
    kind = parameter.annotation
    return kind if isinstance(kind, str) else getattr(kind, "__name__", "") if isinstance(kind, type) else str(kind).replace("typing.", "")


def function(name):
    what = getattr(_build, name)
    signature = inspect.signature(what)
    lines, is_keyword = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword:
            lines.append("*")
            is_keyword = True
        has_default = parameter.default is not parameter.empty
        kind = type_of(name.replace("build_", ""), parameter) if name.startswith("build_") else parameter.annotation
        if parameter.default is None and not kind.startswith(("Optional", "Any", "Notes", "OnProgress")):
            kind = f"Optional[{kind}]"
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        lines.append(f"{stars}{parameter.name}: {kind}" + (f" = {parameter.default!r}" if has_default else ""))
    return f"def {name}(\n" + "".join(f"    {line},\n" for line in lines).replace("**options: Any,", "**options: Any") + f") -> {signature.return_annotation}: ...\n"


def record(name):
    """A frozen dataclass."""
    what = getattr(_build, name)
    fields = "".join(f"    {field}: {kind}\n" for field, kind in what.__annotations__.items())
    methods = "    def _repr_html_(self) -> str: ...\n" if hasattr(what, "_repr_html_") else ""
    return f"@dataclass(frozen=True)\nclass {name}:\n{fields}{methods}"


def stub():
    names = [name for name, what in vars(_build).items() if inspect.isfunction(what) and what.__module__ == _build.__name__ and name in crivo.__all__]
    parts = [HEAD, record("Summary"), "def empty_summary() -> Any: ...\n",
             'def summary_of(summary: Any, given: resources, data: "builtins.bytes" = b"") -> Summary: ...\n',
             *map(function, sorted(set(names) - {"estimate", "random_seed"})), record("Estimate"), *map(function, ("estimate", "random_seed"))]
    return "\n".join(parts)


if __name__ == "__main__":
    print(stub(), end="")
