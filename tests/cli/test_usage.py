# SPDX-License-Identifier: Apache-2.0
"""The command line itself: usage errors, refusals, where output goes."""

import json
import os
import re

from harness import KINDS, SANITIZED, CrivoTest, files_of, urls

COMMANDS = ("build", "query", "get", "info", "verify", "sign", "publish", "fetch", "reproduce", "filter", "store", "dump",
            "sort", "extract", "dedup", "bench", "gen", "partition", "merge", "manifest", "help", "version")
EVERY_KIND = (*KINDS, "dictionary", "exact", "filterset", "rows")
TOPICS = (*EVERY_KIND, "input", "opening", "resources", "output", "exit-codes")
SUBCOMMANDS = {"build": KINDS, "filter": ("add", "remove", "count", "union", "intersect", "diff", "advise"),
               "store": ("set", "remove", "compact")}


class CommandLine(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(50)
        self.write_keys(self.keys, "k")

    def test_help(self):
        self.assertIn(b"build", self.crivo("--help").out)
        for command in COMMANDS:
            result = self.crivo(command, "--help")
            self.assertIn(command.encode(), result.out)
            self.assertEqual(result.err, b"")
        for kind in KINDS:
            self.assertIn(b"--force", self.crivo("build", kind, "--help").out)

    def test_help_of_every_command_has_an_example(self):
        commands = [[]] + [[name] for name in COMMANDS]
        commands += [[name, sub] for name, subs in SUBCOMMANDS.items() for sub in subs]
        for command in commands:
            with self.subTest(command=command):
                text = self.crivo(*command, "--help").out
                self.assertRegex(text, rb"\nExample: (printf .* )?crivo ")
                self.assertIn(b"Usage: " + " ".join(["crivo", *command]).encode(), text)
                if command not in (["filter"], ["store"]):  # which are kinds, too
                    self.assertEqual(self.crivo("help", *command).out, text)
                self.fits_a_screen(text)
        listed = self.crivo("--help").out.split(b"Build:")[1]
        for name in COMMANDS:
            self.assertRegex(listed, rb"(?m)^  %s\s" % name.encode())
        self.assertIn(b"messages count from 1", self.crivo("help").out)
        self.assertIn(b"did you mean query?", self.crivo("help", "qery", code=2).err)
        self.assertIn(b"did you mean exit-codes?", self.crivo("help", "exit-code", code=2).err)
        self.crivo("help", "build", "sieve", code=2)
        self.crivo("sieve", "--help", code=2)

    def fits_a_screen(self, text):
        self.assertLessEqual(text.count(b"\n"), 60)
        self.assertLessEqual(max(map(len, text.decode().splitlines())), 100)

    def test_topics(self):
        """Each is listed, has a page, and tells of every option that commands only name."""
        listed = self.crivo("help", "--help").out
        explained = {}
        for topic in TOPICS:
            with self.subTest(topic=topic):
                self.assertRegex(listed, rb"(?m)^  %s\s" % topic.encode())
                text = self.crivo("help", topic).out
                self.fits_a_screen(text)
                explained[topic] = set(re.findall(r"^  (-[^ ]+)", text.decode(), re.M))
                if topic in EVERY_KIND:
                    self.assertRegex(text, rb"(?s)Use it .*It costs .*Errors .*\nExample: crivo build %s " % topic.encode())
        told = self.crivo("--help").out.decode()
        for topic in TOPICS:
            self.assertRegex(told, rf"\b{topic}\b")
        for command in (("build", "filter"), ("build", "store"), ("query",), ("verify",), ("partition",)):
            text = self.crivo(*command, "--help").out.decode()
            named = re.findall(r"\(see crivo help ([\w-]+)\):\n((?:  .*\n)+)", text)
            self.assertGreater(len(named), 1)
            for topic, names in named:
                self.assertLessEqual(set(names.split()), explained[topic])

    def test_help_fits_a_screen_and_is_what_no_command_gets(self):
        text = self.crivo("--help").out
        self.fits_a_screen(text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        result = self.run_crivo()
        self.assertEqual((result.code, result.out, result.err), (2, b"", text))

    def test_what_is_said_of_the_work_is_on_standard_error(self):
        self.write("one", b"a\n")
        self.write("pair", b"a\tr\n")
        for said, args in (
            (b"fuse filter of 1 key, ", ("build", "filter", "one", "-o", "f", "--type", "fuse")),
            (b"fast store of 1 key, ", ("build", "store", "pair", "-o", "s")),
            (b"f: every checksum holds, and each of 1 key has", ("verify", "f", "--keys", "one")),
            (b"o: 1 of 1 key, ", ("sort", "one", "-o", "o")),
            (b"l: 1 distinct of 1 key, from 1 record, of which 0 are bad\n", ("extract", "lines", "one", "-o", "l")),
            (b"d: 1 of 1 line\nseen: 1 seen, ", ("dedup", "one", "--seen", "seen", "--capacity", 9, "-o", "d")),
            (b"s: 1 record set: 0 of new keys, 0 replaced, 1 unchanged; 1 record in all\n", ("store", "set", "s", "pair")),
            (b"s: 1 record removed; 0 records in all\n", ("store", "remove", "s", "one")),
            (b"dealt: 1 key from 1 part of the input; ", ("partition", "one", "--shards", 1, "-o", "dealt")),
        ):
            with self.subTest(args=args):
                done = self.crivo(*args)
                self.assertEqual(done.out, b"")
                self.assertIn(said, done.err)

    def test_errors_under_json_are_json(self):
        self.write("twice", b"a\nb\na\n")
        mphf = self.build("mphf", self.keys)
        for args, code, place in (
            (("build", "mphf", "twice", "-o", "x", "--json"), 3, {"file": "twice", "line": 3}),
            (("build", "mphf", "none", "-o", "x", "--json"), 5, {}),
            (("build", "mphf", "twice", "--json"), 2, {}),
            (("--json", "sieve"), 2, {}),
            (("info", "--json", "twice"), 4, {}),
            (("query", mphf, "--json", "none"), 5, {}),
        ):
            with self.subTest(args=args):
                result = self.run_crivo(*args)
                self.assertEqual(result.code, code)
                said = json.loads(result.err)
                self.assertEqual((said["schema"], said["exit_code"]), (1, code))
                self.assertEqual({**said, **place}, said)
                plain = self.run_crivo(*(arg for arg in args if arg != "--json"))
                if args[0] != "--json":
                    self.assertEqual(plain.err.decode(), f"crivo: {said['error']}\n")

    def test_info_of_many_files(self):
        paths = [self.build(kind, self.keys) for kind in KINDS]
        rows = self.crivo("info", *paths, "--json").json_lines()
        self.assertEqual([(row["file"], row["kind"]) for row in rows], list(zip(paths, KINDS, strict=True)))
        text = self.crivo("info", *paths).out.decode()
        self.assertEqual([part.splitlines()[0].split() for part in text.split("\n\n")], [["file", path] for path in paths])
        result = self.crivo("info", paths[0], "none", paths[1], code=5)
        self.assertEqual(result.out.decode(), "\n\n".join(text.rstrip("\n").split("\n\n")[:2]) + "\n")
        self.assertIn(b"none", result.err)

    def test_version(self):
        self.assertRegex(self.crivo("--version").out, rb"\d+\.\d+")
        for form in ("-V", "version"):
            self.assertEqual(self.crivo(form).out, self.crivo("--version").out)

    def test_did_you_mean(self):
        for args, meant in (
            (("buld",), b"build"),
            (("quer", "x"), b"query"),
            (("build", "filtre", "k"), b"filter"),
            (("filter", "unoin"), b"union"),
            (("build", "mphf", "k", "--signatur", "8"), b"--signature"),
            (("build", "mphf", "k", "-o", "x", "--thread=2"), b"--threads"),
            (("build", "filter", "k", "-o", "x", "--type", "blom"), b"bloom"),
            (("build", "mphf", "k", "-o", "x", "--algorithm", "comapct"), b"compact"),
            (("build", "mphf", "k", "-o", "x", "--duplicates", "ingore"), b"ignore"),
            (("query", "x", "--open", "preloda"), b"preload"),
        ):
            with self.subTest(args=args):
                self.assertIn(b"did you mean %s?" % meant, self.crivo(*args, code=2).err)
        for args in (("sieve",), ("build", "mphf", "k", "-o", "x", "--sieve"), ("build", "mphf", "k", "-o", "x", "-z")):
            with self.subTest(args=args):
                error = self.crivo(*args, code=2).err
                self.assertNotIn(b"mean", error)
                self.assertIn(args[-1].encode(), error)
        self.assertEqual(self.listing(), ["k"])

    def test_a_file_named_as_a_command(self):
        self.write_keys(self.keys, "filter")
        self.crivo("build", "mphf", "filter", "-o", "map")
        self.crivo("verify", "map", "--keys", "filter")
        self.crivo("build", "filter", "filter", "-o", "bloom", "--type", "bloom")
        self.write_keys([b"another"], "remove")
        self.crivo("filter", "add", "bloom", "remove")

    def test_dash_as_a_path(self):
        mphf = self.build("mphf", self.keys)
        for args in (
            ("build", "mphf", "k", "-o", "-"),
            ("build", "store", "k", "-o", "-"),
            ("filter", "union", "a", "b", "-o", "-"),
        ):
            self.assertIn(b"standard output", self.crivo(*args, code=2).err)
        for args in (
            ("query", "-"),
            ("query", "-", "k"),
            ("get", "-", "key"),
            ("info", "-"),
            ("verify", "-"),
            ("bench", "-", "--keys", "k"),
            ("filter", "add", "-", "k"),
            ("filter", "remove", "-", "k"),
            ("filter", "diff", "-", "-"),
            ("filter", "count", "-"),
            ("filter", "union", "-", "-", "-o", "u"),
        ):
            self.assertIn(b"standard input", self.crivo(*args, code=2).err)
        self.crivo("build", "mphf", "k", "-o", "./-")
        self.assertEqual(self.query("./-", self.keys), self.query(mphf, self.keys))

    def test_wrong_usage(self):
        mphf = self.build("mphf", self.keys)
        for args in (
            ("sieve",),
            ("build",),
            ("build", "sieve", "k", "-o", "x"),
            ("build", "mphf", "k"),
            ("build", "mphf", "k", "-o", "x", "--sieve"),
            ("build", "mphf", "k", "-o", "x", "--algorithm", "sieve"),
            ("build", "mphf", "k", "-o", "x", "--effort", "1"),
            ("build", "mphf", "k", "-o", "x", "--effort", "-1"),
            ("build", "mphf", "k", "-o", "x", "--algorithm", "compact", "--effort", "3"),
            ("build", "mphf", "k", "-o", "x", "--dry-run", "--algorithm", "compact", "--effort", "3"),
            ("build", "mphf", "k", "-o", "x", "--signature", "7"),
            ("build", "mphf", "k", "-o", "x", "--signature", "64"),
            ("build", "mphf", "k", "-o", "x", "--threads", "-1"),
            ("build", "mphf", "k", "-o", "x", "--threads", "two"),
            ("build", "mphf", "k", "-o", "x", "--seed", "sieve"),
            ("build", "mphf", "k", "-o", "x", "--fixed", "0"),
            ("build", "mphf", "k", "-o", "x", "--fixed", "8", "--null"),
            ("build", "mphf", "k", "-o", "x", "--progress", "sometimes"),
            ("build", "filter", "k", "-o", "x", "--type", "sieve"),
            ("build", "filter", "k", "-o", "x", "--bits", "0"),
            ("build", "filter", "k", "-o", "x", "--bits", "33"),
            ("build", "filter", "k", "-o", "x", "--fpr", "0"),
            ("build", "filter", "k", "-o", "x", "--fpr", "1.5"),
            ("build", "filter", "k", "-o", "x", "--fpr", "few"),
            ("build", "map", "k", "-o", "x", "--algorithm", "sieve"),
            ("build", "map", "k", "-o", "x", "--value-bits", "0"),
            ("build", "map", "k", "-o", "x", "--value-bits", "65"),
            ("build", "map", "k", "-o", "x", "--signature", "9"),
            ("build", "map", "k", "-o", "x", "--arity", "3"),
            ("build", "map", "k", "-o", "x", "--algorithm", "fuse", "--arity", "5"),
            ("build", "map", "k", "-o", "x", "--algorithm", "fuse", "--compress"),
            ("build", "map", "k", "-o", "x", "--values", "--fixed", "8"),
            ("build", "map", "k", "-o", "x", "--values", "--fixed", "8", "--dry-run"),
            ("verify", mphf, "--keys", "k", "--values"),
            ("query",),
            ("query", mphf, "k", "--sieve"),
            ("get", mphf),
            ("info",),
            ("verify",),
            ("bench", mphf),
            ("gen", "urls"),
            ("gen", "sieves", "-n", "5"),
            ("gen", "urls", "-n", "-5"),
            ("gen", "urls", "-n", "many"),
        ):
            with self.subTest(args=args):
                result = self.crivo(*args, code=2)
                self.assertEqual(result.out, b"")
        self.assertEqual(self.listing(), ["k", mphf, f"{mphf}.in"])

    def test_keys_on_standard_input(self):
        """They need no name; where nothing is sent, one is required."""
        data = (self.dir / "k").read_bytes()
        self.crivo("build", "mphf", "-o", "x", stdin=data)
        self.crivo("verify", "x", "--keys", "k")
        self.assertEqual(self.crivo("sort", "-o", "sorted", "-q", stdin=data).out, b"")
        self.assertEqual(self.crivo("extract", "lines", stdin=data).out, (self.dir / "sorted").read_bytes())
        self.crivo("partition", "--shards", 2, "-o", "dealt", "-q", stdin=data)
        with open(os.devnull, "rb") as nothing:
            for args in (("build", "mphf", "-o", "y"), ("sort", "-o", "y"), ("extract", "urls"), ("partition", "--shards", 2, "-o", "y")):
                self.assertIn(b" is required: files, or a pipe", self.crivo(*args, stdin=nothing, code=2).err)
        self.crivo("build", "mphf", "--shard", "0/2", "-o", "y", stdin=data, code=2)

    def test_files_from_a_list(self):
        """Of every command that reads keys: a line each, or before a NUL."""
        self.write_keys(self.keys[:20], "one")
        self.write_keys(self.keys[20:], "and two")
        self.write("list", b"one\nand two\n\n")
        self.write("nul", b"one\0and two\0")
        self.crivo("build", "mphf", "k", "-o", "expected")
        for given in (("--files-from", "list"), ("--files-from", "nul"), ("one", "--files-from", "-")):
            stdin = b"and two" if given[0] == "one" else b""
            self.crivo("build", "mphf", *given, "-o", "x", "--force", stdin=stdin)
            self.assertEqual((self.dir / "x").read_bytes(), (self.dir / "expected").read_bytes())
        records = b"".join(key + b"\tr\n" for key in self.keys)
        self.write("records", records)
        self.crivo("build", "store", "records", "-o", "store")
        self.crivo("build", "filter", "k", "-o", "f", "--type", "counting-bloom", "--capacity", "1k")
        whole, listed = ("k",), ("--files-from", "list")
        for args, place in (
            (("query", "x"), None), (("dedup", "--exact"), None), (("extract", "lines"), None), (("sort", "-o", "sorted", "-f"), "sorted"),
            (("partition", "--shards", 2, "-o", "dealt", "-q", "-f"), None), (("reproduce", "x"), None), (("filter", "count", "f"), None),
            (("filter", "add", "f"), None), (("filter", "remove", "f"), None), (("store", "remove", "store", "-q"), None),
        ):  # fmt: skip
            expected = self.crivo(*args, *whole).out
            expected = (self.dir / place).read_bytes() if place else expected
            found = self.crivo(*args, *listed).out
            self.assertEqual((self.dir / place).read_bytes() if place else found, expected, args)
        self.write("other", b"records")
        self.crivo("store", "set", "store", "--files-from", "other", "-q")
        self.crivo("verify", "x", *listed)
        self.crivo("bench", "x", *listed)
        for args, said in (
            (("--files-from", "none"), b"none: cannot open"), (("--files-from", "."), b".: cannot read"),
            (("-", "--files-from", "-"), b"can be read only once"), (("--files-from", "empty"), b"empty: lists no files"),
        ):  # fmt: skip
            self.write("empty", b"\n")
            self.assertIn(said, self.crivo("build", "mphf", *args, "-o", "y", code=(2, 5), stdin=b"k\n").err)

    def test_bits_a_key_are_not_said_more_finely_than_they_are(self):
        for count, bits in ((1, rb"[0-9]{4,}"), (5000, rb"[0-9]{1,2}\.[0-9]{3}")):
            said = self.crivo("build", "mphf", "-", "-o", "m", "-f", stdin=b"".join(b"k%d\n" % i for i in range(count))).err
            self.assertRegex(said, b", " + bits + b" bits/key; ")

    def test_messages_that_say_what_is_meant(self):
        mphf = self.build("mphf", self.keys)
        store = self.build("store", self.keys)
        self.crivo("build", "exact", "--members", "k", "--universe", "k", "-o", "e")
        self.crivo("partition", "k", "--shards", 2, "-o", "dealt", "-q")
        os.mkfifo(self.dir / "pipe")
        url = "https://user:secret@a.example/x"
        for args, said, code in (
            (("build", "k"), b'unknown command "k" of crivo build: use mphf, filter, ', 2),
            (("build", "k"), b' or exact, as in "crivo build mphf k" (see crivo build --help)\n', 2),
            (("build", "mphf", "dealt", "-o", "x"), b"dealt: is a partition, which is built in shards; use --shard I/N", 2),
            (("filter", "add", store, "k"), b"is a directory, not a file", 2),
            (("store", "set", mphf, "k"), b"is a file, not a directory", 2),
            (("build", "mphf", "k", "-o", "pipe"), b"pipe: is a pipe or a device", 2),
            (("build", "mphf", "k", "-o", "dealt"), b"dealt: is a directory, not a file", 2),
            (("get", store, "--prefix", "a"), b"(build store --ordered --backend flat)", 2),
            (("info", url), b"https://a.example/x: name the --public-key of its maker", 2),
            (("verify", url), b"https://a.example/x: name the --public-key of its maker", 2),
            (("get", url, "x"), b"https://a.example/x: name the --public-key of its maker", 2),
            (("dump", url), b"URLs are read by crivo query, get, info and verify; crivo fetch brings", 2),
            (("verify", url, "--unsigned", "--keys", "k"), b"--keys and --tables need a file, not a URL", 2),
            (("info", mphf, "--unsigned"), b"--unsigned needs a URL, not a path", 2),
            (("build", "mphf", url, "-o", "x"), b"https://a.example/x: cannot open", 5),
            (("query", mphf, url), b"https://a.example/x: cannot open", 5),
            (("build", "mphf", "k", "-o", url), b"https://a.example", 5),
            (("build", "mphf", "k", "-o", "x", "-f", "--resume", url), b"https://a.example/x: cannot make", 5),
            (("query", url, "k"), b"https://a.example/x: name the --public-key", 2),
        ):
            with self.subTest(args=args):
                for more in ((), ("--json",)):
                    ran = self.crivo(*args, *(more if args != ("build", "k") else ()), code=code)
                    self.assertIn(said, ran.err.replace(b'\\"', b'"'))
                    self.assertNotIn(b"secret", ran.err)
        self.assertEqual(self.crivo("--help", "build").out, self.crivo("help", "build").out)

    def test_a_budget_that_is_too_small_names_one_that_is_not(self):
        """In the units of the option: what is said to be needed is enough."""
        ints = self.crivo("gen", "ints", "-n", "300k").out
        self.write("ints", ints)
        said = self.crivo("build", "mphf", "ints", "-o", "x", "--memory", "4M", code=5).err.decode()
        found = re.fullmatch(r"crivo: --memory: 4 MiB is too small: a build of \d+ keys or more needs at least ([0-9.]+ MiB)\n", said)
        need = found[1].replace(" ", "")
        self.assertRegex(said, r" of \d\d0+ keys or more")  # which is an estimate
        self.crivo("build", "mphf", "ints", "-o", "x", "--memory", need)
        dry = self.crivo("build", "mphf", "ints", "-o", "x", "-f", "--dry-run").out.decode()
        least = re.search(r"at least ([0-9.]+) (.)iB", dry)
        self.crivo("build", "mphf", "ints", "-o", "x", "-f", "--memory", least[1] + least[2])

    def commands(self):
        """Each as a list of words: those of build, filter and store one by one."""
        for name in re.findall(r"(?m)^  ([a-z]+)  +", self.crivo("--help").out.decode().partition("Build:")[2]):
            if name in ("help", "version"):
                continue
            page = self.crivo(name, "--help").out.decode()
            own = page.partition("\n\nKinds:\n")[2] or page.partition("\n\nCommands:\n")[2]
            yield from ([name, one] for one in re.findall(r"(?m)^  ([a-z]+)  +", own)) if own else [[name]]

    def test_every_number_passes_one_reader(self):
        """Of each option of each command whose help shows that it takes a number."""
        kinds = r"(?:N|L|S|ID|BITS|BYTES|SIZE|SECONDS|P|I/N|J/M|N\|random\[:N\])(?:[:=]\S*)?"
        numbers = rf"(?m)^  (?:-\w,)?(--?[a-z][a-z-]*) ({kinds})(?: |$)|^  (?:-\w,)?(--hashes|--skip|-k) (K)\b"
        def listed_in(page):
            listed = [(found[0] or found[2], found[1] or found[3]) for found in re.findall(numbers, page)]
            return [one for one in listed if one[0] not in ("--prefix", "--fuzzy")]  # which take texts, too

        topics = {topic: listed_in(self.crivo("help", topic).out.decode()) for topic in ("input", "resources", "output", "opening")}
        tried = set()
        for command in self.commands():
            page = self.crivo(*command, "--help").out.decode()
            self.assertNotRegex(page, r"--[a-z-]+ (U?INT|FLOAT)\b", f"{command}: read by CLI11")
            options = listed_in(page)
            for topic, listed in topics.items():
                shown = page.partition(f"(see crivo help {topic}):")[2].partition("\n\n")[0].replace(",", " ").split()
                options += [(option, kind) for option, kind in listed if option in shown]
            new = [(option, kind) for option, kind in options if (option, command[0]) not in tried]
            for option, kind in new:
                tried.add((option, command[0]))
                for bad in ("0x10", "+5", " 5", "1_000", "5x", "", "-1")[:: 3 if SANITIZED else 1]:
                    text = bad + "/8" if kind.startswith(("I/N", "J/M")) else bad
                    with self.subTest(command=command, option=option, bad=text):
                        error = self.crivo(*command, option, text, code=2).err.decode()
                        self.assertRegex(error, rf'^crivo: {option}: "{re.escape(bad)}(/8)?" is (not|negative)')
        self.assertGreater(len({option for option, _ in tried}), 25, tried)
        for good in ("1e3", "1k", "0001000"):
            self.assertEqual(self.crivo("gen", "ints", "-n", good).out.count(b"\n"), 1000)
        error = self.crivo("gen", "ints", "-n", "99999999999999999999", code=2).err
        self.assertIn(b'crivo: --count: "99999999999999999999" is above 18446744073709551615', error)

    def test_numbers_that_are_none(self):
        """One way to read a number: what is none is refused shortly, by the name of its option."""
        self.build("mphf", self.keys)
        self.write("s.in", b"".join(key + b"\tr\n" for key in self.keys))
        above = "9" * 300
        for option, kind, good in (
            ("--seed", "mphf", "1"),
            ("--threads", "mphf", "1"),
            ("--effort", "mphf", "0"),
            ("--fixed", "mphf", "8"),
            ("--signature", "mphf", "8"),
            ("--capacity", "filter", "1k"),
            ("--hashes", "filter", "3"),
            ("--counter-bits", "filter", "4"),
            ("--fpr", "filter", "1%"),
            ("--bits", "filter", "8"),
            ("--arity", "filter", "3"),
            ("--value-bits", "map", "8"),
        ):
            bads = (above, "18446744073709551616", "-5", "-1", "", " ", "5x", "5 ", "0x10", "e5", "1e", "nan", "inf")
            for bad in bads[:: 3 if SANITIZED else 1]:  # sanitized, fuzz_arguments reads any
                if option in ("--fpr", "--bits") and bad[:2] in ("99", "18"):
                    continue  # a number, of which the library says that it is too large
                with self.subTest(option=option, bad=bad[:30]):
                    for args in ((option, bad), (f"{option}={bad}",)):
                        if not bad and len(args) == 1:
                            continue
                        result = self.crivo("build", kind, "k", "-o", "x", *args, code=2)
                        self.assertIn(option.encode() + b": ", result.err)
                        self.assertLess(len(result.err), 250)
            result = self.run_crivo("build", kind, "k", "-o", "x", option, good, "--dry-run")
            self.assertNotIn(option.encode() + b': "', result.err)
        self.crivo("build", "store", "s.in", "-o", "s", "--ordered", "--backend", "flat", "-q")
        self.crivo("build", "dictionary", "k", "-o", "d")
        for args in (
            ("query", "d", "--prefix", "", "--limit"), ("get", "s", "--prefix", "", "--limit"), ("dump", "d", "--limit"),
            ("dump", "d", "--from-id"), ("extract", "kmers", "k", "-k"), ("build", "mphf", "k", "-o", "x", "--from", "fasta", "-k"),
        ):  # fmt: skip
            for bad in (above, "18446744073709551616", "-1", "", "0x10", "1.5", "many"):
                self.assertIn(args[-1].encode() + b": ", self.crivo(*args[:-1], f"{args[-1]}={bad}" if args[-1] != "-k" else f"-k{bad or 'x'}", code=2).err)
        for text, count in (("010", 10), ("0.02k", 20), ("1e1", 10)):
            self.assertEqual(self.crivo("query", "d", "--prefix", "", "--limit", text).out.count(b"\n"), count)
            self.assertEqual(self.crivo("dump", "d", "--limit", text).out.count(b"\n"), count)
            self.assertEqual(self.crivo("get", "s", "--prefix", "", "--json", "--limit", text).out.count(b"\n"), count)
        for bad in (above, "-1", "many", "1.5", "1.5e0", "0.3k1", "10m", "1 k", "1e3k", "19G9"):
            result = self.crivo("gen", "urls", f"-n{bad}", code=2)
            self.assertLess(len(result.err), 200)
        for bad in ("0.99999999999999999999", "8.0000000000000000001"):  # which are no more than 1 and 8 as a double
            error = self.crivo("build", "filter", "k", "-o", "x", "--bits", bad, code=2).err
            self.assertIn(f'crivo: --bits: "{bad}" is not a number of at most 15 digits'.encode(), error)
        error = self.crivo("build", "mphf", "k", "-o", "x", "--algorithm", "tiny", "--effort", "4294967297", code=2).err
        self.assertIn(b"is not a whole number up to 4294967295", error)
        for option in ("--fpr", "--bits"):
            self.assertLess(len(self.crivo("build", "filter", "k", "-o", "x", option, above, code=2).err), 200)
        self.assertNotIn("x", self.listing())

    def test_one_set_of_suffixes(self):
        for text, count in (("0", 0), ("010", 10), ("2k", 2000), ("2K", 2000), ("1e3", 1000), ("0.5k", 500),
                            ("1.5e+3", 1500), ("0.002M", 2000), ("0.000001G", 1000), ("1.50", None)):
            with self.subTest(text=text):
                result = self.crivo("gen", "ints", "-n", text, code=0 if count is not None else 2)
                self.assertEqual(result.out.count(b"\n"), count or 0)
        self.assertEqual(
            self.crivo("gen", "ints", "-n", "5", "--skip", "1k").out, self.crivo("gen", "ints", "-n", "5", "--skip", "1000").out
        )
        for text, fpr in (("0.01", 0.01), ("1%", 0.01), ("1/100", 0.01), ("1e-2", 0.01), ("0.5%", 0.005), ("1/256", 1 / 256)):
            with self.subTest(text=text):
                self.crivo("build", "filter", "k", "-o", "f", "--force", "--fpr", text)
                self.assertEqual(self.info("f")["asked_fpr"], fpr)
                self.assertEqual(self.crivo("filter", "advise", "-n", "1k", "--fpr", text, "--json").json()["fpr"], fpr)
        self.crivo("build", "filter", "k", "-o", "f", "--force", "--type", "bloom", "--capacity", "10M")
        self.assertGreater(self.info("f")["bytes"], 10_000_000)
        self.write("wide", b"w" * 1024 + b"x" * 1024)
        for width in ("1K", "1k", "1KiB", "1KB", "1024", "1024B", "0.001M"):
            code = 0 if width != "0.001M" else 2
            self.crivo("build", "mphf", "wide", "-o", "w", "--force", "--fixed", width, code=code)

    def test_existing_output_is_refused(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                path = self.build(kind, self.keys)
                before = files_of(self.dir / path)
                self.write("other", b"a\tb\n")
                error = self.crivo("build", kind, "other", "-o", path, code=2).err
                self.assertIn(path.encode(), error)
                self.assertIn(b"--force", error)
                self.assertEqual(files_of(self.dir / path), before)
                self.crivo("build", kind, "other", "-o", path, "--force")
                self.assertNotEqual(files_of(self.dir / path), before)
                self.crivo("verify", path)

    def test_force_does_not_replace_what_is_no_output(self):
        """A directory that holds something else is never removed."""
        (self.dir / "home").mkdir()
        self.write("home/letter", b"dear")
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.write("other", b"a\tb\n")
                self.crivo("build", kind, "other", "-o", "home", "--force", code=(2, 5))
                self.assertEqual((self.dir / "home/letter").read_bytes(), b"dear")

    def test_missing_files(self):
        mphf = self.build("mphf", self.keys)
        for args in (
            ("build", "mphf", "none", "-o", "x"),
            ("build", "mphf", "k", "none", "-o", "x"),
            ("build", "mphf", "k", "-o", "none/x"),
            ("build", "store", "k", "-o", "none/x"),
            ("query", "none", "k"),
            ("query", mphf, "none"),
            ("get", "none", "key"),
            ("info", "none"),
            ("verify", "none"),
            ("verify", mphf, "--keys", "none"),
            ("bench", "none", "--keys", "k"),
            ("bench", mphf, "--keys", "none"),
        ):
            with self.subTest(args=args):
                self.assertIn(b"none", self.crivo(*args, code=5).err)
        self.assertEqual(self.listing(), ["k", mphf, f"{mphf}.in"])

    def test_keys_from_a_directory(self):
        (self.dir / "sub").mkdir()
        self.assertIn(b"sub", self.crivo("build", "mphf", "sub", "-o", "x", code=5).err)

    def test_a_closed_or_full_output(self):
        filter_path = self.build("filter", self.keys)
        with open("/dev/full", "wb") as full:
            self.crivo("query", filter_path, "k", stdout=full, code=5)
            self.crivo("gen", "words", "-n", "1000", stdout=full, code=5)


class Output(CrivoTest):
    """Standard output is data only."""

    def setUp(self):
        super().setUp()
        self.keys = urls(200)

    def test_build_prints_no_data(self):
        for kind in KINDS:
            for options in ((), ("--progress", "always"), ("--quiet",)):
                path = self.build(kind, self.keys, "--force")
                result = self.crivo("build", kind, f"{path}.in", "-o", path, "--force", *options)
                self.assertEqual(result.out, b"", str(result))

    def test_quiet(self):
        for kind in KINDS:
            path = self.build(kind, self.keys)
            for args in (
                ("build", kind, f"{path}.in", "-o", path, "--force"),
                ("query", path, "--key", "a"),
                ("verify", path),
            ):
                self.assertEqual(self.crivo(*args, "--quiet").err, b"")
        self.assertNotEqual(self.crivo("info", "none", "--quiet", code=5).err, b"")

    def test_progress_never(self):
        path = self.build("mphf", self.keys)
        result = self.crivo("verify", path, "--progress", "never", "--quiet")
        self.assertEqual(result.err, b"")

    def test_json_is_one_object(self):
        self.write_keys(self.keys, "k")
        for kind in KINDS:
            path = self.build(kind, self.keys)
            for args in (
                ("build", kind, f"{path}.in", "-o", path, "--force"),
                ("build", kind, f"{path}.in", "-o", path, "--force", "--progress", "always"),
                ("info", path),
                ("verify", path),
                ("bench", path, "--keys", "k"),
            ):
                with self.subTest(args=args):
                    out = self.crivo(*args, "--json").out
                    self.assertIsInstance(json.loads(out), dict)

    def test_rates_are_percentages(self):
        keys = self.write_keys(self.keys, "k")
        said = self.crivo("build", "filter", keys, "-o", "f", "--type", "bloom", "--fpr", "1/64").err
        designed = self.info("f")["fpr"]
        for text in (said, self.crivo("info", "f").out):
            self.assertRegex(text, rb"false positives:? +%s %% of absent keys, by design" % f"{100 * designed:.2g}".encode())
            self.assertIn(b"asked: at most 1.6 %", text)
            self.assertNotIn(b"of them", text)
        bench = self.crivo("bench", "f", "--keys", keys, "--absent", keys).out
        self.assertRegex(bench, rb"  found +100 %\n")
        self.assertRegex(bench, rb"  false positives +100 %\n")

    def test_dry_run_leaves_nothing(self):
        for kind in KINDS:
            path = self.build(kind, self.keys)
            before, listing = files_of(self.dir / path), self.listing()
            for options in ((), ("--json",)):
                result = self.crivo("build", kind, f"{path}.in", "-o", "dry", "--dry-run", *options)
                self.assertEqual(self.listing(), listing)
            self.assertIsInstance(json.loads(result.out), dict)
            self.crivo("build", kind, f"{path}.in", "-o", path, "--dry-run", "--force")
            self.assertEqual(files_of(self.dir / path), before)

    def test_dry_run_refuses_what_the_build_would(self):
        self.write_keys(self.keys, "k")
        (self.dir / "home").mkdir()
        self.write("home/letter", b"dear")
        for kind in KINDS:
            path = self.build(kind, self.keys)
            source = f"{path}.in"
            for output, options in (
                (path, ()),
                ("home", ()),
                ("home", ("--force",)),
                ("none/x", ()),
                (source, ("--force",)),
                ("k/x", ()),
                ("-", ()),
                ("", ()),
                ("/dev/null", ("--force",)),
            ):
                with self.subTest(kind=kind, output=output, options=options):
                    built = self.crivo("build", kind, source, "-o", output, *options, code=(2, 5))
                    dry = self.crivo("build", kind, source, "-o", output, *options, "--dry-run", code=(2, 5))
                    self.assertEqual((dry.code, dry.err, dry.out), (built.code, built.err, b""))
            self.crivo("build", kind, source, "-o", path, "--dry-run", "--force")
            self.crivo("build", kind, source, "-o", "new", "--dry-run")
            self.assertNotIn("new", self.listing())

    def test_temporary_directory_is_left_empty(self):
        (self.dir / "tmp").mkdir()
        for kind in KINDS:
            self.build(kind, self.keys, "--temp-dir", "tmp")
            self.assertEqual(self.listing("tmp"), [])

    def test_output_may_be_read_by_others(self):
        """The mode of a new file obeys the umask, as the output of any program."""
        old = os.umask(0o022)
        self.addCleanup(os.umask, old)
        for kind in KINDS:
            path = self.dir / self.build(kind, self.keys, env={})
            if path.is_dir():
                self.assertEqual(path.stat().st_mode & 0o777, 0o755)
                path = path / "index.crv"
            self.assertEqual(path.stat().st_mode & 0o777, 0o644)
