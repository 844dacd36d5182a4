# SPDX-License-Identifier: Apache-2.0
"""How many files that are there an option, a type of filter, a kind of index, a format of collections and a field of info touch, when they are added as
tools/doc/contributing.md says: each is added to a copy of the tree, which is built and asked. The new files lie beside
this one, below type/ and kind/."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPIED = ("CMakeLists.txt", "LICENSE", "README.md", "formats", "include", "src", "tools")
MOST = {"option": 3, "type": 4, "kind": 6, "collection": 2, "field": 2}  # one of a type's is its row in formats/

# Of each trial the files that are there, and in each what stands before what is put in.
EDITS = {
    "option": {
        "include/crivo/build/options.hpp": [
            ("struct FilterOptions {\n", "  unsigned spare = 0;  ///< percent of bits beyond those that are asked for\n"),
            ("        filter.semi_sorted);\n", """  visit(Choice{.name = "spare",
               .option = "spare",
               .help = "percent of bits beyond those that are asked for (bloom)",
               .takers = "bloom",
               .value_name = "PERCENT",
               .high = 100},
        filter.spare);
"""),
        ],
        "src/structures/bloom/build/shape.cpp": [
            ("    cells = checked(cells_for_fpr(capacity, hashes, fpr));\n  }\n",
             "  cells = checked(static_cast<Uint128>(cells) * (100 + options.spare) / 100);\n"),
        ],
    },
    "type": {
        "src/file/section_types.hpp": [
            ("inline constexpr std::uint32_t kHashCompactionSection = 38;\n", "inline constexpr std::uint32_t kTrialSection = 40;\n"),
            ('"hash-compaction", "hash-compaction.md"},\n', '    SectionType{kTrialSection, "trial", "ribbon.md"},\n'),
        ],
        "src/structures/filter_registry.cpp": [
            ('#include "structures/split_block/split_block.hpp"\n', '#include "structures/trial/trial.hpp"\n'),
            ("         .open = open_hash_compaction},\n",
             '    Type{.name = "trial", .section_type = file::kTrialSection, .open = open_trial},\n'),
        ],
        "src/structures/build/filter_registry.cpp": [
            ('#include "structures/split_block/build/split_block.hpp"\n', '#include "structures/trial/build/trial.hpp"\n'),
            ("            .build_whole = build_hash_compaction},\n", """    Builder{.name = "trial",
            .cost = {.phases = {{{"filter", 80}}}, .thread_bytes = 12e6},
            .variants = {{{67, 92}}},
            .forecast = forecast_trial,
            .plan = plan_trial},
"""),
        ],
        "formats/crivo-1.md": [("| 38 | hash-compaction | filter | hash-compaction.md |\n", "| 40 | trial | filter | ribbon.md |\n")],
    },
    "kind": {
        "src/file/kind.hpp": [
            ("  dictionary = 13,\n", "  bag = 16,\n"),
            ("inline constexpr KindSections kFunctionsOfValues{48, 63};\n", """inline constexpr std::array kSectionsOfBags{KindSections{kLeavesSection}, KindSections{kBagSection},
                                            KindSections{kMetadataSection}};
"""),
            ("inline constexpr std::array kKinds{\n",
             '    KindRow{.kind = Kind::bag, .name = "bag", .noun = "a bag", .sections = kSectionsOfBags},\n'),
        ],
        "src/file/section_types.hpp": [
            ("inline constexpr std::uint32_t kPartSignaturesSection = 107;\n", "inline constexpr std::uint32_t kBagSection = 110;\n"),
            ('"part signatures", "parts.md"},\n', '    SectionType{kBagSection, "bag", "ribbon.md"},\n'),
        ],
        "src/lookup/kinds.cpp": [
            ('#include "base/as_error.hpp"\n', '#include "lookup/bag_kind.hpp"\n'),
            ("constexpr std::array kRows{\n", """    IndexKind{.kind = file::Kind::bag,
              .name = "bag",
              .open = index::open_bag,
              .describe = index::describe_bag},
"""),
        ],
        "src/build/kinds.cpp": [
            ('#include "crivo/dictionary.hpp"\n', '#include "crivo/bag.hpp"\n'),
            ("    index::check_exact);\n", """
constexpr KindBuilder kBag = row<BagOptions, build_bag, estimate_bag>(
    file::Kind::bag,
    {.name = "bag",
     .help = "key -> in the bag, or surely not\\n\\nExample: crivo build bag keys.txt -o keys.crv"},
    nullptr);
"""),
            ("constexpr std::array kKinds{", "kBag, "),
        ],
        "formats/crivo-1.md": [("| 107 | part signatures | part, manifest | parts.md |\n", "| 110 | bag | bag | ribbon.md |\n")],
    },
    "field": {
        "src/lookup/describe_kinds.cpp": [
            ("  info.value_bits = map.function().width();\n",
             '  info.rows.push_back({"spare_bits", std::uint64_t{64 - info.value_bits}, "spare bits", "some"});\n'),
        ],
    },
    "collection": {
        "include/crivo/build/extract.hpp": [("each payload is a key as it stands\n", "  titles,  ///< a line \"# TITLE\" begins a document\n")],
        "src/collections/formats.hpp": [
            ("OpenReader payload_reader;\n", "OpenReader titles_reader;\n"),
            ("Begins begins_fastq;\n", "Begins begins_titles;\n"),
            ("payload_reader, Format::bytes},\n",
             '    Format{{Collection::titles, "titles", std::span(kDocuments).last(1)}, begins_titles, titles_reader},\n'),
        ],
    },
}


def add(trial, tree):
    """Adds a trial to a tree, and gives the files that were there and changed."""
    for name, edits in EDITS[trial].items():
        file = tree / name
        text = file.read_text()
        for after, more in edits:
            if text.count(after) != 1:
                raise AssertionError(f"{name} has not one place for the trial {trial}: {after}")
            text = text.replace(after, after + more)
        file.write_text(text)
    if (HERE / trial).is_dir():
        for file in (HERE / trial).rglob("*.[ch]pp"):
            new = tree / file.relative_to(HERE / trial)
            if new.exists():
                raise AssertionError(f"{new} is there")
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, new)
    return sorted(EDITS[trial])


class Trials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = pathlib.Path(os.environ["CRIVO_TRIALS"])
        shutil.rmtree(cls.tree, ignore_errors=True)
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            cls.tree.mkdir(parents=True, exist_ok=True)
            copy(ROOT / name, cls.tree / name)

    def run_crivo(self, *arguments, text=""):
        done = subprocess.run([self.tree / "build/bin/crivo", *arguments], input=text, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_additions(self):
        for trial, most in MOST.items():
            touched = add(trial, self.tree)
            print(f"{trial}: {len(touched)} of {most}: " + ", ".join(touched), file=sys.stderr)
            self.assertLessEqual(len(touched), most)
        off = [f"-DCRIVO_{part}=OFF" for part in ("TESTS", "APPS", "BENCH", "EXPERIMENTS", "SHARED", "INSTALL")]
        subprocess.run(["cmake", "-S", self.tree, "-B", self.tree / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_CXX_FLAGS_RELEASE=-O0", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=48", *off],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", self.tree / "build", "--target", "crivo-cli"], check=True, stdout=subprocess.DEVNULL)
        keys = self.tree / "keys.txt"
        keys.write_text("".join(f"key{i}\n" for i in range(1000)))
        bag, trial = self.tree / "bag.crv", self.tree / "trial.crv"
        self.run_crivo("build", "bag", keys, "--bits", "16", "-o", bag)
        self.assertEqual(self.run_crivo("query", bag, "-", text="key7\n"), "key7\tin\n")
        self.assertIn("bag", self.run_crivo("info", bag))
        self.run_crivo("build", "filter", keys, "--type", "trial", "-o", trial)
        self.run_crivo("verify", trial, "--keys", keys)
        docs = self.tree / "docs"
        docs.write_text("# one\ntext\n# two\n")
        for options in ([], ["--from", "titles"]):
            self.assertEqual(self.run_crivo("extract", "docnos", docs, *options), "one\ntwo\n")
        self.assertIn('"spare_bits":54', self.run_crivo("build", "map", keys, "-o", trial, "--force", "--json").replace(" ", ""))
        self.assertIn("spare bits          some\n", self.run_crivo("info", trial))
        sizes = []
        for spare in ("0", "100"):
            self.run_crivo("build", "filter", keys, "--type", "bloom", "--spare", spare, "-o", trial, "--force")
            sizes.append(trial.stat().st_size)
        self.assertGreater(sizes[1], 1.5 * sizes[0])


if __name__ == "__main__":
    unittest.main()
