# SPDX-License-Identifier: Apache-2.0
"""The page tools/doc/borders.md: a table for each binding, made of rows (call, parameter, what it is given, what comes of it)."""

import os
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[3] / "tools" / "doc" / "borders.md"


def listed(cells):
    """`what`: the parameters that are given it, in a cell."""
    return "; ".join(f"{what}: {', '.join(parameters)}" for what, parameters in cells.items()) or "-"


def table(rows):
    """A line for all calls of which the same is said."""
    calls = {}
    for call, parameter, what, outcome in rows:
        refused, taken = calls.setdefault(call, ({}, {}))
        cells = taken if outcome == "taken" else refused
        if parameter:  # else it is right, but for where it is made
            cells.setdefault(what, []).append(f"`{parameter}`")
    lines = {}
    for call, (refused, taken) in calls.items():
        lines.setdefault((listed(refused), listed(taken)), []).append(f"`{call}`")
    return "| call | refused | taken |\n|---|---|---|\n" + "".join(
        f"| {', '.join(names)} | {refused} | {taken} |\n" for (refused, taken), names in lines.items())


def check(test, binding, rows):
    """That the page has today's table of a binding, or with CRIVO_WRITE_BORDERS puts it there."""
    page, made = PAGE.read_text(encoding="utf-8"), table(rows)
    begin, end = (f"<!-- {word} {binding} -->\n" for word in ("begin", "end"))
    before, rest = page.split(begin)
    held, after = rest.split(end)
    if os.environ.get("CRIVO_WRITE_BORDERS"):
        PAGE.write_text(before + begin + made + end + after, encoding="utf-8")
        return
    test.assertEqual(held, made, "CRIVO_WRITE_BORDERS=1 and this test write the page anew; read the difference")


def of_structures(rows, structure_of):
    """The rows of parameters, and with the name of its structure in the place of the parameter's those of members, once each:
    what is refused by any call."""
    parameters, members = [], {}
    for call, parameter, what, outcome in rows:
        name, _, member = parameter.partition(".")
        if not member:
            parameters.append((call, parameter, what, outcome))
            continue
        key = (structure_of(call, name), member, what)
        members[key] = outcome if members.get(key, "taken") == "taken" else members[key]
    return parameters, [(structure, re.sub(r"^\.", "", member), what, outcome) for (structure, member, what), outcome in members.items()]
