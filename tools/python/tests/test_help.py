# SPDX-License-Identifier: Apache-2.0
"""help() of every public name has an example, which does what it says."""

import doctest
import inspect

import pytest

import crivo

NAMES = {name: getattr(crivo, name) for name in crivo.__all__} | {f"keys.{name}": getattr(crivo.keys, name) for name in crivo.keys.__all__}
#: What is called; results and errors say what they are.
CALLED = {name: what for name, what in NAMES.items() if callable(what) and not (isinstance(what, type) and issubclass(what, BaseException))
          and (not hasattr(what, "__dataclass_fields__") or name == "Trust")}  # fmt: skip


@pytest.mark.parametrize("name", CALLED)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestFinder(recurse=False).find(CALLED[name], name, module=False, globs={"crivo": crivo, "open": open})
    assert examples and examples[0].examples, f"help(crivo.{name}) has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(examples[0]).failed == 0


def test_every_parameter_of_every_kind_is_annotated():
    for name, what in CALLED.items():
        for parameter in inspect.signature(what).parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty, f"{name}({parameter.name})"
