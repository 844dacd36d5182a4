# SPDX-License-Identifier: Apache-2.0
"""The README and the pages that it leads to, cut into their blocks: commands, sessions, programs, drawings."""

import itertools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages whose commands are not run one after the other with those of the README, and who runs or makes them.
ELSEWHERE = {
    "tools/bench/collections.md": "tests/cli/test_collections.py",
    "tools/scale/README.md": "tests/cli/test_sample.py",
    "formats/crivo-1.md": "all_blocks(), but for its layouts",
    "tools/slurm/README.md": "tests/slurm",
    "tools/bench/FIGURES.md": "tools/bench/make_figures",
}
LANGUAGES = {"": "commands", "cpp": "C++", "text": "a session of the shell or of Python, or a drawing"}


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def leads_to(page):
    """The files of the repository that a page links, or shows as pictures, in order."""
    folder = (ROOT / page).parent
    targets = [found for found in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text_of(page)) if "://" not in found]
    return [str((folder / target).resolve().relative_to(ROOT)) for target in dict.fromkeys(targets)]


# The first ones make files that others use.
FIRST = ("README.md", "tools/doc/pages.md", "tools/doc/tutorial.md", "tools/doc/program.md")
PAGES = tuple(dict.fromkeys(
    page for page in (*FIRST, *leads_to("tools/doc/pages.md"), *leads_to("README.md"))
    if page.endswith(".md") and page not in ELSEWHERE
))


def blocks(page):
    """(language, lines) of each block of a page: fenced, or indented by four columns (no language)."""
    language, block, after_text = None, [], False
    for line in [*text_of(page).splitlines(), ""]:
        if language is not None:
            if line == "```":
                yield language, block
                language, block = None, []
            else:
                block.append(line)
        elif line.startswith("```"):
            language = line[3:]
        elif line.startswith("    ") and not (after_text and not block):
            block.append(line[4:])
        elif block and line:
            yield "", block
            block = []
        elif block:  # an empty line may part two halves of a block
            block.append("")
        after_text = bool(line) and not block
    if block:
        yield "", block


def all_blocks():
    """Those of the specification too, of which the ones that no language begins are layouts of bytes."""
    specified = [block for block in blocks("formats/crivo-1.md") if block[0] != ""]
    return [block for page in PAGES for block in blocks(page)] + specified


def begins(block, prompt):
    return bool(block) and block[0].startswith(prompt)


def commands():
    """(command, what it prints) in the order of the pages. Where a page shows commands alone, what it prints is None."""
    found = []
    for language, block in all_blocks():
        if language == "":
            found += [(line, None) for line in block if line.strip()]
        elif language == "text" and begins(block, "$ "):
            for part in "\n".join(block)[2:].split("\n$ "):
                command, _, printed = part.partition("\n")
                found.append((command, printed))
    return found


def python_sessions():
    return ["\n".join(block) + "\n" for language, block in all_blocks() if language == "text" and begins(block, ">>> ")]


def table_after(page, beginning):
    """The rows of the first table after a line that begins so: each row's cells."""
    lines = text_of(page).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(beginning))
    start = next(i for i in range(start, len(lines)) if lines[i].startswith("|"))
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[start:])
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
