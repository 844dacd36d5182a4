# SPDX-License-Identifier: Apache-2.0
"""`crivo build dictionary`: keys and their ranks in byte order, both ways, within any memory."""

import bisect
import json
import random
import unittest

from harness import LONG, CrivoTest, gzipped, lines, urls


class Dictionary(CrivoTest):
    def build(self, *args, stdin=b"", out="keys.crv"):
        self.crivo("build", "dictionary", *args, "-o", out, "--force", "--quiet", stdin=stdin)
        return (self.dir / out).read_bytes()

    def query(self, *args, stdin=b""):
        return self.crivo("query", "keys.crv", *args, stdin=stdin).out

    def test_answers_both_ways(self):
        keys = sorted(urls(3000))
        self.write("keys", lines(random.Random(1).sample(keys, len(keys))))
        self.build("keys")
        answers = [b"%s\t%d" % (key, rank) for rank, key in enumerate(keys)]
        self.assertEqual(self.query("-", stdin=lines(keys)), lines(answers))
        self.assertEqual(self.query("-k", "no such key"), b"no such key\t-\n")
        ids = random.Random(2).sample(range(3000), 100)
        expected = lines(b"%d\t%s" % (i, keys[i]) for i in ids)
        self.write("ids", lines(b"%d" % i for i in ids))
        self.assertEqual(self.query("--ids", "ids"), expected)
        self.assertEqual(self.query("--ids", *map(str, ids)), expected)
        self.assertEqual(self.query("--ids", "-", stdin=lines(b"%d" % i for i in ids)), expected)
        self.crivo("query", "keys.crv", "--ids", "3000", code=3)
        self.assertEqual(self.crivo("dump", "keys.crv").out, lines(keys))
        self.assertEqual(self.crivo("dump", "keys.crv", "--from-id", "2990", "--limit", "5").out, lines(keys[2990:2995]))

    def test_ranges(self):
        keys = sorted(urls(3000))
        self.write("keys", lines(keys))
        self.build("keys")
        numbered = [b"%d\t%s" % (rank, key) for rank, key in enumerate(keys)]
        for text in (keys[1500][:12], keys[7], b"http", b"zzz", keys[2999] + b"x"):
            low = bisect.bisect_left(keys, text)
            some = [line for line, key in zip(numbered, keys) if key.startswith(text)]
            self.assertEqual(self.query("--prefix", text), lines(some))
            self.assertEqual(self.query("--lower-bound", text, "--limit", "7"), lines(numbered[low : low + 7]))
        self.assertEqual(self.query("--range", keys[10], keys[20]), lines(numbered[10:20]))
        for limit in (0, 1, 2999, 3000, 3001):
            self.assertEqual(self.query("--prefix", "", "--limit", limit), lines(numbered[:limit]))
            for walk in ((), ("--prefix", ""), ("--from-id", "0")):
                self.assertEqual(self.crivo("dump", "keys.crv", *walk, "--limit", limit).out, lines(keys[:limit]))
        self.crivo("build", "map", "keys", "-o", "map.crv")
        self.crivo("query", "map.crv", "--prefix", "", "--limit", "0", code=2)
        rows = [json.loads(row) for row in self.query("--lower-bound", keys[2998], "--json").splitlines()]
        self.assertEqual([row["answer"] for row in rows], [2998, 2999])

    def test_keys_near_a_text(self):
        keys = sorted(word.encode() for word in ("cafe", "café", "care", "cares", "core", "scare", "tree"))
        self.write("keys", lines(keys))
        self.build("keys")

        def near(edits, text):
            found = self.query("--fuzzy", edits, text).splitlines()
            self.assertEqual(found, [b"%d\t%s" % (keys.index(row.split(b"\t")[1]), row.split(b"\t")[1]) for row in found])
            return [row.split(b"\t")[1].decode() for row in found]

        self.assertEqual(near("0", "care"), ["care"])
        self.assertEqual(near("1", "care"), ["cafe", "care", "cares", "core", "scare"])
        self.assertEqual(near("1", "cafè"), ["cafe", "café"])
        self.assertEqual(near("2", "tee"), ["tree"])
        self.assertIn(b"from 0 to 2", self.crivo("query", "keys.crv", "--fuzzy", "3", "care", code=2).err)

    def test_keys_that_a_text_begins_with(self):
        keys = sorted([b"/", b"/a", b"/api/", b"/api/users", b"/b", b"x\xff"])
        self.write("keys", lines(keys))
        self.build("keys")
        for text in (b"/api/users/7", b"/api/use", b"/", b"x\xff\xff", b"none", b"/api/users"):
            found = [b"%d\t%s" % (rank, key) for rank, key in enumerate(keys) if text.startswith(key)][::-1]
            self.assertEqual(self.query("--prefixes-of", text), lines(found))
            self.assertEqual(self.query("--longest-prefix", text), lines(found[:1]))
        rows = [json.loads(row) for row in self.query("--prefixes-of", b"/api/x", "--json").splitlines()]
        self.assertEqual([row["key"] for row in rows], ["/api/", "/a", "/"])

    def test_is_the_same_however_the_keys_come(self):
        keys = sorted(urls(60_000 if LONG else 8_000))
        self.write("sorted", lines(keys))
        self.write("keys", lines(random.Random(3).sample(keys, len(keys))))
        self.write("keys.gz", gzipped(lines(keys[::-1])))
        expected = self.build("keys")
        self.assertEqual(self.build("keys", "--threads", "3"), expected)
        self.assertEqual(self.build("keys", "--memory", "24M", "--threads", "1"), expected)
        self.assertEqual(self.build("keys.gz"), expected)
        self.assertEqual(self.build("-", stdin=lines(keys)), expected)
        self.assertEqual(self.build("sorted", "--sorted"), expected)
        self.assertEqual(self.build("-", "--sorted", stdin=lines(keys)), expected)
        self.assertEqual(self.build("keys", "sorted", "--duplicates", "ignore"), expected)
        self.assertNotEqual(self.build("keys", "--block-keys", "128"), expected)
        self.crivo("build", "dictionary", "keys", "-o", "small.crv", "--memory", "1M", code=5)

    def test_of_few_keys(self):
        for keys in ([], [b"a"], [b""], [b"", b"a", b"ab"], [b"k%03d" % i for i in range(65)]):
            self.write("keys", lines(keys))
            self.build("keys", "--allow-empty")
            self.assertEqual(self.crivo("dump", "keys.crv").out, lines(keys))
            self.crivo("verify", "keys.crv", "--keys", "keys", "--allow-empty")

    def test_keys_of_any_bytes(self):
        rng = random.Random(4)
        keys = sorted({bytes(rng.choices(b"\n\t\xff\x01a", k=rng.randrange(1, 9))) for _ in range(500)} | {b"x" * (1 << 20)})
        joined = b"".join(key + b"\0" for key in keys)
        self.write("keys", joined)
        self.build("keys", "--null")
        self.assertEqual(self.crivo("dump", "keys.crv", "--null-output").out, joined)
        self.crivo("verify", "keys.crv", "--keys", "keys", "--null")

    def test_names_what_is_wrong_with_the_input(self):
        self.write("keys", b"a\nc\nb\nc\n")
        error = self.crivo("build", "dictionary", "keys", "-o", "x.crv", code=3).err
        self.assertIn(b'keys:4: duplicate key "c", first on line 2; 1 duplicate in total', error)
        error = self.crivo("build", "dictionary", "keys", "-o", "x.crv", "--sorted", code=3).err
        self.assertIn(b'keys:3: the key "b" is out of order', error)
        self.write("keys", b"a\na\nb\n")
        error = self.crivo("build", "dictionary", "keys", "-o", "x.crv", "--sorted", code=3).err
        self.assertIn(b'keys:2: duplicate key "a"', error)
        self.assertNotIn("x.crv", self.listing())
        for option in (("--block-keys", "15"), ("--block-keys", "257"), ("--token-bits", "9"), ("--sorted", "--resume", "dir")):
            self.crivo("build", "dictionary", "keys", "-o", "x.crv", *option, code=2)

    def test_values(self):
        rng = random.Random(9)
        keys = sorted(urls(8000))
        values = [rng.randrange(1 << rng.randrange(1, 65)) for _ in keys]
        pairs = [b"%s\t%d" % pair for pair in zip(keys, values)]
        self.write("sorted", lines(pairs))
        self.write("pairs", lines(rng.sample(pairs, len(pairs))))
        self.write("twice", lines([*pairs[::-1], *(b"%s\t7" % key for key in keys[::3])]))
        expected = self.build("pairs", "--values")
        self.assertEqual(self.build("sorted", "--values", "--sorted"), expected)
        self.assertEqual(self.build("pairs", "--values", "--memory", "24M", "--threads", "3"), expected)
        self.assertEqual(self.build("-", "--values", stdin=lines(pairs)), expected)
        self.assertEqual(self.build("twice", "--values", "--duplicates", "ignore"), expected)
        answers = [b"%d\t%d" % (rank, value) for rank, value in enumerate(values)]
        self.assertEqual(self.query("-", stdin=lines([keys[7], b"none"])), lines([keys[7] + b"\t" + answers[7], b"none\t-"]))
        self.assertEqual(self.query("--ids", "7", "8"), lines(b"%s\t%s" % (answers[i], keys[i]) for i in (7, 8)))
        self.assertEqual(json.loads(self.query("--ids", "7", "--json"))["value"], values[7])
        self.assertEqual(self.query("-", "--null-output", stdin=lines(keys[7:8])), keys[7] + b"\0001" + answers[7] + b"\0")
        self.assertEqual(self.crivo("dump", "keys.crv").out, lines(pairs))
        self.assertEqual(self.crivo("dump", "keys.crv", "--from-id", "7990").out, lines(pairs[7990:]))
        self.crivo("verify", "keys.crv", "--keys", "pairs", "--values")
        self.write("others", lines([*pairs[:-1], keys[-1] + b"\t12"]))
        self.assertIn(b"does not have its value", self.crivo("verify", "keys.crv", "--keys", "others", "--values", code=1).err)
        self.assertEqual(json.loads(self.crivo("info", "keys.crv", "--json").out)["value_type"], "unsigned")
        self.write("twice", lines([pairs[0], pairs[1], pairs[0]]))
        for sort in ((), ("--sorted",)):
            self.crivo("build", "dictionary", "twice", "-o", "x.crv", "--values", *sort, code=3)
        self.assertIn(b"twice:3: duplicate key", self.crivo("build", "dictionary", "twice", "-o", "x.crv", "--values", code=3).err)
        self.crivo("build", "dictionary", "pairs", "-o", "x.crv", "--value-type", "signed", code=2)

    def test_values_of_any_form_and_keys_of_any_bytes(self):
        keys = sorted([b"\xff", b"\xff\xff", b"a", b"a\x01", b"a\x01\xff", b"a\n", b"b\xff"])
        values = [b"-0.5", b"0.0", b"12.5", b"-9.9", b"7.0", b"0.1", b"922337203685477580.7"]
        pairs = b"".join(key + b"\0" + value + b"\0" for key, value in zip(keys, values))
        self.write("pairs", pairs)
        self.build("pairs", "--values", "--null", "--value-type", "decimal", "--scale", "1")
        self.assertEqual(self.crivo("dump", "keys.crv", "--null-output").out, pairs)
        self.assertEqual(json.loads(self.query("--ids", "0", "--json"))["value"], "-0.5")
        self.build("pairs", "--null")
        self.assertIn(b"has no values", self.crivo("verify", "keys.crv", "--keys", "pairs", "--null", "--values", code=2).err)

    def test_hashed(self):
        keys = sorted(urls(3000))
        self.write("keys", lines(random.Random(6).sample(keys, len(keys))))
        plain = self.build("keys")
        self.assertIn(b"keys.crv: has no hashed ids; build the dictionary with them (build dictionary --hashed)",
                      self.crivo("query", "keys.crv", "--hashed", "-k", "a", code=2).err)
        hashed = self.build("keys", "--hashed")
        self.assertLess(len(hashed) - len(plain), 3000 * (1.9 + 8 + 12) / 8 + 2048)
        answers = [b"%s\t%d" % (key, rank) for rank, key in enumerate(keys)]
        self.assertEqual(self.query("-", "--hashed", stdin=lines(keys)), lines(answers))
        self.assertEqual(self.query("-", stdin=lines(keys)), lines(answers))
        rows = [json.loads(row) for row in self.query("--hashed", "-k", keys[7], "--json").splitlines()]
        self.assertEqual([row["answer"] for row in rows], [7])
        others = lines(b"other %d" % i for i in range(20_000))
        found = self.query("-", "--hashed", "--present", stdin=others).splitlines()
        self.assertTrue(30 < len(found) < 130, len(found))
        self.assertEqual(self.query("-", "--present", stdin=others), b"")
        info = json.loads(self.crivo("info", "keys.crv", "--json").out)
        self.assertEqual(info["parameters"]["signature_bits"], 8)
        self.crivo("verify", "keys.crv", "--keys", "keys")
        self.build("keys", "--hashed", "--signature", "16")
        self.assertLess(len(self.query("-", "--hashed", "--present", stdin=others).splitlines()), 6)
        for options in (("--signature", "16"), ("--hashed", "--signature", "32")):
            self.crivo("build", "dictionary", "keys", "-o", "x.crv", *options, code=2)
        self.write("pairs", lines(b"%s\t%d" % (key, 9 * rank) for rank, key in enumerate(keys)))
        self.build("pairs", "--hashed", "--values")
        self.assertEqual(self.query("--hashed", "-k", keys[5]), keys[5] + b"\t5\t45\n")
        self.crivo("build", "filter", "keys", "-o", "filter.crv")
        self.assertIn(b"only a dictionary can have them", self.crivo("query", "filter.crv", "--hashed", "-k", "a", code=2).err)

    def test_verify_finds_other_keys(self):
        keys = urls(1000)
        self.write("keys", lines(keys))
        self.write("others", lines([*keys[:-1], b"another"]))
        self.write("fewer", lines(keys[:-1]))
        self.build("keys")
        self.crivo("verify", "keys.crv", "--keys", "keys")
        self.assertIn(b'"another" is not in the dictionary', self.crivo("verify", "keys.crv", "--keys", "others", code=1).err)
        self.assertIn(b"999 distinct ones", self.crivo("verify", "keys.crv", "--keys", "fewer", code=1).err)

    def test_estimate(self):
        self.write("keys", lines(urls(20_000)))
        size = len(self.build("keys"))
        estimate = json.loads(self.crivo("build", "dictionary", "keys", "-o", "x.crv", "--dry-run", "--json").out)
        self.assertEqual(estimate["keys"], 20_000)
        self.assertLess(abs(estimate["output_bytes"] - size), 0.15 * size)


if __name__ == "__main__":
    unittest.main()
