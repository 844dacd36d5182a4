# SPDX-License-Identifier: Apache-2.0
"""Filter sets: group -> a filter of its keys."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys

import minisign
from harness import CRIVO, ENVIRONMENT, PACKERS, CrivoTest, lines

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "formats"))
import reader  # pylint: disable=wrong-import-position,wrong-import-order

NAMES = [b"part-%d.parquet" % i for i in range(30)] + [b"it's;a \"name\"", b"z\xff", b"-", b" ", b"a" * 255, b"--group"]
# Each type and layout.
KINDS = [("--type", kind) for kind in ("ribbon", "fuse", "split-block-bloom", "bloom")] + [("--type", "bloom", "--layout", "blocks")]


class FilterSets(CrivoTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(5)
        self.groups = {name: {b"key %d" % rng.randrange(3_000) for _ in range(rng.choice((1, 20, 500)))} for name in NAMES}
        self.pairs = [name + b"\t" + key for name, keys in self.groups.items() for key in keys]
        rng.shuffle(self.pairs)
        self.write("pairs.tsv", lines(self.pairs))
        self.keys = sorted(set().union(*self.groups.values()))

    def bytes_of(self, name):
        return (self.dir / name).read_bytes()

    def build(self, name, *options):
        self.crivo("build", "filterset", "pairs.tsv", "-o", name, *options)

    def found(self, name, keys, *options):
        """{key: its groups}"""
        found = {}
        for line in self.crivo("query", name, "-", *options, stdin=lines(keys)).out.splitlines():
            key, group = line.split(b"\t")
            found.setdefault(key, []).append(group)
        return found

    def test_no_key_is_missed(self):
        for options in KINDS:
            with self.subTest(options=options):
                kind = options[1]
                self.build(kind, "--fpr", "1%", "-f", *options)
                found = self.found(kind, self.keys)
                wrong = 0
                for key in self.keys:
                    groups = [] if found[key] == [b"-"] and key not in self.groups[b"-"] else found[key]
                    self.assertEqual(groups, sorted(groups))
                    own = {name for name, keys in self.groups.items() if key in keys}
                    self.assertLessEqual(own, set(groups))
                    wrong += len(set(groups) - own)
                asked = len(self.keys) * len(NAMES) - len(self.pairs)
                self.assertLess(wrong, 0.01 * asked + 5 * (0.01 * asked) ** 0.5)
                self.crivo("verify", kind, "--keys", "pairs.tsv")
                info = json.loads(self.crivo("info", kind, "--json").out)
                self.assertEqual((info["kind"], info["keys"], info["groups"]), ("filterset", len(self.pairs), len(NAMES)))
                opened = reader.open(self.dir / kind)
                opened.verify()
                for key in self.keys[::50]:
                    self.assertEqual(opened.lookup(key) or [b"-"], found[key])

    def test_one_group(self):
        self.build("f", "--fpr", "1e-6")
        for name in (NAMES[3], b"a" * 255, b"z\xff", b"-"):
            answers = self.crivo("query", "f", "-", "--group=" + name.decode(errors="surrogateescape"), stdin=lines(self.keys)).out
            expected = [key + (b"\tmaybe" if key in self.groups[name] else b"\t-") for key in self.keys]
            self.assertEqual(answers, lines(expected))
        self.assertIn(b"is not a group", self.crivo("query", "f", "--group", "no such", "-k", "a", code=2).err)

    def test_groups_of_many_keys(self):
        self.build("f", "--fpr", "1e-6")
        asked = self.keys[::7]
        held = {name: sum(key in keys for key in asked) for name, keys in self.groups.items()}
        for option, least in (("--threshold=40", 40), ("--threshold=5%", -(-len(asked) // 20)), ("--all", len(asked))):
            answers = self.crivo("query", "f", "-", option, stdin=lines(asked)).out
            self.assertEqual(answers, lines(b"%s\t%d" % (name, held[name]) for name in sorted(NAMES) if held[name] >= least))
        two = sorted(self.groups[NAMES[0]])[:2] if len(self.groups[NAMES[0]]) > 1 else [sorted(self.groups[NAMES[0]])[0]]
        answers = self.crivo("query", "f", "-", "--all", stdin=lines(two)).out
        self.assertIn(NAMES[0] + b"\t%d\n" % len(two), answers)
        rows = self.crivo("query", "f", "-", "--threshold", "1", "--limit", "2", "--json", stdin=lines(asked)).json_lines()
        self.assertEqual([row["answer"] for row in rows], [held[name] for name in sorted(name for name in NAMES if held[name])][:2])
        self.crivo("query", "f", "--all", "--threshold", "1", "-k", "a", code=2)
        self.crivo("query", "f", "--threshold", "x", "-k", "a", code=2)

    def test_suffixes(self):
        self.write("hosts.tsv", b"a\tb.example\nb\tb.example\nc\texample\n")
        self.crivo("build", "filterset", "hosts.tsv", "--fpr", "1e-9", "-o", "f")
        asked = lines([b"a.b.example", b"c.example", b"org"])
        expected = b"a.b.example\ta\na.b.example\tb\nc.example\tc\norg\t-\n"
        self.assertEqual(self.crivo("query", "f", "-", "--suffixes", ".", stdin=asked).out, expected)

    def test_limit(self):
        self.build("f")
        every, some = self.found("f", self.keys), self.found("f", self.keys, "--limit", "2")
        self.assertEqual(some, {key: groups[:2] for key, groups in every.items()})

    def test_the_same_bytes_from_any_input(self):
        self.build("f")
        shuffled = sorted(self.pairs) + self.pairs[:100]
        swapped = [b",".join(b'"%s"' % part.replace(b'"', b'""') for part in reversed(pair.split(b"\t"))) for pair in self.pairs]
        self.write("pairs.csv", lines([b"id,file", *swapped]))
        for name, given, options in (
            ("piped", lines(shuffled), ["-", "--threads", "3"]),
            ("split", b"", ["pairs.tsv", "--memory", "9M", "--threads", "1"]),
            ("csv", b"", ["pairs.csv", "--csv", "--header", "--column", "id,file"]),
            ("group", b"", ["pairs.csv", "--csv", "--header", "--group", "2"]),
        ):
            with self.subTest(name):
                self.crivo("build", "filterset", *options, "-o", name, stdin=given)
                self.assertEqual(self.bytes_of(name), self.bytes_of("f"))
        self.crivo("reproduce", "f", "pairs.tsv")

    def write_files(self):
        """A file of keys for each of some groups, plain or compressed: their names in order, and the equal pairs in `pairs`."""
        rng = random.Random(6)
        (self.dir / "in").mkdir(exist_ok=True)
        names = ["b.txt", "in/it's;a.gz", "a.txt", *(f"in/{name}" for name in PACKERS), *(f"in/{i:03}" for i in range(70))]
        table = {}
        for name in names:
            keys = [b"key %d" % number for number in rng.sample(range(3_000), rng.choice((1, 20, 500)))]
            pack = PACKERS.get(name[3:], PACKERS["gzip"] if name.endswith("gz") else bytes)
            self.write(name, pack(b"\n".join(keys)))  # the last line has no end
            table[name.encode()] = set(keys)
        self.pairs_of(table)
        return names, table

    def test_each_file_is_a_group(self):
        names, table = self.write_files()
        self.write("list", lines(name.encode() for name in names[1:]))
        for options in KINDS:
            with self.subTest(options=options):
                self.crivo("build", "filterset", "pairs", "-o", "lines", "-f", *options)
                self.crivo("build", "filterset", *names, "--group-by-file", "-o", "files", "-f", *options)
                self.assertEqual(self.bytes_of("files"), self.bytes_of("lines"))
        listed = (names[0], "--files-from", "list", "--group-by-file")
        self.crivo("build", "filterset", *listed, "-o", "small", "--memory", "9M", "--threads", "3", *KINDS[-1])
        self.assertEqual(self.bytes_of("small"), self.bytes_of("lines"))
        self.crivo("verify", "files", "--keys", *names, "--group-by-file")
        self.crivo("reproduce", "files", *names, "--group-by-file")
        estimate = self.crivo("build", "filterset", *names, "--group-by-file", "-o", "new", "--dry-run", "--json").json()
        self.assertEqual(estimate["keys"], sum(map(len, table.values())))
        self.write("b.txt", b"of no file\n")
        self.assertIn(b"b.txt:1: ", self.crivo("verify", "files", "--keys", *names, "--group-by-file", code=1).err)

    def test_files_of_other_keys(self):
        """Columns, fixed widths, hexadecimal digits and collections are read as by any other build."""
        (self.dir / "in").mkdir()
        for name, keys in (("in/1", [b"abcd", b"efgh"]), ("in/2", [b"abcd"])):
            self.write(name + ".csv", lines([b"n,key", *(b"%d,%s" % pair for pair in enumerate(keys))]))
            self.write(name + ".fixed", b"".join(keys))
            self.write(name + ".hex", lines(key.hex().encode() for key in keys))
            head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://%s/\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
            self.write(name + ".warc", b"".join(head % key for key in keys))
        self.write("in/3.warc", b"")
        for end, options, key in (
            ("csv", ("--csv", "--header", "--column", "key"), b"%s"), ("fixed", ("--fixed", "4"), b"%s"), ("hex", ("--hex",), b"%s"),
            ("warc", ("--from", "warc"), b"http://%s/"),
        ):
            with self.subTest(end):
                names = [f"in/{i}.{end}" for i in (1, 2)]
                given = names + ["in/3.warc"] * (end == "warc")
                self.crivo("build", "filterset", *given, "--group-by-file", *options, "--fpr", "1e-6", "-o", end)
                info = self.crivo("info", end, "--json").json()
                self.assertEqual((info["groups"], info["keys"]), (len(given), 3))
                found = self.found(end, [key % text for text in (b"abcd", b"efgh", b"none")])
                both = [name.encode() for name in names]
                self.assertEqual(found, {key % b"abcd": both, key % b"efgh": both[:1], key % b"none": [b"-"]})

    def test_files_without_keys(self):
        names, table = self.write_files()
        empty = [f"none {i}" for i in range(70)]
        for i, name in enumerate(empty):
            self.write(name, PACKERS["gzip"](b"") if i % 2 else b"")
        everything = sorted({*table, *(name.encode() for name in empty)})
        for options in KINDS:
            with self.subTest(options=options):
                self.crivo("build", "filterset", *empty, *names, "--group-by-file", "-o", "f", "-f", "--fpr", "1e-5", *options)
                self.check_layers("f", table, groups=everything)
                self.crivo("reproduce", "f", *empty, *names, "--group-by-file")
                chain = "chain" + "".join(options)
                self.crivo("filterset", "remove", "f", empty[3], names[0], "-o", chain)
                self.crivo("filterset", "compact", chain)
                left = [name for name in everything if name not in (empty[3].encode(), names[0].encode())]
                rest = {name: keys for name, keys in table.items() if name in left}
                self.check_layers(chain, rest, groups=left)
                self.crivo("build", "filterset", *empty, "--group-by-file", "--allow-empty-set", "-o", "none", "-f", *options)
                self.assertEqual(self.crivo("info", "none", "--json").json()["groups"], len(empty))
                self.assertEqual(self.found("none", [b"key 1"]), {b"key 1": [b"-"]})
                self.crivo("verify", "none")

    def test_files_are_added(self):
        names, table = self.write_files()
        self.crivo("build", "filterset", *names[:-2], "--group-by-file", "-o", "base", "--fpr", "1e-6")
        self.crivo("filterset", "add", "base", *names[-2:], "--group-by-file", "-o", "chain")
        self.check_layers("chain", table)
        self.assertIn(b"already", self.crivo("filterset", "add", "chain", names[0], "--group-by-file", code=3).err)

    def test_files_of_a_collection_are_added(self):
        """The form of their keys stays: k-mers are asked for by their bases, whatever became of the first layer."""
        how = ("--group-by-file", "--from", "fasta", "-k", "8")
        for name in ("a", "b"):
            self.write(name, b">\nACGTACGG" + name.encode().upper().replace(b"B", b"T") + b"\n")
        self.crivo("build", "filterset", "a", *how, "--fpr", "1e-9", "-o", "base")
        self.crivo("filterset", "add", "base", "b", *how, "-o", "chain")
        found = {b"ACGTACGG": [b"a", b"b"], b"CCGTACGT": [b"a", b"b"], b"CGTACGGA": [b"a"], b"CGTACGGT": [b"b"]}
        self.assertEqual(self.found("chain", list(found)), found)
        self.crivo("filterset", "remove", "chain", "a")
        for _ in range(2):
            self.assertEqual(self.found("chain", [b"ACGTACGG", b"CGTACGGA"]), {b"ACGTACGG": [b"b"], b"CGTACGGA": [b"-"]})
            self.crivo("filterset", "compact", "chain")
        self.assertIn(b"--group-by-file", self.crivo("filterset", "add", "chain", "a", "--from", "fasta", code=2).err)

    def test_keys_of_another_form_are_not_added(self):
        """They would not be found: refused by name, and nothing is left; a note says of other files that they are alike."""
        self.write("reads", b">\nACGTACGG\n")
        self.write("more", b">\nACGTACGT\n")
        self.write("text", b"ACGTACGT\n")
        self.write("digits", self.crivo("extract", "kmers", "more", "--from", "fasta", "-k", "8").out)
        of_reads = ("--from", "fasta", "-k", "8")
        for name, *how in (("kmers", "reads", *of_reads), ("fixed", "text", "--fixed", "9"), ("hex", "digits", "--hex"), ("plain", "text")):
            self.crivo("build", "filterset", *how, "--group-by-file", "--fpr", "1e-9", "-o", name)
        as_given, kmers = b"its keys are as they are given", b'its keys are "kmers 8"'
        before = self.listing()
        for name, said, *how in (
            ("fixed", as_given, "more", *of_reads), ("hex", as_given, "more", *of_reads), ("plain", as_given, "more", *of_reads),
            ("kmers", kmers, "more", *of_reads[:-1], "7"), ("kmers", kmers, "text"), ("kmers", kmers, "digits", "--hex"),
        ):
            with self.subTest(name, added=how):
                refused = self.crivo("filterset", "add", name, *how, "--group-by-file", "-o", "chain", code=2).err
                self.assertIn(said, refused)
                self.assertIn(b"crivo.with.keys", refused)
                self.assertEqual(self.listing(), before)
        noted = ("--note", "crivo.with.keys=kmers 8", "--note", "by=hand")
        self.crivo("filterset", "add", "kmers", "digits", "--hex", *noted, "--group-by-file", "-o", "chain")
        self.crivo("filterset", "add", "chain", "more", *of_reads, "--note", "by=hand", "--group-by-file")
        self.assertEqual(self.found("chain", [b"ACGTACGT"]), {b"ACGTACGT": [b"digits", b"more"]})
        self.assertEqual(self.crivo("info", "chain", "--json").json()["metadata"]["by"], "hand")

    def test_what_files_cannot_be(self):
        for name in ("a", "b", "tab\tin it", "a" * 200 + "/" + "b" * 55):
            (self.dir / name).parent.mkdir(exist_ok=True)
            self.write(name, b"key\n")
        self.write("bad", b"key\n\n")
        for arguments, code, said in (
            (("a", "-"), 2, b"input 2 is standard input"),
            ((), 2, b"input 1 is standard input"),
            (("a", "b", "a"), 2, b'inputs 1 and 3 have one name, "a"'),
            (("a", "tab\tin it"), 2, b"input 2: "),
            (("a", "a" * 200 + "/" + "b" * 55), 2, b"255 bytes"),
            (("a", "bad"), 3, b"bad:2: "),
            (("a", "missing"), 5, b"missing"),
            (("a", "--group", "1"), 2, b"--group"),
            (("a", "--from", "lmdb"), 2, b"--from lmdb"),
        ):
            with self.subTest(arguments):
                error = self.crivo("build", "filterset", *arguments, "--group-by-file", "-o", "new", code=code, stdin=b"").err
                self.assertIn(said, error)
        self.assertIn(b"--group-by-file", self.crivo("build", "filterset", "a", "--from", "warc", "-o", "new", code=2).err)
        self.assertFalse((self.dir / "new").exists())

    def test_spilled(self):
        rng = random.Random(8)
        pairs = [b"group %d\tkey %d" % (rng.randrange(500), rng.randrange(10**9)) for _ in range(400_000)]
        self.write("many.tsv", lines(pairs))
        self.crivo("build", "filterset", "many.tsv", "-o", "whole")
        self.crivo("build", "filterset", "many.tsv", "-o", "spilled", "--memory", "9M", "--threads", "2")
        self.assertEqual(self.bytes_of("whole"), self.bytes_of("spilled"))
        self.crivo("verify", "spilled", "--keys", "many.tsv")
        blocks = ("--type", "bloom", "--layout", "blocks")
        self.crivo("build", "filterset", "many.tsv", "-o", "blocks", *blocks)
        self.crivo("build", "filterset", "many.tsv", "-o", "spilled", "-f", "--memory", "9M", "--threads", "2", *blocks)
        self.assertEqual(self.bytes_of("blocks"), self.bytes_of("spilled"))
        self.crivo("reproduce", "blocks", "many.tsv")

    def test_what_is_refused(self):
        for line, said in (
            (b"k", b"no column 2"), (b"\tk", b"empty"), (b"a" * 256 + b"\tk", b"255 bytes"), (b"a\0\tk", b"NUL"), (b"g\t", b"empty")
        ):
            with self.subTest(line[:9]):
                self.write("bad.tsv", b"g\tk\n" + line + b"\n")
                error = self.crivo("build", "filterset", "bad.tsv", "-o", "new", code=3).err
                self.assertIn(b"bad.tsv:2: ", error)
                self.assertIn(said, error)
        self.write("quoted.csv", b'k,g\nk,"a\tb"\n')
        self.assertIn(b"quoted.csv:2", self.crivo("build", "filterset", "quoted.csv", "--csv", "--column", "1,2", "-o", "new", code=3).err)
        self.crivo("build", "filterset", "pairs.tsv", "-o", "new", "--type", "cuckoo", code=2)
        self.assertIn(b"layout", self.crivo("build", "filterset", "pairs.tsv", "-o", "new", "--layout", "blocks", code=2).err)
        self.crivo("build", "filterset", "pairs.tsv", "-o", "new", "--fpr", "0", code=2)
        self.crivo("build", "filterset", "pairs.tsv", "-o", "new", "--fpr", "1e-9", "--type", "split-block-bloom", code=2)
        self.write("names.tsv", lines(b"%0200d\tk" % i for i in range(20_000)))
        self.assertIn(b"names of", self.crivo("build", "filterset", "names.tsv", "-o", "new", "--memory", "9M", code=5).err)
        self.write("one.tsv", lines(b"g\t%d" % i for i in range(300_000)))
        self.assertIn(b"has 300000 keys", self.crivo("build", "filterset", "one.tsv", "-o", "new", "--memory", "9M", code=5).err)
        self.assertFalse((self.dir / "new").exists())

    def test_verify_names_a_key(self):
        self.build("f", "--fpr", "1e-6")
        for pair, said in ((b"no such\tk", b"wrong.tsv:1"), (NAMES[0] + b"\tno such", b"not in its group")):
            self.write("wrong.tsv", pair)
            self.assertIn(said, self.crivo("verify", "f", "--keys", "wrong.tsv", code=1).err)

    def test_damage_is_found(self):
        self.build("f")
        self.build("blocks", "--type", "bloom", "--layout", "blocks")
        rng = random.Random(3)
        for sound in (self.bytes_of("f"), self.bytes_of("blocks")) * 20:
            at = rng.randrange(192, len(sound))
            self.write("damaged", sound[:at] + bytes([sound[at] ^ 1 << rng.randrange(8)]) + sound[at + 1 :])
            self.crivo("verify", "damaged", code=4)

    def test_an_estimate(self):
        for name, options in (("f", ()), ("blocks", ("--type", "bloom", "--layout", "blocks"))):
            estimate = json.loads(self.crivo("build", "filterset", "pairs.tsv", "-o", name, "--dry-run", "--json", *options).out)
            self.build(name, *options)
            self.assertEqual(estimate["keys"], len(self.pairs))
            self.assertLess(abs(estimate["output_bytes"] / len(self.bytes_of(name)) - 1), 0.3)

    def test_the_page(self):
        """What tools/examples/filtersets.md shows by hand."""
        page = (ROOT / "tools" / "examples" / "filtersets.md").read_text(encoding="utf-8")
        session = re.search(r"(?ms)^```text\n(.*?)^```", page)[1]
        environment = dict(ENVIRONMENT, PATH=f"{os.path.dirname(CRIVO)}:{os.environ['PATH']}")
        commands = re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", session)
        self.assertEqual(len(commands), 6)
        for command, shown in commands:
            said = subprocess.run(["sh", "-c", command], cwd=self.dir, env=environment, stdout=subprocess.PIPE, timeout=60, check=True)
            self.assertEqual(said.stdout.decode(), shown, command)

    def test_bench(self):
        self.build("f")
        self.write("keys", lines(self.keys))
        self.crivo("bench", "f", "--keys", "keys")

    def test_layers_are_one_set(self):
        """A chain answers as sets in memory, and compacted as a build of what it has; any way of asking sees all layers."""
        layer = self.walk_layers(12, "--fpr", "1e-6")
        made = [reader.File(self.bytes_of(name)) for name in (layer, "again")]
        for number in (116, 117):
            self.assertEqual(made[0].section(number), made[1].section(number))
        self.assertIn(b"no build makes it again", self.crivo("reproduce", layer, "pairs", code=2).err)

    def test_layers_of_blocks(self):
        self.walk_layers(13, "--fpr", "1e-6", "--type", "bloom", "--layout", "blocks")

    def walk_layers(self, seed, *options):
        """Adds, removes and compacts, and checks each chain; returns the name of the layer that is left, and builds it as `again`."""
        rng = random.Random(seed)
        table = {}

        def new_groups(names):
            for name in names:
                table[name] = {b"key %d" % rng.randrange(400) for _ in range(rng.choice((1, 9, 90)))}
            return self.pairs_of({name: table[name] for name in names})

        self.crivo("build", "filterset", new_groups([b"g%d" % i for i in range(40)]), "-o", "base", "--seed", "5", *options)
        self.crivo("filterset", "add", "base", new_groups([b"a", b"z\xff"]), "-o", "chain")
        for step in range(20):
            dropped = rng.sample(sorted(table), rng.randrange(3))
            for name in dropped:
                del table[name]
            what = rng.choice(("add", "remove", "compact"))
            if what == "add":
                names = [b"s%d-%d" % (step, i) for i in range(rng.randrange(1, 5))] + dropped[:1]  # a name comes back
                self.crivo("filterset", "add", "chain", new_groups(names), *(word for name in dropped for word in (b"--remove", name)))
            elif dropped:
                self.crivo("filterset", "remove", "chain", *dropped, "--snapshot", "now")
                self.assertIn(b"now", self.crivo("info", "chain").out)
            if what == "compact":
                done = json.loads(self.crivo("filterset", "compact", "chain", "--json").out)
                self.assertEqual((done["layers"], done["groups"], done["removed_groups"]), (1, len(table), 0))
                self.assertLess(abs(done["keys"] / sum(map(len, table.values())) - 1), 0.2)
            self.check_layers("chain", table)
        self.crivo("filterset", "compact", "chain")
        self.crivo("build", "filterset", self.pairs_of(table), "-o", "again", "--seed", "5", *options)
        (layer,) = (name.decode() for _, _, name in reader.File(self.bytes_of("chain")).links.files)
        return layer

    def pairs_of(self, table):
        self.write("pairs", lines(name + b"\t" + key for name, keys in table.items() for key in keys))
        return "pairs"

    def check_layers(self, chain, table, groups=None):
        """Whether it answers as `table`, and has `groups`, some of which may have no keys."""
        asked = [b"key %d" % i for i in range(0, 450, 7)]
        right = {key: sorted(name for name in table if key in table[name]) or [b"-"] for key in asked}
        self.assertEqual(self.found(chain, asked), right)
        opened = reader.open(self.dir / chain)
        opened.verify()
        self.assertEqual([opened.lookup(key) or [b"-"] for key in asked], list(right.values()))
        info = json.loads(self.crivo("info", chain, "--json").out)
        self.assertEqual(info["groups"], len(table if groups is None else groups))
        self.crivo("verify", chain, "--keys", self.pairs_of(table))
        name = min(table)
        one = self.crivo("query", chain, "-", b"--group=" + name, stdin=lines(asked)).out
        self.assertEqual(one, lines(key + (b"\tmaybe" if key in table[name] else b"\t-") for key in asked))
        held = {name: sum(key in keys for key in asked) for name, keys in table.items()}
        least = self.crivo("query", chain, "-", "--threshold", "2", stdin=lines(asked)).out
        self.assertEqual(least, lines(b"%s\t%d" % (name, held[name]) for name in sorted(table) if held[name] >= 2))

    def test_what_changes_refuse(self):
        self.build("base", "--fpr", "1%")
        self.write("new.tsv", b"new\tk\n")
        self.write("rows.tsv", b"k\tf\t1\n")
        self.crivo("build", "rows", "rows.tsv", "-o", "rows")
        self.crivo("filterset", "add", "base", "new.tsv", code=2)  # no chain yet
        self.crivo("filterset", "add", "base", "new.tsv", "-o", "chain")
        before = self.bytes_of("chain")
        self.write("bad.tsv", b"g\tk\ng\n")
        for arguments, code, said in (
            (("add", "chain", "new.tsv"), 3, b"already"),
            (("add", "chain", "bad.tsv"), 3, b"bad.tsv:2"),
            (("remove", "chain", "nothing"), 3, b"is no group of"),
            (("compact", "base"), 2, b"no chain"),
            (("add", "rows", "new.tsv", "-o", "other"), 2, b"filter set"),
            (("add", "missing", "new.tsv"), 5, b"missing"),
        ):
            with self.subTest(arguments):
                self.assertIn(said, self.crivo("filterset", *arguments, code=code).err)
        self.crivo("rows", "add", "chain", "rows.tsv", code=2)
        self.assertEqual((self.bytes_of("chain"), [path.name for path in self.dir.glob("chain.*")]), (before, ["chain.1.groups"]))
        self.write("chain.1.groups", self.bytes_of("chain.1.groups")[:-1] + b"x")
        self.crivo("query", "chain", "--key", "k", code=4)

    def test_signed(self):
        self.build("base")
        self.write("new.csv", b"file,id\nnew,k\n")
        self.crivo("filterset", "add", "base", "new.csv", "--csv", "--header", "--group", "file", "--column", "id", "-o", "chain")
        key = minisign.Key()
        self.write("key", key.secret_file())
        self.write("key.pub", key.public_file)
        self.crivo("query", "chain", "--key", "k", "--public-key", "key.pub", code=4)
        self.crivo("sign", "chain", "--secret-key", "key")
        self.assertIn(b"k\tnew\n", self.crivo("query", "chain", "--key", "k", "--public-key", "key.pub").out)
        self.crivo("query", "chain", "--all", "--key", "k", "--public-key", "key.pub")
