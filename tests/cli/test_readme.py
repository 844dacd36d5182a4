# SPDX-License-Identifier: Apache-2.0
"""The commands of the README and of its pages, run in order and as printed in an empty folder; long ones at a smaller size."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

from harness import CRIVO, ENVIRONMENT, CrivoTest

BIN = os.path.dirname(CRIVO)
ROOT = pathlib.Path(__file__).resolve().parents[2]
# The pages whose commands are run, one after the other in one folder.
PAGES = (
    "README.md",
    "tools/doc/architecture.md",
    "tools/doc/structures.md",
    "tools/bench/README.md",
    "tools/apps/README.md",
    "tools/doc/library.md",
    "tools/experiments/README.md",
    "tools/doc/program.md",
    "tools/doc/building.md",
)
README = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)

# What is made smaller, as (what stands in the README, what is run). Each must stand there.
SMALLER = (
    ("gen urls -n 1000000 ", "gen urls -n 20000 "),
    ("crivo-bench urls -n 1000000", "crivo-bench urls -n 5000 --repeat 1 --lookups 5000"),
    ("crivo-bench ints -n 10000000", "crivo-bench ints -n 5000 --repeat 1 --lookups 5000"),
    ("crivo-experiments -o small", "crivo-experiments --only bloom-rate -o small"),
    ("--scale full -o full", "--scale small --repeat 1 --only fch-buckets -o full"),
    ("--scale full --only", "--scale small --repeat 1 --only"),
    ("crivo-experiments --faithful -o", "crivo-experiments --faithful --repeat 1 -o"),
)

# What is run in the repository, not in an empty folder, and by whom.
ELSEWHERE = {
    "tools/quickstart": "tools/test",
    "tools/test": "itself",
    "tools/setup": "tools/test",
    "cmake": "tools/test",
    "ctest": "tools/test",
}


def blocks():
    """(language, lines) of each block of the README: fenced, or indented by four columns (no language)."""
    language, block, after_text = None, [], False
    for line in [*README.splitlines(), ""]:
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


def commands():
    """Every command of the README, in order: one a line."""
    found = []
    for language, block in blocks():
        if language not in ("cpp", "text"):
            found += [line for line in block if line.strip()]
    return found


def words_of(command):
    """The program that each part of a command line begins with."""
    plain = re.sub(r"'[^']*'|\"[^\"]*\"", "''", command.split(" #")[0])
    return [part.split()[0] for part in re.split(r"&&|\|\||[|;]", plain) if part.split()]


class Readme(CrivoTest):
    def test_blocks_are_told_apart(self):
        languages = {language for language, _ in blocks()}
        self.assertLessEqual(languages, {"", "cpp", "text"})
        # Every indented or fenced line is one of a block that was found.
        lines = sum(len([line for line in block if line]) for _, block in blocks())
        indented = len(re.findall(r"(?m)^    \S", re.sub(r"(?ms)^```.*?^```$", "", README)))
        fenced = sum(
            len([line for line in block.split("\n")[1:-1] if line])
            for block in re.findall(r"(?ms)^```.*?^```$", README)
        )
        self.assertEqual(lines, indented + fenced)
        self.assertGreater(len(commands()), 30)

    def test_commands_run_in_order(self):
        missing, unused = {}, {printed for printed, _ in SMALLER}
        path = os.pathsep.join([BIN, os.environ["PATH"]])
        for command in commands():
            programs = words_of(command)
            if programs[0] in ELSEWHERE:
                continue
            for printed, run in SMALLER:
                if printed in command:
                    unused.discard(printed)
                    command = command.replace(printed, run)
            absent = [p for p in programs if p.startswith("crivo-") and not os.path.exists(os.path.join(BIN, p))]
            if absent:
                missing.setdefault(absent[0], []).append(command)
                continue
            with self.subTest(command=command):
                result = subprocess.run(
                    ["bash", "-e", "-o", "pipefail", "-c", command],
                    cwd=self.dir,
                    env={**ENVIRONMENT, "PATH": path},
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=300,
                    check=False,
                )
                shown = f"$ {command}\nexit {result.returncode}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}"
                self.assertEqual(result.returncode, 0, shown)
                self.assertNotIn(b"warning", result.stderr, shown)
        self.assertEqual(unused, set(), "no longer in the README")
        if missing:
            count = sum(map(len, missing.values()))
            self.skipTest(f"{count} commands were not run, since these are not built: {', '.join(missing)}")

    def test_programs_are_known(self):
        """A command is of crivo, or of what any system has: nothing is skipped for a misspelled name."""
        known = {"crivo", "crivo-bench", "crivo-experiments", "crivo-example-lookup"}
        known |= {"crivo-hyphenate", "crivo-spell", "crivo-scan", *ELSEWHERE}
        known |= {"awk", "cmp", "echo", "gzip", "head", "tail", "tr", "true"}
        for command in commands():
            with self.subTest(command=command):
                self.assertLessEqual(set(words_of(command)), known)

    def test_commands_print_what_the_page_says(self):
        """Of each block of text that begins with `$ `: its commands, and behind each what it prints."""
        sessions = [block for language, block in blocks() if language == "text" and block[0].startswith("$ ")]
        self.assertGreater(len(sessions), 0)
        for block in sessions:
            for part in "\n".join(block)[2:].split("\n$ "):
                command, _, expected = part.partition("\n")
                said = subprocess.run(
                    ["bash", "-c", command], cwd=self.dir, timeout=300, check=True, text=True, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, env={**ENVIRONMENT, "PATH": os.pathsep.join([BIN, os.environ["PATH"]])},
                )
                self.assertEqual(said.stdout.rstrip("\n"), expected, command)

    def test_pages_are_there(self):
        """What a page leads to, and that the README is short."""
        for page in PAGES:
            folder = (ROOT / page).parent
            for target in re.findall(r"\]\(([^)#\s]+)\)", (ROOT / page).read_text(encoding="utf-8")):
                if "://" not in target:
                    self.assertTrue((folder / target).exists(), f"{page}: {target}")
        self.assertLessEqual((ROOT / "README.md").read_text(encoding="utf-8").count("\n"), 200)

    def test_fragments_compile(self):
        """Those of C++ that are no whole program, in the order of the pages."""
        fragments = ["\n".join(block) for language, block in blocks() if language == "cpp"]
        (of_readme, of_hashes) = [fragment for fragment in fragments if "int main" not in fragment]
        headers, body = of_readme.split("\n\n", 1)
        code = f"""{headers}
#include <crivo/filter.hpp>
#include <crivo/store.hpp>
#include <string>
#include <vector>
void use(std::uint64_t);
void use(std::uint64_t, const crivo::Store::Answer&);
void ask_by_key();
void of_readme(const std::vector<std::string>& keys) {{ {body} }}
void of_hashes(const crivo::Filter& filter, const crivo::Mphf& mphf, const crivo::Store& store,
               crivo::Store::Reader& reader, const std::string& key) {{ {of_hashes} }}
"""
        path = self.write("fragments.cpp", code.encode())
        compile_it = ["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", path]
        made = subprocess.run(compile_it, cwd=self.dir, capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_the_example_is_the_one_that_is_built(self):
        (listing,) = [block for language, block in blocks() if language == "cpp" and "int main" in "\n".join(block)]
        self.assertEqual("\n".join(listing) + "\n", (ROOT / "tools/examples/lookup.cpp").read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(unittest.main())
