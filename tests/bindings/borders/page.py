# SPDX-License-Identifier: Apache-2.0
"""The page tools/doc/borders.md: a table for each binding, made of rows (call, parameter, what it is given, what comes of it)."""

import os
import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[3] / "tools" / "doc" / "borders.md"


def table(rows):
    """A line for all parameters of which the same is said, with their calls. Rows without a parameter are right, but for where
    they are made."""
    said = {}
    for call, parameter, what, outcome in rows:
        if parameter:
            said.setdefault((parameter, call), ([], []))[outcome == "taken"].append(what)
    lines = {}
    for (parameter, call), (refused, taken) in said.items():
        line = lines.setdefault(("; ".join(refused) or "-", "; ".join(taken) or "-"), {})
        line.setdefault(parameter, []).append(f"`{call}`")
    cells = [("; ".join(f"`{parameter}` of {', '.join(calls)}" for parameter, calls in line.items()), *both) for both, line in lines.items()]
    return "| parameter | refused | taken |\n|---|---|---|\n" + "".join(f"| {' | '.join(each)} |\n" for each in cells)


def check(test, binding, rows):
    """That the page has today's table of a binding, or with CRIVO_WRITE_BORDERS puts it there."""
    page, made = PAGE.read_text(encoding="utf-8"), table(rows)
    begin, end = (f"<!-- {word} {binding} -->\n" for word in ("begin", "end"))
    before, rest = page.split(begin)
    held, after = rest.split(end)
    if os.environ.get("CRIVO_WRITE_BORDERS"):
        PAGE.write_text(before + begin + made + end + after, encoding="utf-8")
    else:
        test.assertEqual(held, made, "CRIVO_WRITE_BORDERS=1 and this test write the page anew; read the difference")


def of_structures(rows, structure_of):
    """The rows of parameters; and those of members, with the name of the structure in the place of the call, once each: what any
    call refuses is refused."""
    parameters, members = [], {}
    for call, parameter, what, outcome in rows:
        name, _, member = parameter.partition(".")
        if member:
            key = (structure_of(call, name), member, what)
            members[key] = outcome if members.get(key, "taken") == "taken" else members[key]
        else:
            parameters.append((call, parameter, what, outcome))
    return parameters, [(*key, outcome) for key, outcome in members.items()]
