# SPDX-License-Identifier: Apache-2.0
"""The notebook tour.ipynb runs, and its cells print and show what stands below them. A cell whose output differs each time has
the tag `varies`; one that needs matplotlib has that."""

import ast
import contextlib
import importlib.util
import io
import json
import pathlib

NOTEBOOK = json.loads((pathlib.Path(__file__).resolve().parents[1] / "tour.ipynb").read_text(encoding="utf-8"))


def run(source, names):
    """What a cell prints, and its last expression."""
    cell = ast.parse(source)
    last = ast.Expression(cell.body.pop().value) if isinstance(cell.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(cell, "cell", "exec"), names)  # pylint: disable=exec-used
        shown = eval(compile(last, "cell", "eval"), names) if last else None  # pylint: disable=eval-used
    return printed.getvalue() + (repr(shown) if shown is not None else "")


def kept(cell):
    """What stands below it, but for pictures and tables in HTML."""
    return "".join("".join(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in cell["outputs"])


def test_cells(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names = {}
    compared = 0
    for cell in NOTEBOOK["cells"]:
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] != "code" or "matplotlib" in tags and importlib.util.find_spec("matplotlib") is None:
            continue
        said = run("".join(cell["source"]), names)
        if not tags:
            assert said.split() == kept(cell).split(), "".join(cell["source"])
            compared += bool(said)
    assert compared >= 9


def test_pictures_and_tables_are_there():
    types = [kind for cell in NOTEBOOK["cells"] for output in cell.get("outputs", []) for kind in output.get("data", {})]
    assert types.count("image/png") == 1 and types.count("text/html") >= 3
