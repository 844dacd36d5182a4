# SPDX-License-Identifier: Apache-2.0
"""Keys, values and records that stand in columns, in quotes, under a header or in hexadecimal."""

import gzip
import hashlib
import json
import random

from harness import CrivoTest, files_of, in_parallel, lines, pairs, records_of, urls


def quoted(text):
    return b'"%s"' % text.replace(b'"', b'""')


class Fields(CrivoTest):
    def same(self, kind, plain, given, *options, plain_options=()):
        """What is built of `given` with the options has the bytes of what is built of `plain` without."""
        self.crivo("build", kind, self.write("plain", plain), "-o", "expected", "--force", *plain_options)
        path = self.write("given", given)
        for threads in (1, 3):
            self.crivo("build", kind, path, "-o", "out", "--force", "--threads", threads, *plain_options, *options)
            self.assertTrue(files_of(self.dir / "out") == files_of(self.dir / "expected"), options)
        self.crivo("build", kind, "-", "-o", "out", "--force", *plain_options, *options, stdin=gzip.compress(given))
        self.assertTrue(files_of(self.dir / "out") == files_of(self.dir / "expected"), (options, "piped"))
        return "out"

    def test_column_of_keys(self):
        keys = urls(5000)
        rows = [b"%d:%s:x" % (i, key.replace(b":", b";")) for i, key in enumerate(keys)]
        plain = lines([key.replace(b":", b";") for key in keys])
        self.same("map", plain, lines(rows), "--column", "2", "--delimiter", ":")
        self.same("mphf", lines(keys), lines([b"7\t" + key for key in keys]), "--column", "2")
        self.same("filter", lines(keys), lines([key + b",a,b" for key in keys]), "--delimiter", ",")

    def test_csv(self):
        keys = [b'say "%d", he said' % i for i in range(3000)] + [b"", b"plain", b'"']
        rows = [b"%d,%s,%d" % (i, quoted(key), i % 7) for i, key in enumerate(keys)]
        rows[-2] = b"9,plain,6"
        rows[-3] = b"9,,5"
        crlf = b"".join(row + b"\r\n" for row in rows)
        plain = lines(keys)
        self.same("map", plain, crlf, "--csv", "--column", "2", plain_options=["--allow-empty"])
        values = [b"%d" % (i % 7) for i in range(len(keys))]
        values[-3:] = b"5", b"6", b"%d" % ((len(keys) - 1) % 7)
        values_plain = pairs(keys, values)
        out = self.same("map", values_plain, crlf, "--csv", "--column", "2,3",
                        plain_options=["--allow-empty", "--values", "--signature", "8"])
        self.same("map", values_plain, crlf, "--csv", "--column", "2",
                  plain_options=["--allow-empty", "--values", "--signature", "8"])
        answers = self.crivo("query", out, "given", "--csv", "--column", "2").out
        self.assertEqual(answers.splitlines()[0], b'say "0", he said\t0')
        self.crivo("verify", out, "--keys", "given", "--values", "--csv", "--column", "2,3", "--allow-empty")
        self.assertEqual(self.crivo("query", out, "given", "--csv").out.splitlines()[1], b"1\t-")

    def test_header(self):
        keys = urls(20_000)
        for header in (b"the URL", b"h" * 400_000):  # which is longer than what is read at once
            given = header + b"\n" + lines(keys)
            self.same("filter", lines(keys), given, "--header")
            self.same("map", lines(keys), given, "--header")
        self.write("a", b"url\n" + lines(keys[:9000]))
        self.write("b", b"url\n" + lines(keys[9000:]))
        self.crivo("build", "map", "a", "b", "-o", "two", "--header")
        self.assertTrue(files_of(self.dir / "two") == files_of(self.dir / "expected"), "a header in each of two files")
        self.assertEqual(self.crivo("query", "two", "b", "--header").out.splitlines()[0], keys[9000] + b"\t9000")
        for alone in (b"", b"only a header", b"only a header\n"):
            out = self.crivo("build", "mphf", self.write("h", alone), "-o", "none", "--force", "--header", "--json")
            self.assertEqual(out.json()["keys"], 0)

    def test_columns_by_name(self):
        """Of each file by its own header, whose order may differ."""
        keys = urls(3000)
        values = [b"%d" % (i % 50) for i in range(len(keys))]
        rows = [b'%s,"x,y",%s' % (v, k) for k, v in zip(keys, values)]
        names = ("--csv", "--header", "--column", "the key,price")
        out = self.same("map", pairs(keys, values), b'\xef\xbb\xbfprice,"a, b",the key\r\n' + lines(rows), *names,
                        plain_options=["--values", "--signature", "8"])
        self.write("second", b"the key,price\n" + lines([b"%s,%s" % row for row in zip(keys[1000:], values[1000:])]))
        self.write("first", b"price,x,the key\n" + lines(rows[:1000]))
        self.crivo("build", "map", "first", "second", "-o", "two", "--values", "--signature", "8", *names)
        self.assertTrue(files_of(self.dir / "two") == files_of(self.dir / "expected"))
        self.crivo("verify", out, "--keys", "first", "second", "--values", *names)
        self.assertEqual(self.crivo("query", out, "second", *names).out, pairs(keys[1000:], values[1000:]))
        tabs = b"the key\tprice\n" + pairs(keys, values)
        self.same("mphf", lines(keys), tabs, "--header", "--column", "the key")

    def test_line_ends_in_quotes(self):
        keys = [b"key %d" % i for i in range(3000)]
        records = [b'line "%d"\r\n,\n' % i * (i % 5) for i in range(len(keys))]
        rows = [b"%s,%s,%d" % (quoted(record), key, i) for i, (key, record) in enumerate(zip(keys, records))]
        plain = b"".join(key + b"\0" + record + b"\0" for key, record in zip(keys, records))
        self.crivo("build", "store", self.write("plain", plain), "-o", "expected", "--null")
        given = self.write("given", b'"a\nrecord",key,n\r\n' + b"".join(row + b"\r\n" for row in rows))
        for column in ("2,1", "key,1"):
            for threads in (1, 3):
                form = ("--csv", "--header", "--column", column)
                self.crivo("build", "store", given, "-o", "out", "--force", "--threads", threads, *form)
                self.assertTrue(files_of(self.dir / "out") == files_of(self.dir / "expected"))
        self.crivo("verify", "out", "--keys", given, *form)
        self.assertEqual(self.crivo("get", "out", keys[9]).out, records[9])
        self.crivo("partition", given, "--records", *form, "--shards", "2", "-o", "dealt")
        for i in range(2):
            self.crivo("build", "store", "dealt", "--shard", f"{i}/2", "-o", f"part{i}")
        self.crivo("merge", "part0", "part1", "-o", "merged")
        self.assertTrue(files_of(self.dir / "merged") == files_of(self.dir / "expected"))
        # Numbers of keys count records, lines in messages lines.
        self.crivo("build", "map", given, "-o", "map", *form)
        self.assertEqual(self.crivo("query", "map", "--key", keys[9]).out, keys[9] + b"\t9\n")
        twice = self.write("twice", b'"x\ny",a\n"z\n",b\nc,a\n')
        for path, stdin in ((twice, b""), ("-", (self.dir / twice).read_bytes())):
            error = self.crivo("build", "mphf", path, "-o", "x", "--csv", "--column", "2", stdin=stdin, code=3).err
            self.assertIn(b':5: duplicate key "a", first on line 1', error)

    def test_json_lines(self):
        keys = urls(3000)
        objects = [json.dumps({"n": i, "url": k.decode(), "more": [{"url": 1}, "\u00e9\n"]}).encode()
                   for i, k in enumerate(keys)]
        form = ("--json-key", "url")
        out = self.same("store", pairs(keys, objects), b"".join(b" %s \r\n" % line for line in objects), *form)
        self.crivo("verify", out, "--keys", "given", *form)
        self.assertEqual(self.crivo("get", out, keys[7]).out, objects[7])
        self.assertEqual(self.crivo("query", out, "given", *form).out, pairs(keys, objects))

    def test_members_of_json_lines(self):
        keys = urls(3000)
        values = [b"%d" % (i % 50) for i in range(len(keys))]
        objects = [b'{"n":%s,"more":[{"url":1}],"url":"%s"}' % (v, k) for k, v in zip(keys, values)]
        form = ("--json-key", "url")
        self.same("map", pairs(keys, values), lines(objects), *form, "--json-value", "n",
                  plain_options=["--values", "--signature", "8"])
        self.same("map", lines(keys), lines(objects), *form)
        texts = ["\u00e9 %d \t\"\U0001f600" % i for i in range(500)]
        given = lines([json.dumps({"k": text, "v": text}, ensure_ascii=i % 2 == 0).encode() for i, text in enumerate(texts)])
        plain = b"".join(text.encode() + b"\0" for text in texts)
        self.crivo("build", "mphf", self.write("plain", plain), "-o", "expected", "--null", "-f")
        self.crivo("build", "mphf", self.write("given", given), "-o", "out.crv", "--json-key", "k")
        self.assertTrue(files_of(self.dir / "out.crv") == files_of(self.dir / "expected"))
        self.crivo("build", "store", "given", "-o", "texts", "--json-key", "k", "--json-value", "v")
        self.assertEqual(self.crivo("get", "texts", texts[3]).out, texts[3].encode())
        error = self.crivo("build", "map", "given", "-o", "x", "--values", "--json-key", "k", code=2).err
        self.assertIn(b"--json-value", error)
        self.crivo("partition", "given", "--json-key", "k", "--shards", "2", "-o", "dealt")
        self.crivo("build", "mphf", "dealt", "--shard", "0/2", "-o", "part0")
        self.crivo("build", "mphf", "dealt", "--shard", "1/2", "-o", "part1")
        self.crivo("merge", "part0", "part1", "-o", "merged")
        self.assertTrue(files_of(self.dir / "merged") == files_of(self.dir / "expected"))

    def test_records(self):
        keys = urls(2000)
        records = records_of(keys)
        rows = [b"%s;%s;%d" % (quoted(record), key, i) for i, (key, record) in enumerate(zip(keys, records))]
        out = self.same("store", pairs(keys, records), b"record;key;n\n" + lines(rows),
                        "--csv", "--delimiter", ";", "--column", "2,1", "--header")
        self.assertEqual(self.crivo("get", out, keys[7]).out, records[7])
        self.crivo("verify", out, "--keys", "given", "--csv", "--delimiter", ";", "--column", "2,1", "--header")
        self.write("wrong", b"x;y;z\n" + rows[3].replace(b"id", b"ID") + b"\n")
        self.crivo("verify", out, "--keys", "wrong", "--csv", "--delimiter", ";", "--column", "2,1", "--header", code=1)
        self.same("store", pairs(keys, records), lines([k + b"|" + r for k, r in zip(keys, records)]), "--delimiter", "|")

    def test_hex(self):
        """Hashes as they are published: DIGEST:COUNT."""
        digests = [hashlib.sha1(b"%d" % i).digest() for i in range(3000)]
        given = lines([b"%s:%d" % (d.hex().upper().encode(), i) for i, d in enumerate(digests)])
        fixed = b"".join(digests)
        self.crivo("build", "mphf", self.write("fixed", fixed), "-o", "expected", "--fixed", "20", "--signature", "16")
        self.crivo("build", "mphf", self.write("given", given), "-o", "out", "--hex", "--delimiter", ":", "--signature", "16")
        self.assertTrue(files_of(self.dir / "out") == files_of(self.dir / "expected"))
        answers = self.crivo("query", "out", "given", "--hex", "--delimiter", ":").out.splitlines()
        ranks = self.crivo("query", "out", "fixed", "--fixed", "20").out
        self.assertEqual(answers[5].split(b"\t")[0], digests[5].hex().encode())
        self.assertIn(digests[5] + b"\t" + answers[5].split(b"\t")[1], ranks)
        row = self.crivo("query", "out", "--key", digests[5].hex(), "--hex", "--json").json()
        self.assertEqual((row["key"], row["answer"]), (digests[5].hex(), int(answers[5].split(b"\t")[1])))
        nul = b"".join(d.hex().encode() + b"\0%d\0" % i for i, d in enumerate(digests))
        self.crivo("build", "map", self.write("nul", nul), "-o", "map", "--hex", "--null", "--values")
        self.assertEqual(self.crivo("query", "map", "--hex", "-k", digests[9].hex()).out.split(b"\t")[1], b"9\n")
        self.crivo("build", "filter", "given", "-o", "filter", "--hex", "--delimiter", ":", "--bits", "20")
        others = lines([hashlib.sha1(b"x%d" % i).hexdigest().encode() for i in range(50)])
        lacking = self.crivo("filter", "diff", "-", "filter", "--hex", stdin=others + given.split(b":")[0] + b"\n")
        self.assertEqual(lacking.out, others)

    def test_present_and_absent(self):
        keys = urls(100)
        path = self.build("mphf", keys[:50], "--signature", "32")
        answers = self.query(path, keys)
        for option, wanted in (("--present", range(50)), ("--absent", range(50, 100))):
            expected = b"".join(keys[i] + b"\t" + answers[i] + b"\n" for i in wanted)
            self.assertEqual(self.crivo("query", path, "-", option, stdin=lines(keys)).out, expected)
        self.crivo("query", path, "-", "--present", "--absent", code=2)

    def test_faults_are_named(self):
        def refused(given, problem, *options):
            self.write("given", given)
            error = self.crivo("build", "map", "given", "-o", "x", *options, code=3).err.decode()
            self.assertEqual(error, f"crivo: given:{problem}\n")

        refused(b"a,b\nc\n", "2: the line has no column 2", "--csv", "--column", "2")
        refused(b"a\n", "1: the line has no column 2", "--csv", "--values")
        refused(b'h\na\n"b\nc"\n"d\n', "5: a quoted column does not end", "--csv", "--header")
        refused(b'a\n"b\n\nc"\n"d"e\n', "5: a column has something behind its closing quote", "--csv")
        refused(b'k,a\nx,1\n', '1: the header has no column "price"', "--csv", "--header", "--column", "k,price")
        refused(b'k,k\nx,1\n', '1: the header has more than one column "k"', "--csv", "--header", "--column", "k")
        refused(b'{"k":1}\n{"k":2}x\n', "2: not JSON: something behind the object, at byte 8 of the line", "--json-key", "k")
        refused(b'{"k":1}\n\n \r\n{\n', "4: not JSON: expected a string, at byte 2 of the line", "--json-key", "k")
        refused(b'k,1\n\n\r\n"a\n\nb",2\n\nx\n', "8: the line has no column 2", "--csv", "--column", "2")
        column = 'so that it is not clear which column 2 is meant; rename it'
        refused(b"2,k\na,b\n", f'1: the header calls column 1 "2", {column}', "--csv", "--header", "--column", "2")
        refused(b"k\tv\t2\na\t1\t5\n", f'1: the header calls column 3 "2", {column}', "--header", "--column", "1,2", "--values")
        refused(b'{"k":1}\n{"j":2}\n', '2: the JSON object has no "k"', "--json-key", "k")
        refused(b'{"k":1,"v":"x"}\n', '1: the value "x" is not an unsigned integer in decimal digits',
                "--json-key", "k", "--json-value", "v", "--values")
        refused(b'"a"b\n', "1: a column has something behind its closing quote", "--csv")
        for text in (b"abc", b"0g", b"+1", b"zz"):
            refused(b"00\n" + text + b"\n", "2: the key is not an even number of hexadecimal digits", "--hex")
        refused(b"00\r\n", "1: the key ends with a CR, which is not a hexadecimal digit; --crlf leaves it out", "--hex")
        refused(b"h\nb,1\nc,x\n", '3: the value "x" is not an unsigned integer in decimal digits', "--csv", "--values", "--header")

    def test_blank_lines(self):
        """Of rows and objects they are left out and counted; a value is then the number of the row."""
        keys = [b"key %d" % i for i in range(30_000)]
        blank = lambda make, blanks: b"".join(make(key) + blanks[i % len(blanks)] for i, key in enumerate(keys))  # noqa: E731
        rows = blank(lambda key: b'1,"%s"' % key, (b"\n", b"\n\n", b"\r\n\r\n\r\n")) + b"\n"
        objects = blank(lambda key: b'{"k":"%s"}' % key, (b"\n", b"\n \t\n", b"\r\n\r\n\n"))
        self.write("plain", lines(keys))
        for kind in ("map", "mphf", "dictionary"):
            self.same(kind, lines(keys), rows, "--csv", "--column", "2")
            self.same(kind, lines(keys), objects, "--json-key", "k")
        said = self.crivo("build", "mphf", "given", "-o", "out", "--force", "--json-key", "k").err
        self.assertEqual(said.splitlines()[0], b"crivo: warning: given: 30000 blank lines were left out")
        self.crivo("sort", "given", "--json-key", "k", "-o", "sorted", "-q")
        self.assertEqual((self.dir / "sorted").read_bytes(), lines(sorted(keys)))
        found = self.crivo("query", "out", "given", "--json-key", "k", "--present").out
        self.assertEqual(found.count(b"\n"), len(keys))
        self.crivo("verify", "out", "--keys", "given", "--json-key", "k")
        self.assertEqual(self.crivo("extract", "lines", "given", "--json-key", "k").err, b"")

    def test_numbers_that_are_names(self):
        """A number is a position, also where the header calls that column, or none, so."""
        for header in (b"a\t2\n", b"1\t2\n", b"a\tb\n"):
            self.same("mphf", b"x\ny\n", header + b"1\tx\n2\ty\n", "--header", "--column", "2")

    def test_usage(self):
        self.write("keys", b"a\n")
        for options in (("--column", "0"), ("--column", "x"), ("--column", "1,2,3"), ("--column", "1,2,3,4"), ("--column", ""),
                        ("--column", "x,2", "--csv"), ("--json-key", ""), ("--json-value", "v"),
                        ("--json-key", "k", "--csv"), ("--json-key", "k", "--null"), ("--json-key", "k", "--header"),
                        ("--delimiter", "ab"), ("--delimiter", '"'), ("--csv", "--null"), ("--header", "--fixed", "4"),
                        ("--hex", "--fixed", "4"), ("--column", "2", "--null")):
            with self.subTest(options):
                self.crivo("build", "mphf", "keys", "-o", "x", *options, code=2)
        self.crivo("query", self.build("mphf", [b"a"]), "--key", "abc", "--hex", code=2)

    def test_damaged_quotes_do_no_harm(self):
        """Any bytes at all as CSV: a build, or one line of error."""
        rng = random.Random(5)

        def one(case):
            data = bytes(rng.choice(b'",\n\r"a') for _ in range(rng.randrange(200)))
            name = self.write(f"in-{case}", data)
            return self.run_crivo("build", "map", name, "-o", f"out-{case}", "--csv", "--column", "1,2", "--values",
                                  "--duplicates", "ignore").code

        self.assertLessEqual(set(in_parallel(one, range(40))), {0, 3})
