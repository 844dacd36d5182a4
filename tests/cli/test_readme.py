# SPDX-License-Identifier: Apache-2.0
"""The README and the pages that it leads to: their commands, run in order in one folder, print what the pages say.
Long ones run at a smaller size. The sessions of Python are those of tests/bindings/test_python.py."""

import os
import re
import subprocess
import sys
import unittest

import pages
from harness import BIN, CRIVO, ENVIRONMENT, CrivoTest


# What is made smaller, as (what stands in the pages, what is run). Each must stand there.
SMALLER = (
    ("apt-cache dumpavail", "cat /var/lib/dpkg/status"),  # the packages that are installed, in the same form
    ("gen urls -n 1000000 ", "gen urls -n 20000 "),
    ("crivo-bench urls -n 1000000", "crivo-bench urls -n 5000 --repeat 1 --lookups 5000"),
    ("crivo-bench ints -n 10000000", "crivo-bench ints -n 5000 --repeat 1 --lookups 5000"),
    ("-n 816000000", "-n 200000 --changes 200"),
    ("lookups full.crv full-chain.crv", "lookups full.crv full-chain.crv --lookups 5000 --rounds 1"),
    ("i < 12000000", "i < 12000"),
    ("i < 20000;", "i < 200;"),
    ("head -c 2000000000 /dev/zero", "head -c 2000000 /dev/zero"),
    ("crivo-experiments -o small", "crivo-experiments --only bloom-rate -o small"),
    ("--scale full -o full", "--scale small --repeat 1 --only fch-buckets -o full"),
    ("--scale full --only", "--scale small --repeat 1 --only"),
    ("crivo-experiments --faithful -o", "crivo-experiments --faithful --repeat 1 -o"),
)

MOST_WORDS = 17_000
# What is run in the repository, not in an empty folder, and by whom.
ELSEWHERE = {
    "tools/quickstart": "tools/test",
    "tools/test": "itself",
    "tools/setup": "tools/test",
    "cmake": "tools/test",
    "ctest": "tools/test",
    "build/release/bin/file_tests": "tools/test",
    "python3": "tests/bindings",
    "/usr/bin/python3": "tests/bindings",
}

# The README's table beside other libraries: the runs of FIGURES.md, and of each row the run, the two methods and the
# columns. Of exact sets there is no table of both: two sentences have the figures, and Clubcard's lookups none.
MPHFS, FILTERS, MAPS = "<!-- mphf-urls -->", "<!-- filter-urls -->", "<!-- map-ints-1e7 -->"
WORDS, URLS = "| 663,473 words", "| 557,640 URLs of Debian's packages"
STORES, LEAST, SETS = "### Real URLs with JSON", "### The least bytes", "<!-- exact-certificates -->"
OF_KEYS, OF_TEXTS = ("bits/key", "build, whole", "lookup: one"), ("bytes a key", "build s", "hit")
OF_RECORDS = ("B/rec", "build CPU s", "hit ns")
BESIDE = (
    (MPHFS, ("Crivo fast", "PHast+ S=10"), OF_KEYS),
    (MPHFS, ("Crivo fast", "PtrHash compact"), OF_KEYS),
    (MPHFS, ("Crivo tiny", "Consensus-RecSplit k=512"), OF_KEYS),
    (FILTERS, ("Crivo ribbon", "BuRR L=64"), OF_KEYS),
    (FILTERS, ("Crivo fuse", "fastfilter fuse 4-wise"), OF_KEYS),
    (MAPS, ("Crivo ribbon", "BuRR L=64"), OF_KEYS),
    (WORDS, ("crivo, blocks of 64", "fst 0.4.7 (5907b47)"), OF_TEXTS),
    (URLS, ("crivo, blocks of 64", "fst"), OF_TEXTS),
    (SETS, ("by-issuer.crv", "Clubcard"), ("MB", "s", "ns")),
    (STORES, ("Crivo flat tokens12", "sparkey"), OF_RECORDS),
    (LEAST, ("Crivo flat auto, size", "RocksDB zstd 4K, dictionary"), OF_RECORDS),
)


def words_of(command):
    """The program that each part of a command line begins with."""
    plain = re.sub(r"'[^']*'|\"[^\"]*\"", "''", command.split(" #")[0])
    return [part.split()[0].lstrip("(") for part in re.split(r"&&|\|\||[|;]", plain) if part.split()]


class Readme(CrivoTest):
    def test_blocks_are_told_apart(self):
        for page in pages.PAGES:
            with self.subTest(page=page):
                text, blocks = pages.text_of(page), list(pages.blocks(page))
                self.assertLessEqual({language for language, _ in blocks}, pages.LANGUAGES.keys())
                # Every indented or fenced line is one of a block that was found.
                lines = sum(len([line for line in block if line]) for _, block in blocks)
                indented = len(re.findall(r"(?m)^    \S", re.sub(r"(?ms)^```.*?^```$", "", text)))
                fenced = re.findall(r"(?ms)^```[^\n]*\n(.*?)^```$", text)
                self.assertEqual(lines, indented + sum(len([line for line in b.split("\n") if line]) for b in fenced))
        self.assertGreater(len(pages.commands()), 60)

    def test_sessions_are_run(self):
        """A block of text that is no session, which is run, is a drawing: it shows no commands."""
        for language, block in pages.all_blocks():
            if language == "text" and not pages.begins(block, "$ ") and not pages.begins(block, ">>> "):
                self.assertRegex("\n".join(block), "[│─]", "neither a session nor a drawing")

    def test_commands_run_in_order(self):
        """Those of a session print what the page says; others end well and without a warning."""
        missing, unused = {}, {printed for printed, _ in SMALLER}
        environment = {**ENVIRONMENT, "PATH": os.pathsep.join([BIN, os.environ["PATH"]])}
        for command, expected in pages.commands():
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
                    cwd=self.dir, env=environment, stdin=subprocess.DEVNULL, timeout=300, check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT if expected is not None else subprocess.PIPE,
                )
                shown = f"$ {command}\nexit {result.returncode}\n{result.stdout[-2000:]}\n{(result.stderr or b'')[-2000:]}"
                self.assertEqual(result.returncode, 0, shown)
                if expected is not None:
                    self.assertEqual(result.stdout.decode().rstrip("\n"), expected, command)
                else:
                    self.assertNotIn(b"warning", result.stderr, shown)
        self.assertEqual(unused, set(), "no longer in the README")
        if missing:
            count = sum(map(len, missing.values()))
            self.skipTest(f"{count} commands were not run, since these are not built: {', '.join(missing)}")

    def test_programs_are_known(self):
        """A command is of crivo, or of what any system has: nothing is skipped for a misspelled name."""
        known = {"crivo", "crivo-bench", "crivo-experiments", "crivo-example-lookup"}
        known |= {"crivo-hyphenate", "crivo-spell", "crivo-scan", "minisign", "openssl", *ELSEWHERE}
        known |= {"awk", "cat", "cd", "cmp", "cp", "cut", "echo", "grep", "gzip", "head", "mkdir", "mv", "od", "printf"}
        known |= {"apt-cache", "ls", "LC_ALL=C", "sed", "seq", "sha256sum", "sort", "tail", "tr", "true", "wc", "crivo-bench-exact"}
        for command, _ in pages.commands():
            with self.subTest(command=command):
                self.assertLessEqual(set(words_of(command)), known)

    def test_pages_are_there(self):
        """What each page leads to, and that the README is short."""
        for page in (*pages.PAGES, *pages.ELSEWHERE):
            for target in pages.leads_to(page):
                self.assertTrue((pages.ROOT / target).exists(), f"{page}: {target}")
        readme = pages.text_of("README.md").splitlines()
        self.assertLessEqual(len(readme), 130)
        self.assertLessEqual(max(len(line) for line in readme if line[:1] not in ("|", " ")), 120)
        for picture in re.findall(r'(?:src|srcset)="([^"]+)"', pages.text_of("README.md")):
            self.assertTrue((pages.ROOT / picture).exists(), picture)
        led_to = [page for page in pages.leads_to("tools/doc/pages.md") if page.startswith("tools/doc/")]
        for page in pages.ROOT.glob("tools/doc/**/*.md"):
            name = str(page.relative_to(pages.ROOT))
            self.assertTrue(name in led_to or name == "tools/doc/pages.md" or "/decisions/" in name, f"nothing leads to {name}")

    def test_pages_are_few_words(self):
        """What users read, commands and answers too: the README and all of tools/doc but the decisions, what is for those who
        change Crivo, and tables that tests write."""
        words = {}
        for page in (pages.ROOT / "README.md", *pages.ROOT.glob("tools/doc/**/*.md")):
            if "decisions" not in page.parts and page.stem not in ("architecture", "building", "contributing"):
                text = re.sub(r"(?ms)^<!-- begin .*?^<!-- end", "", page.read_text(encoding="utf-8"))
                words[page.name] = len(text.split())  # as `wc -w` counts
        self.assertLessEqual(sum(words.values()), MOST_WORDS, words)

    def test_pages_say_for_whom_they_are(self):
        for page in pages.ROOT.glob("tools/doc/**/*.md"):
            if "decisions" not in page.parts:
                self.assertRegex(page.read_text(encoding="utf-8"), r"\A# [^\n]+\n\nFor (anyone who|everyone)\b", page.name)

    def test_the_picture_is_of_the_figures(self):
        subprocess.run([pages.ROOT / "tools/bench/picture", self.dir], check=True)
        for theme in ("light", "dark"):
            name = f"space-lookup-{theme}.svg"
            self.assertEqual((self.dir / name).read_text(), (pages.ROOT / "tools/doc" / name).read_text(), "run tools/bench/picture")

    def test_lines_of_pages_are_short(self):
        """Prose is at most 120 columns wide; rows of tables are as wide as they have to be."""
        # Of the README those of HTML are, too.
        kinds = ("tools/doc/*.md", "tools/doc/uses/*.md", "formats/*.md", "tools/*/README.md")
        for path in sorted(file for kind in kinds for file in pages.ROOT.glob(kind)):
            prose = re.sub(r"(?ms)^```.*?^```$", "", path.read_text(encoding="utf-8")).splitlines()
            long = [line for line in prose if len(line) > 120 and not line.startswith(("|", "    "))]
            with self.subTest(page=str(path)):
                self.assertEqual(long, [])

    def test_lines_of_the_changelog_are_short(self):
        """lintian refuses longer ones, in packages that only --full makes."""
        self.assertLessEqual(max(map(len, (pages.ROOT / "tools/package/CHANGELOG").read_text().splitlines())), 80)

    def test_figures_beside_others(self):
        """The README's table has the figures of FIGURES.md: of each row there, the first number of a cell."""
        runs = {name: {} for name, _, _ in BESIDE}
        for name, methods in runs.items():
            titles, _, *rows = pages.table_after("tools/bench/FIGURES.md", name)
            for row in rows:
                methods[row[0]] = {title: cell.split(" ")[0] for title, cell in zip(titles, row)}
        text = pages.text_of("tools/bench/FIGURES.md")
        size, seconds = re.search(r"- set: \d+ keys, (\d+) bytes.*?; ([\d.]+) s,", text).groups()
        theirs, of_theirs = re.search(r"- (\d+) bytes with \d+ of each group, built in ([\d.]+) s", text).groups()
        lookup = runs[SETS]["by-issuer.crv"]["others: one"]
        runs[SETS] = {"by-issuer.crv": {"MB": int(size) / 1e6, "s": seconds, "ns": lookup},
                      "Clubcard": {"MB": int(theirs) / 1e6, "s": of_theirs, "ns": None}}
        expected = []
        for run, (ours, other), columns in BESIDE:
            of = [[runs[run][method][title] for method in (ours, other)] for title in columns]
            expected.append([self.beside(*pair) for pair in of])
        _, _, *shown = pages.table_after("README.md", "## Beside the best of each kind")
        figures = [[re.sub(r" (bits/key|bytes/key|MB|ns|s|bytes)(?=$| |\*)", "", cell) for cell in row[1:]] for row in shown]
        self.assertEqual(figures, expected)

    @staticmethod
    def beside(ours, theirs):
        """In bold where the other is better."""
        if theirs is None:
            return f"{float(ours):.3g} : not measured"
        ours, theirs = (float(f"{float(number):.3g}") for number in (ours, theirs))
        return f"**{ours:g} : {theirs:g}**" if ours > theirs else f"{ours:g} : {theirs:g}"

    def test_fragments_compile(self):
        """Those of C++ that are no whole program, in the order of the pages."""
        fragments = ["\n".join(block) for language, block in pages.all_blocks() if language == "cpp"]
        (of_readme, of_lexicon, of_hashes, of_trust, of_file_here, of_remote, of_shared) = [
            fragment for fragment in fragments if "int main" not in fragment
        ]
        headers, body = of_readme.split("\n\n", 1)
        code = f"""{headers}
#include <crivo/dictionary.hpp>
#include <crivo/filter.hpp>
#include <crivo/remote.hpp>
#include <crivo/shared.hpp>
#include <crivo/store.hpp>
#include <string>
#include <vector>
void use(std::uint64_t);
void use(std::uint64_t, const crivo::Store::Answer&);
void ask_by_key();
void of_readme(const std::vector<std::string>& keys) {{ {body} }}
void of_hashes(const crivo::Filter& filter, const crivo::Mphf& mphf, const crivo::Store& store,
               crivo::Store::Reader& reader, const std::string& key) {{ {of_hashes} }}
void of_trust() {{ {of_trust} (void)urls; }}
struct MyHttpSource : crivo::ByteSource {{
  explicit MyHttpSource(const std::string&) {{}}
  crivo::FileEnds ends(std::uint64_t, std::uint64_t) override {{ return {{}}; }}
  std::vector<std::vector<std::byte>> read(std::span<const crivo::ByteRange>) override {{ return {{}}; }}
}};
void block();
void of_file_here(const crivo::Trust& trust) {{ {of_file_here} }}
void of_remote(const std::string& url) {{ {of_remote} }}
bool serve();
void answer(const crivo::Store::Answer&);
void of_shared(const std::string& key) {{ {of_shared} }}
void of_lexicon() {{ {of_lexicon} (void)term; }}
"""
        path = self.write("fragments.cpp", code.encode())
        compile_it = ["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{pages.ROOT}/include", path]
        made = subprocess.run(compile_it, cwd=self.dir, capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_the_example_is_the_one_that_is_built(self):
        (listing,) = [block for language, block in pages.all_blocks() if language == "cpp" and "int main" in "\n".join(block)]
        self.assertEqual("\n".join(listing) + "\n", pages.text_of("tools/examples/lookup.cpp"))

    def test_examples_of_uses_are_short(self):
        """tests/cli/test_install.py builds and runs them."""
        examples = list(pages.ROOT.glob("tools/examples/uses/*"))
        self.assertEqual(len(examples), 6)
        for example in examples:
            self.assertLessEqual(example.read_text(encoding="utf-8").count("\n"), 25, example.name)


if __name__ == "__main__":
    sys.exit(unittest.main())
