# SPDX-License-Identifier: Apache-2.0
"""Indexes of rows: key -> file, row group, row."""

import json
import os
import pathlib
import random
import sys
import unittest

import minisign
from harness import CrivoTest, lines

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "formats"))
import reader  # pylint: disable=wrong-import-position,wrong-import-order


def row(key, file, number):
    return b"\t".join((key, file, b"%d" % number))


class Rows(CrivoTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        self.files = [b"data/part-%d.parquet" % i for i in range(20)] + [b"it's;a \"name\"", b"z\xff"]
        places = {(rng.randrange(len(self.files)), rng.randrange(1_000)) for _ in range(3_000)}
        self.rows = {b"key %d" % i: (self.files[file], number) for i, (file, number) in enumerate(sorted(places))}
        self.write("rows.tsv", lines(row(key, *place) for key, place in self.rows.items()))
        self.keys = lines(self.rows)

    def answers(self, name, keys):
        return self.crivo("query", name, "-", stdin=keys).out

    def bytes_of(self, name):
        return (self.dir / name).read_bytes()

    def test_each_key_has_its_row(self):
        self.crivo("build", "rows", "rows.tsv", "-o", "r")
        self.assertEqual(self.answers("r", self.keys), lines(row(key, *place) for key, place in self.rows.items()))
        self.assertEqual(self.answers("r", b"nothing\n"), b"nothing\t-\n")
        self.crivo("verify", "r", "--keys", "rows.tsv")
        info = json.loads(self.crivo("info", "r", "--json").out)
        self.assertEqual((info["kind"], info["keys"], info["files"]), ("rows", len(self.rows), len(self.files)))
        self.assertNotIn("row_groups", info)

    def test_another_row_is_found_by_verify(self):
        self.crivo("build", "rows", "rows.tsv", "-o", "r")
        key, (file, number) = next(iter(self.rows.items()))
        wrong = {**self.rows, key: (file, number + 1)}
        self.write("wrong.tsv", lines(row(key, *place) for key, place in wrong.items()))
        self.assertIn(key, self.crivo("verify", "r", "--keys", "wrong.tsv", code=1).err)
        self.write("fewer.tsv", lines(row(key, *place) for key, place in list(self.rows.items())[1:]))
        self.crivo("verify", "r", "--keys", "fewer.tsv", code=1)

    def test_the_same_bytes_from_any_input(self):
        self.crivo("build", "rows", "rows.tsv", "-o", "r")
        shuffled = [row(key, *place) for key, place in self.rows.items()]
        random.Random(1).shuffle(shuffled)
        csv = ["row,key,file"] + [
            '%d,%s,"%s"' % (number, key.decode(), file.decode("latin-1").replace('"', '""')) for key, (file, number) in self.rows.items()
        ]
        self.write("rows.csv", "\n".join(csv).encode("latin-1"))
        for name, given, options in (
            ("piped", lines(shuffled), ["-", "--threads", "3"]),
            ("split", b"", ["rows.tsv", "--memory", "9M", "--threads", "1"]),
            ("csv", b"", ["rows.csv", "--csv", "--header", "--column", "key,file,row"]),
            ("numbered", b"", ["rows.csv", "--csv", "--header", "--column", "2,3,1"]),
        ):
            with self.subTest(name):
                self.crivo("build", "rows", *options, "-o", name, stdin=given)
                self.assertEqual(self.bytes_of(name), self.bytes_of("r"))
        self.assertEqual(self.crivo("reproduce", "r", "rows.tsv").code, 0)

    def test_members_of_objects(self):
        objects = [{"id": "a", "file": "x\ty", "row": 3}, {"file": "b", "row": 4, "id": 17}]
        self.write("rows.json", "\n".join(map(json.dumps, objects)).encode())
        self.crivo("build", "rows", "rows.json", "--json-key", "id", "--json-value", "file", "--json-row", "row", "-o", "r")
        self.assertEqual(self.answers("r", b"a\n17\n"), b"a\tx\ty\t3\n17\tb\t4\n")

    def test_row_groups(self):
        groups = [b"%s\t%d\t%d" % (file, group, 100) for file in self.files for group in range(10) for _column in range(2)]
        random.Random(2).shuffle(groups)
        self.write("groups", lines(groups))
        self.crivo("build", "rows", "rows.tsv", "--row-groups", "groups", "-o", "r")
        expected = [b"%s\t%s\t%d\t%d" % (key, file, number // 100, number) for key, (file, number) in self.rows.items()]
        self.assertEqual(self.answers("r", self.keys), lines(expected))
        info = json.loads(self.crivo("info", "r", "--json").out)
        self.crivo("reproduce", "r", "rows.tsv", "--row-groups", "groups")
        self.crivo("verify", "r", "--keys", "rows.tsv")
        self.assertEqual((info["row_groups"], info["rows"]), (10 * len(self.files), 1_000 * len(self.files)))
        for line, said in ((row(b"k", self.files[0], 1_000), b"has 1000 rows"), (row(b"k", b"other", 0), b"none of the files")):
            self.write("one.tsv", line)
            error = self.crivo("build", "rows", "one.tsv", "--row-groups", "groups", "-o", "new", code=3).err
            self.assertIn(b"one.tsv:1: ", error)
            self.assertIn(said, error)
        self.write("few", b"a\t0\t5\na\t2\t5\n")
        self.assertIn(b"no row group 1", self.crivo("build", "rows", "one.tsv", "--row-groups", "few", "-o", "new", code=3).err)
        self.crivo("build", "rows", "one.tsv", "--row-groups", "missing", "-o", "new", code=5)

    def test_keys_in_several_rows(self):
        self.crivo("build", "rows", "rows.tsv", "-o", "few", "--many", "--signature", "8")  # so that marks are alike
        rng = random.Random(3)
        table = {key: {place} for key, place in self.rows.items()}
        for key in rng.sample(sorted(table), 600) + [b"key 7"] * 5_000:
            table[key].add((rng.choice(self.files), rng.randrange(10_000)))
        pairs = [row(key, *place) for key, places in table.items() for place in places]
        rng.shuffle(pairs)
        self.write("pairs.tsv", lines(pairs + pairs[:100]))
        self.crivo("build", "rows", "pairs.tsv", "--many", "-o", "r")
        expected = {key: lines(row(key, *place) for place in sorted(places)) for key, places in table.items()}
        for name, keys, answers in (("r", self.keys, expected), ("few", self.keys, {key: row(key, *place) + b"\n" for key, place in self.rows.items()})):
            found = self.answers(name, keys + b"nothing at all\n")
            self.assertTrue(found == b"".join(answers.values()) + b"nothing at all\t-\n", name)
            read = reader.open(self.dir / name)
            read.verify()
            self.assertTrue(all(lines(key + b"\t" + place for place in read.lookup(key)) == answers[key] for key in table))
        self.assertTrue(reader.open(self.dir / "few").lists.alike)
        for name, given, options in (
            ("piped", lines(pairs), ["-", "--threads", "3"]),
            ("split", b"", ["pairs.tsv", "--memory", "9M", "--threads", "1"]),
        ):
            self.crivo("build", "rows", *options, "--many", "-o", name, stdin=given)
            self.assertEqual(self.bytes_of(name), self.bytes_of("r"))
        info = json.loads(self.crivo("info", "r", "--json").out)
        self.assertEqual((info["keys"], info["places"]), (len(table), len(pairs)))
        self.crivo("verify", "r", "--keys", "pairs.tsv")
        self.crivo("reproduce", "r", "pairs.tsv")
        built = json.loads(self.crivo("build", "rows", "pairs.tsv", "--many", "-o", "r", "--force", "--json").out)
        self.assertEqual((built["keys"], built["duplicates"]), (len(table), 100))
        statement = self.crivo("query", "r", "--key", "key 7", "--sql").out
        self.assertTrue(all(b" %d" % number in statement for _, number in table[b"key 7"]))
        self.write("other.tsv", lines(pairs[1:]))
        self.crivo("verify", "r", "--keys", "other.tsv", code=1)
        free = next(number for number in range(1_000) if (self.files[0], number) not in table[b"key 1"])
        self.write("other.tsv", lines([*pairs, row(b"key 1", self.files[0], free)]))
        self.crivo("verify", "r", "--keys", "other.tsv", code=1)
        for options in ((), ("--dry-run",)):
            self.crivo("build", "rows", "pairs.tsv", "--many", "--signature", "0", "-o", "new", *options, code=2)
        self.write("layer.tsv", lines(row(b"key 1", b"added", i) for i in range(3)))
        self.crivo("rows", "add", "r", "layer.tsv", "--remove", self.files[0], "-o", "chain")
        places = sorted(place for place in table[b"key 1"] if place[0] != self.files[0])
        expected = lines(row(b"key 1", *place) for place in [*((b"added", i) for i in range(3)), *places])
        self.assertEqual(self.answers("chain", b"key 1\n"), expected)
        self.assertEqual(lines(b"key 1\t" + place for place in reader.open(self.dir / "chain").lookup(b"key 1")), expected)

    def test_a_key_in_more_rows_than_memory_has_room_for_is_refused(self):
        self.write("hot.tsv", b"".join(b"hot\tf%d\t%d\n" % (i % 9, i) for i in range(300_000)) + b"cold\tf0\t3\n")
        error = self.crivo("build", "rows", "hot.tsv", "--many", "--memory", "9M", "-o", "r", code=5).err
        self.assertIn(b"so many rows", error)
        self.assertIn(b"--memory", error)
        self.crivo("build", "rows", "hot.tsv", "--many", "--memory", "200M", "-o", "r")
        self.assertEqual(self.answers("r", b"hot\n").count(b"\n"), 300_000)
        self.assertEqual(self.answers("r", b"cold\n"), b"cold\tf0\t3\n")

    def null_keys(self, name):
        return json.loads(self.crivo("info", name, "--json").out).get("null_keys", 0)

    def test_null_keys_are_left_out_and_counted(self):
        self.write("plain.tsv", b"a\tf\t0\nb\tf\t3\n")
        self.crivo("build", "rows", "plain.tsv", "-o", "plain")
        self.assertEqual(self.null_keys("plain"), 0)
        rows = [{"id": "a", "file": "f", "row": 0}, {"id": None, "file": "g", "row": 1}, {"row": 3, "file": "f", "id": "b"}, {"id": None, "file": "f", "row": 9}]
        self.write("rows.json", lines(json.dumps(one).encode() for one in rows))
        self.write("rows.csv", b'id,file,row\na,f,0\n,g,1\nb,f,3\n,f,9\n')
        self.write("nulls.csv", b'id,file,row\na,f,0\nNULL,g,1\n"b",f,3\nNULL,f,9\n')
        self.write("nulls.tsv", b"a\tf\t0\n\\N\tg\t1\nb\tf\t3\n\\N\tf\t9\n")
        csv = ("--csv", "--header", "--column", "id,file,row")
        ways = {
            "rows.json": ("--json-key", "id", "--json-value", "file", "--json-row", "row"),
            "rows.csv": csv,
            "nulls.csv": (*csv, "--null-text", "NULL"),
            "nulls.tsv": ("--null-text", "\\N"),
        }
        for name, options in ways.items():
            with self.subTest(name):
                built = json.loads(self.crivo("build", "rows", name, *options, "-o", "r", "-f", "--json").out)
                self.assertEqual((built["keys"], built["null_keys"], self.null_keys("r")), (2, 2, 2))
                self.assertEqual(self.answers("r", b"a\nb\nNULL\n\\N\n"), b"a\tf\t0\nb\tf\t3\nNULL\t-\n\\N\t-\n")
                self.assertIn(b"2", self.crivo("build", "rows", name, *options, "-o", "r", "-f").err)
                given = [option for option in options if option not in ("--null-text", "NULL", "\\N")]
                self.crivo("verify", "r", "--keys", name, *given)
                self.crivo("reproduce", "r", name, *given)
                self.crivo("build", "rows", name, *options, "-o", "many", "-f", "--many")
                self.assertEqual(self.null_keys("many"), 2)
                self.crivo("build", "rows", name, *options, "-o", "none", "--dry-run")
        # In quotes it is a text, and an empty text is no key.
        self.write("quoted.csv", b'id,file,row\n"NULL",f,0\n')
        self.crivo("build", "rows", "quoted.csv", *csv, "--null-text", "NULL", "-o", "quoted")
        self.assertEqual((self.null_keys("quoted"), self.answers("quoted", b"NULL\n")), (0, b"NULL\tf\t0\n"))
        self.write("quoted.csv", b'id,file,row\n"",f,0\n')
        self.assertIn(b"quoted.csv:2", self.crivo("build", "rows", "quoted.csv", *csv, "-o", "new", code=3).err)
        # No other kind leaves keys out.
        self.crivo("build", "filter", "rows.csv", "--csv", "--header", "--column", "id", "-o", "new", code=3)
        self.crivo("build", "filter", "rows.json", "--json-key", "id", "-o", "new", code=3)

    def test_keys_of_several_columns(self):
        texts = ["a", "b", "a\tb", "a\\", "\\", "", "a\nb", "\\t", "t", "ab"]
        keys = [(one, other) for one in texts for other in texts if other]
        self.write("rows.csv", ("one,file,row,other\n" + "".join(f'"{one}",f,{i},"{other}"\n' for i, (one, other) in enumerate(keys))).encode())
        self.write("rows.json", lines(json.dumps({"row": i, "one": one, "file": "f", "other": other}).encode() for i, (one, other) in enumerate(keys)))
        self.write("asked.csv", ("other,one\n" + "".join(f'"{other}","{one}"\n' for one, other in keys)).encode())

        def escaped(text):
            return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")

        expected = lines(f"{escaped(one)}\t{escaped(other)}\tf\t{i}".encode() for i, (one, other) in enumerate(keys))
        csv = ("--csv", "--header")
        for name, options in (
            ("rows.csv", (*csv, "--column", "one", "--column", "other,file,row")),
            ("rows.csv", (*csv, "--column", "1", "--column", "4,2,3")),
            ("rows.json", ("--json-key", "one", "--json-key", "other", "--json-value", "file", "--json-row", "row")),
        ):
            with self.subTest(options):
                self.crivo("build", "rows", name, *options, "-o", "r", "-f")
                self.crivo("verify", "r", "--keys", name, *options)
                asked = self.crivo("query", "r", "asked.csv", *csv, "--column", "one", "--column", "other").out
                self.assertEqual(asked, expected)
                plain = lines(line.rsplit(b"\t", 2)[0] for line in expected.splitlines())
                self.assertEqual(self.answers("r", plain), expected)
        self.write("nulls.csv", b"one,file,row,other\na,f,0,\n,f,1,b\na,f,2,b\n")
        self.crivo("build", "rows", "nulls.csv", *csv, "--column", "one", "--column", "other,file,row", "-o", "nulls")
        self.assertEqual((self.null_keys("nulls"), self.answers("nulls", b"a\tb\n")), (2, b"a\tb\tf\t2\n"))
        for columns in (("one,file", "other,file,row"), ("no such", "other,file,row"), ("0", "4,2,3")):
            arguments = [word for column in columns for word in ("--column", column)]
            self.crivo("build", "rows", "rows.csv", *csv, *arguments, "-o", "new", code=(2, 3))
        self.crivo("build", "rows", "rows.csv", *csv, "--column", "one", "--column", "other,file,row", "--hex", "-o", "new", code=2)

    def test_what_is_refused(self):
        for line in (b"k", b"k\tf", b"k\tf\tx", b"k\tf\t-1", b"k\tf\t1099511627776", b"k\t\t1"):
            with self.subTest(line):
                self.write("bad.tsv", b"a\tf\t0\n" + line + b"\n")
                self.assertIn(b"bad.tsv:2: ", self.crivo("build", "rows", "bad.tsv", "-o", "new", code=3).err)
        self.write("twice.tsv", b"k\tf\t0\nk\tf\t1\n")
        self.assertIn(b"twice.tsv:2", self.crivo("build", "rows", "twice.tsv", "-o", "new", code=3).err)
        self.crivo("build", "rows", "twice.tsv", "--duplicates", "ignore", "-o", "first")
        self.assertEqual(self.answers("first", b"k\n"), b"k\tf\t0\n")
        self.assertFalse((self.dir / "new").exists())

    def test_keys_of_other_kinds_have_one_value(self):
        self.write("three.csv", b"a,b,7\n")
        self.crivo("build", "store", "three.csv", "--csv", "--column", "1,2,3", "-o", "s", code=2)
        self.crivo("build", "map", "three.csv", "--values", "--csv", "--column", "1,2,3", "-o", "m", code=2)
        self.crivo("build", "rows", "three.csv", "--csv", "--column", "1,2,3,4", "-o", "m", code=2)

    def test_an_estimate(self):
        estimate = json.loads(self.crivo("build", "rows", "rows.tsv", "-o", "r", "--dry-run", "--json").out)
        self.crivo("build", "rows", "rows.tsv", "-o", "r")
        self.assertLess(abs(estimate["output_bytes"] / len(self.bytes_of("r")) - 1), 0.3)


class Numbers(CrivoTest):
    """Keys that are 64-bit numbers, kept as their 8 bytes."""

    NUMBERS = [*range(0, 4_000, 3), 2**64 - 1, 2**63 + 5, -(2**63), -7]

    def setUp(self):
        super().setUp()
        self.write("rows.tsv", lines(row(b"%d" % n, b"part %d" % (i % 5), i // 5) for i, n in enumerate(self.NUMBERS)))

    def binary(self, numbers):
        return b"".join((number % 2**64).to_bytes(8, "little") for number in numbers)

    def test_they_are_asked_for_as_texts_and_as_bytes(self):
        self.crivo("build", "rows", "rows.tsv", "--fixed", "8", "-o", "r")
        texts = lines(b"%d" % n for n in self.NUMBERS)
        expected = [b"part %d\t%d" % (i % 5, i // 5) for i in range(len(self.NUMBERS))]
        told = self.crivo("query", "r", "-", stdin=texts).out
        self.assertEqual(told, lines(b"%d\t%s" % (n, place) for n, place in zip(self.NUMBERS, expected)))
        told = self.crivo("query", "r", "-", "--fixed", "8", "--null-output", stdin=self.binary(self.NUMBERS)).out
        self.assertEqual(told, b"".join(self.binary([n]) + b"\x001%s\0" % place for n, place in zip(self.NUMBERS, expected)))
        self.assertEqual(self.crivo("query", "r", "--key", "007", "--key", "1").out.split(b"\t")[-1], b"-\n")
        self.crivo("verify", "r", "--keys", "rows.tsv")
        sql = self.crivo("query", "r", "--sql", "--key", "3").out
        self.assertEqual(sql, self.crivo("query", "r", "--sql", "-", "--fixed", "8", stdin=self.binary([3])).out)
        self.assertIn(b"part 1", sql)
        info = json.loads(self.crivo("info", "r", "--json").out)
        self.assertEqual((info["key_form"], info["metadata"]["crivo.fixed"]), ("numbers", "8"))
        opened = reader.open(self.dir / "r")
        self.assertEqual(opened.lookup(self.binary([3])), [b"part 1\t0"])

    def test_no_other_is_asked_for(self):
        self.crivo("build", "rows", "rows.tsv", "--fixed", "8", "-o", "r")
        for key in ("", "x", "1.0", "+1", " 1", "18446744073709551616", "-9223372036854775809", "0x1"):
            for more in ((), ("--sql",)):
                failed = self.crivo("query", "r", "--key", key, *more, code=3)
                self.assertIn(b"is not a 64-bit number", failed.err)
        self.assertIn(b"line 2: ", self.crivo("query", "r", "-", stdin=b"3\nape\n", code=3).err.replace(b":2: ", b":line 2: "))
        self.assertIn(b"--fixed 8", self.crivo("query", "r", "-", "--fixed", "4", stdin=b"abcd", code=2).err)
        self.assertIn(b"in 8 bytes", self.crivo("query", "r", "--fixed", "8", "--key", "3", code=3).err)
        self.crivo("build", "rows", "rows.tsv", "-o", "texts")
        self.assertIn(b"ask for them without --fixed", self.crivo("query", "texts", "-", "--fixed", "8", stdin=b"12345678", code=2).err)

    def test_no_other_is_built(self):
        for key in (b"ape", b"", b"1e3", b"18446744073709551616"):
            self.write("bad.tsv", b"5\ta\t0\n" + row(key, b"a", 1) + b"\n")
            failed = self.crivo("build", "rows", "bad.tsv", "--fixed", "8", "-o", "bad", code=3)
            self.assertIn(b"bad.tsv:2: ", failed.err)
        self.write("twice.tsv", b"5\ta\t0\n05\ta\t1\n")
        self.crivo("build", "rows", "twice.tsv", "--fixed", "8", "-o", "bad", code=3)
        self.crivo("build", "rows", "rows.tsv", "--fixed", "4", "-o", "bad", code=2)
        self.crivo("build", "rows", "rows.tsv", "--fixed", "8", "--hex", "-o", "bad", code=2)
        self.write("two.csv", b"1,2,a,0\n")
        self.crivo("build", "rows", "two.csv", "--csv", "--column", "1", "--column", "2,3,4", "--fixed", "8", "-o", "bad", code=2)

    def test_from_any_input_and_in_layers_and_shards(self):
        self.crivo("build", "rows", "rows.tsv", "--fixed", "8", "-o", "r", "--quiet")
        whole = (self.dir / "r").read_bytes()
        self.write("rows.csv", lines([b"file,row,id", *(b'"part %d",%d,"%d"' % (i % 5, i // 5, n) for i, n in enumerate(self.NUMBERS))]))
        self.write("rows.json", lines(b'{"id": %d, "f": "part %d", "r": %d}' % (n, i % 5, i // 5) for i, n in enumerate(self.NUMBERS)))
        csv = ["rows.csv", "--csv", "--header", "--column", "id,file,row"]
        for given in (csv, ["rows.json", "--json-key", "id", "--json-value", "f", "--json-row", "r"]):
            self.crivo("build", "rows", *given, "--fixed", "8", "-o", "other", "-f", "--quiet")
            self.assertEqual((self.dir / "other").read_bytes(), whole)
        self.crivo("partition", *csv, "--rows", "--fixed", "8", "--shards", "2", "-o", "dealt", "--quiet")
        for i in (0, 1):
            self.crivo("build", "rows", "dealt", "--shard", "%d/2" % i, "-o", "part-%d" % i, "--quiet")
        self.crivo("merge", "part-0", "part-1", "-o", "merged", "--quiet")
        self.assertEqual((self.dir / "merged").read_bytes(), whole)
        self.write("more.tsv", b"5\tnew\t9\n")
        self.crivo("rows", "add", "r", "more.tsv", "-o", "chain", "--quiet")
        self.assertEqual(self.crivo("query", "chain", "--key", "5").out, b"5\tnew\t9\n")
        self.crivo("query", "chain", "--key", "x", code=3)
        self.write("bad.tsv", b"ape\tnewer\t9\n")
        self.crivo("rows", "add", "chain", "bad.tsv", code=3)


class Layers(CrivoTest):
    """A chain of layers, beside a table in memory."""

    def setUp(self):
        super().setUp()
        self.rng = random.Random(11)
        self.table = {}  #: the keys of each file, by row
        self.next = 0

    def new_file(self, name):
        self.table[name] = [b"key %d" % (self.next + i) for i in range(self.rng.randrange(1, 80))]
        self.next += len(self.table[name])
        return name

    def pairs(self, names):
        self.write("pairs.tsv", lines(row(key, name, i) for name in names for i, key in enumerate(self.table[name])))
        return "pairs.tsv"

    def check(self, chain):
        """Each key has its row, whatever else it may be in; keys of no file that is there have none, but some by accident."""
        asked = [b"key %d" % i for i in range(self.next)]
        answers = {}
        for line in self.crivo("query", chain, "-", stdin=lines(asked)).out.splitlines():
            key, answer = line.split(b"\t", 1)
            answers.setdefault(key, []).append(answer)
        rows = {key: b"%s\t%d" % (name, i) for name, keys in self.table.items() for i, key in enumerate(keys)}
        self.assertEqual([key for key, answer in rows.items() if answer not in answers[key]], [])
        wrong = sum(len(answers[key]) - 1 for key in rows) + sum(answers[key] != [b"-"] for key in asked if key not in rows)
        self.assertLess(wrong, 5)
        info = json.loads(self.crivo("info", chain, "--json").out)
        self.assertEqual(info["files"], len(self.table))
        self.crivo("verify", chain, "--keys", self.pairs(self.table))

    def test_as_a_table_changes(self):
        self.crivo("build", "rows", self.pairs([self.new_file(b"f%d" % i) for i in range(5)]), "-o", "base", "--seed", "5")
        self.crivo("rows", "add", "base", self.pairs([self.new_file(b"g")]), "-o", "chain")
        for step in range(25):
            dropped = self.rng.sample(sorted(self.table), self.rng.randrange(0, min(3, len(self.table))))
            for name in dropped:
                del self.table[name]
            what = self.rng.choice(("add", "add", "remove", "compact"))
            if what == "add":
                pairs = self.pairs([self.new_file(b"s%d-%d" % (step, i)) for i in range(self.rng.randrange(1, 4))])
                self.crivo("rows", "add", "chain", pairs, *(word for name in dropped for word in ("--remove", name)))
            elif dropped:
                self.crivo("rows", "remove", "chain", *dropped, "--snapshot", "now")
                self.assertIn(b"now", self.crivo("info", "chain").out)
            if what == "compact":
                self.crivo("rows", "compact", "chain", self.pairs(self.table))
                self.assertEqual(json.loads(self.crivo("info", "chain", "--json").out)["files"], len(self.table))
            self.check("chain")
        self.write("pairs.keys", lines(b"key %d" % i for i in range(self.next)))
        chain = reader.open(self.dir / "chain")
        chain.verify()
        newest = dict(line.split(b"\t", 1) for line in reversed(self.crivo("query", "chain", "pairs.keys").out.splitlines()))
        self.assertEqual({key: (chain.lookup(key) or [b"-"])[0] for key in newest}, newest)
        layers = [path.name for path in self.dir.glob("chain.*.rows")]
        self.assertLessEqual(len(layers), 30)

    def test_compaction_leaves_one_layer_and_then_no_other_file(self):
        self.crivo("build", "rows", self.pairs([self.new_file(b"a")]), "-o", "base")
        self.crivo("rows", "add", "base", self.pairs([self.new_file(b"b")]), "-o", "chain")
        self.crivo("rows", "add", "chain", self.pairs([self.new_file(b"c")]))
        self.crivo("rows", "compact", "chain", self.pairs(self.table))
        self.check("chain")
        self.crivo("rows", "remove", "chain", "b")
        del self.table[b"b"]
        self.check("chain")
        self.assertEqual(sorted(path.name for path in self.dir.glob("chain.*.rows")), ["chain.3.rows"])

    def test_what_is_refused(self):
        self.crivo("build", "rows", self.pairs([self.new_file(b"a"), self.new_file(b"b")]), "-o", "base")
        self.crivo("rows", "add", "base", self.pairs([self.new_file(b"c")]), code=2)  # no chain yet
        self.crivo("rows", "add", "base", "pairs.tsv", "-o", "chain")
        before = (self.dir / "chain").read_bytes()
        for arguments, code, said in (
            (("add", "chain", self.pairs([b"a"])), 3, b"already"),
            (("remove", "chain", "nothing"), 3, b"no file"),
            (("remove", "chain", "a", "nothing"), 3, b"no file"),
            (("compact", "chain", self.pairs([b"a"])), 3, b"\"b\": is a file of chain, and the input has no row of it; give the rows of all"),
            (("compact", "base", "pairs.tsv"), 2, b"no chain"),
            (("add", "missing", "pairs.tsv"), 5, b"missing"),
        ):
            with self.subTest(arguments):
                self.assertIn(said, self.crivo("rows", *arguments, code=code).err)
        self.write("more.tsv", row(b"k", b"other", 1) + b"\n")
        self.crivo("rows", "compact", "chain", "pairs.tsv", "more.tsv", code=3)
        self.assertEqual((self.dir / "chain").read_bytes(), before)
        self.assertEqual([path.name for path in self.dir.glob("chain.*.rows")], ["chain.1.rows"])
        layer = self.dir / "chain.1.rows"
        layer.write_bytes(layer.read_bytes()[:-1] + b"x")
        self.crivo("query", "chain", "--key", "key 1", code=4)

    def test_compact_says_what_to_do(self):
        """Of a file that was removed from the chain, one that it never had, and one that is not there any more."""
        self.crivo("build", "rows", self.pairs([self.new_file(b"a"), self.new_file(b"b")]), "-o", "base")
        self.crivo("rows", "remove", "base", "b", "-o", "chain")
        failed = self.crivo("rows", "compact", "chain", self.pairs([b"a", b"b"]), code=3)
        self.assertIn(b"\"b\": was removed from chain, and the input has rows of it; leave them out", failed.err)
        self.write("more.tsv", (self.dir / self.pairs([b"a"])).read_bytes() + row(b"k", b"other", 1) + b"\n")
        failed = self.crivo("rows", "compact", "chain", "more.tsv", code=3)
        self.assertIn(b"\"other\": is no file of chain, and the input has rows of it; leave them out", failed.err)
        for name in ("a", "b"):
            self.write(name, b"a table")
        pairs = self.pairs([b"a", b"b"])
        self.crivo("build", "rows", pairs, "-o", "known", "--check-files")
        self.crivo("rows", "remove", "known", "a", "-o", "chain2")
        (self.dir / "b").unlink()
        failed = self.crivo("rows", "compact", "chain2", self.pairs([b"b"]), code=3)
        self.assertIn(b"b: is not there, and the index is to know how each of its files is; leave the rows", failed.err)

    def test_signed(self):
        self.crivo("build", "rows", self.pairs([self.new_file(b"a")]), "-o", "base")
        self.crivo("rows", "add", "base", self.pairs([self.new_file(b"b")]), "-o", "chain")
        key = minisign.Key()
        self.write("key", key.secret_file())
        self.write("key.pub", key.public_file)
        self.crivo("query", "chain", "--key", "key 0", "--public-key", "key.pub", code=4)
        self.crivo("sign", "chain", "--secret-key", "key")
        answer = self.crivo("query", "chain", "--key", "key 0", "--public-key", "key.pub").out
        self.assertEqual(answer, b"key 0\ta\t0\n")


class Files(CrivoTest):
    def test_rewritten_files_are_told(self):
        for name in ("a", "b", "c"):
            self.write(f"{name}.parquet", b"PAR1" + name.encode() * 100_000)
        self.write("pairs.tsv", lines(row(b"key %d" % i, b"abc"[i : i + 1] + b".parquet", i) for i in range(3)))
        self.crivo("build", "rows", "pairs.tsv", "--check-files", "-o", "r")
        self.crivo("build", "rows", "pairs.tsv", "-o", "unknown")
        self.crivo("verify", "r", "--tables")
        self.assertIn(b"--check-files", self.crivo("query", "unknown", "--key", "key 0", "--check-files", code=2).err)
        all_rows = self.crivo("query", "r", "--key", "key 0", "--key", "key 2", "--check-files").out
        self.assertEqual(all_rows, b"key 0\ta.parquet\t0\nkey 2\tc.parquet\t2\n")
        path = self.dir / "a.parquet"
        times = path.stat()
        content = path.read_bytes()
        for change in (content + b"x", content[:-1] + b"x", None):
            with self.subTest(change and len(change)):
                path.unlink()
                if change is not None:
                    path.write_bytes(change)
                    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
                self.assertIn(b"a.parquet", self.crivo("query", "r", "--key", "key 0", "--check-files", code=1).err)
                self.assertIn(b"a.parquet", self.crivo("verify", "r", "--tables", code=1).err)
                self.crivo("query", "r", "--key", "key 2", "--check-files")
        self.write("new.tsv", row(b"new", b"d.parquet", 0) + b"\n")
        self.crivo("rows", "add", "r", "new.tsv", "-o", "chain", "--remove", "a.parquet", code=3)  # d.parquet is not there
        self.write("d.parquet", b"PAR1")
        self.crivo("rows", "add", "r", "new.tsv", "-o", "chain", "--remove", "a.parquet")
        self.crivo("verify", "chain", "--tables")
        self.assertEqual(self.crivo("query", "chain", "--key", "new", "--check-files").out, b"new\td.parquet\t0\n")

    def test_no_wrong_row_of_a_rewritten_table(self):
        """Files are rewritten, moved over each other, cut and removed between build and query: each row that is named has the key, whether
        the table lies where it was indexed or elsewhere."""
        rng = random.Random(17)
        names = [b"t/part-%d.parquet" % i for i in range(12)]
        (self.dir / "t").mkdir()

        def put(name, rows):
            (self.dir / name.decode()).write_bytes(lines(rows))

        table = {name: [b"key %02d.%02d" % (i, j) for j in range(20)] for i, name in enumerate(names)}
        for name, rows in table.items():
            put(name, rows)
        self.write("pairs.tsv", lines(row(key, name, number) for name, rows in table.items() for number, key in enumerate(rows)))
        self.crivo("build", "rows", "pairs.tsv", "--check-files", "-o", "r")
        self.crivo("rows", "remove", "r", names[11], "-o", "chain")
        kept, changed = set(names[:3]), set(names[3:])
        for name in names[3:5]:  # other rows, in as many bytes, at the same time
            stat = (self.dir / name.decode()).stat()
            put(name, rng.sample(table[name], 20))
            os.utime(self.dir / name.decode(), ns=(stat.st_atime_ns, stat.st_mtime_ns))
        put(names[5], table[names[5]])  # the same rows, but later
        put(names[6], table[names[6]][:7])
        (self.dir / names[7].decode()).unlink()
        os.rename(self.dir / names[8].decode(), self.dir / "t/other")
        os.rename(self.dir / names[9].decode(), self.dir / names[8].decode())
        os.rename(self.dir / "t/other", self.dir / names[9].decode())
        put(names[10], table[names[10]] + table[names[6]][7:])
        (self.dir / names[11].decode()).unlink()
        for there, options in (("t/", []), ("moved/", ["--rename", "t/=moved/"])):
            if there != "t/":
                os.rename(self.dir / "t", self.dir / there)
            for index in ("r", "chain"):
                removed = {names[11]} if index == "chain" else set()
                for name in names:
                    number = rng.randrange(20)
                    key = table[name][number]
                    with self.subTest(index=index, there=there, key=key):
                        told = self.crivo("query", index, "--key", key, "--check-files", *options, code=1 if name in changed - removed else 0)
                        if name in kept:
                            _, path, found = told.out.rstrip(b"\n").split(b"\t")
                            self.assertEqual((self.dir / path.decode()).read_bytes().split(b"\n")[int(found)], key)
                        else:
                            self.assertEqual(told.out, key + b"\t-\n" if name in removed else b"")
                every = self.crivo("query", index, "-", "--check-files", *options, stdin=lines(key for rows in table.values() for key in rows), code=1).out
                for line in every.splitlines():  # those before the first that is refused
                    key, path, found = line.split(b"\t")
                    self.assertEqual((self.dir / path.decode()).read_bytes().split(b"\n")[int(found)], key)
            self.crivo("verify", "r", "--tables", *options, code=1)

    def test_other_names(self):
        self.write("pairs.tsv", b"a\told/x.parquet\t1\nb\tother/y\t2\n")
        self.crivo("build", "rows", "pairs.tsv", "-o", "r")
        renamed = self.crivo("query", "r", "-", "--rename", "old/=s3://new/", stdin=b"a\nb\nc\n").out
        self.assertEqual(renamed, b"a\ts3://new/x.parquet\t1\nb\tother/y\t2\nc\t-\n")
        self.assertIn(b"'s3://new/x.parquet'", self.crivo("query", "r", "--key", "a", "--sql", "--rename", "old/=s3://new/").out)
        found = self.crivo("query", "r", "-", "--rename", "=/t/", "--present", "--json", stdin=b"a\nc\n").out
        self.assertEqual(json.loads(found)["answer"], "/t/old/x.parquet\t1")
        self.crivo("query", "r", "--key", "a", "--rename", "nothing", code=2)


if __name__ == "__main__":
    unittest.main()
