# SPDX-License-Identifier: Apache-2.0
"""`query` and `get`."""

import subprocess

from harness import CRIVO, ENVIRONMENT, KINDS, CrivoTest, gzipped, lines, pairs, records_of, urls


def converse(test, command, asked):
    """Each line gets its answer before the next one is written: (key, answer) pairs."""
    with subprocess.Popen([CRIVO, *command], cwd=test.dir, env=ENVIRONMENT, stdin=-1, stdout=-1) as process:
        for key, answer in asked:
            process.stdin.write(key + b"\n")
            process.stdin.flush()
            test.assertEqual(process.stdout.readline(), answer + b"\n")
        process.stdin.close()


class Query(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(1_000)
        self.absent = urls(1_000, salt=1)

    def test_mphf(self):
        path = self.build("mphf", self.keys)
        self.assert_bijection(path, self.keys)
        foreign = self.query(path, self.absent)  # without a signature, any key gets some rank
        self.assertTrue(all(int(rank) < 1_000 for rank in foreign))
        said = self.crivo("query", path, "--absent", stdin=lines(self.absent))
        self.assertEqual(said.out, b"")
        self.assertIn(b"warning: out.mphf: finds every key, since it has no signatures", said.err)

    def test_mphf_with_a_signature(self):
        for bits in ("8", "16", "32"):
            path = self.build("mphf", self.keys, "--signature", bits, out=f"s{bits}")
            self.assert_bijection(path, self.keys)
            if bits == "32":
                self.assertEqual(set(self.query(path, self.absent)), {b"-"})

    def test_filter(self):
        path = self.build("filter", self.keys, "--bits", "32")
        self.assert_answers("filter", path, self.keys)
        self.assertEqual(set(self.query(path, self.absent)), {b"-"})

    def test_store(self):
        path = self.build("store", self.keys)
        self.assert_answers("store", path, self.keys)
        self.assertEqual(set(self.query(path, self.absent)), {b"-"})

    def test_open_modes(self):
        for kind in KINDS:
            path = self.build(kind, self.keys, out=f"{kind}-opened")
            usual = self.crivo("query", path, stdin=lines(self.keys)).out
            for mode in ("mapped", "preload", "lock", "copy", "read", "index=preload,data=random", "index=read,data=lock"):
                answers = self.crivo("query", path, "--open", mode, stdin=lines(self.keys)).out
                self.assertEqual(answers, usual)
        for mode in ("written", "index=preload", "index=written,data=random", "index=copy,data="):
            self.assertIn(b"--open: ", self.crivo("query", path, "--open", mode, stdin=b"", code=2).err)

    def test_store_asked_from_a_file(self):
        path = self.build("store", self.keys)
        asked = [key for pair in zip(self.keys, self.absent) for key in pair] * 3
        from_pipe = self.crivo("query", path, "-", stdin=lines(asked)).out
        self.assertEqual(self.crivo("query", path, self.write_keys(asked, "asked")).out, from_pipe)

    def test_store_answers_what_stands_before_a_bad_key(self):
        path = self.build("store", self.keys)
        self.write("asked", lines(self.keys) + b"x" * (2**20 + 1) + b"\n")
        result = self.crivo("query", path, "asked", code=3)
        self.assertEqual(result.out.count(b"\n"), 1_000)

    def test_where_keys_come_from(self):
        path = self.build("filter", self.keys, "--bits", "32")
        mixed = [self.keys[0], b"absent", self.keys[1]]
        expected = self.keys[0] + b"\tmaybe\nabsent\t-\n" + self.keys[1] + b"\tmaybe\n"
        self.write_keys(mixed, "k")
        self.write_keys(mixed[:1], "k0")
        self.write("k1.gz", gzipped(lines(mixed[1:])))
        self.assertEqual(self.crivo("query", path, "k").out, expected)
        self.assertEqual(self.crivo("query", path, "k0", "k1.gz").out, expected)
        self.assertEqual(self.crivo("query", path, "-", stdin=lines(mixed)).out, expected)
        with open(self.dir / "k", "rb") as file:
            self.assertEqual(self.crivo("query", path, "-", stdin=file).out, expected)
        self.assertEqual(self.crivo("query", path, "--key", "absent").out, b"absent\t-\n")
        self.assertEqual(self.crivo("query", path, "--key", mixed[0]).out, mixed[0] + b"\tmaybe\n")
        crlf = b"\r\n".join(mixed) + b"\r\n"
        self.assertEqual(self.crivo("query", path, "-", "--crlf", stdin=crlf).out, expected)

    def test_repeated_keys_are_answered_each_time(self):
        path = self.build("store", self.keys)
        asked = [self.keys[5], b"absent", self.keys[5]] * 50
        answer = records_of(self.keys)[5]
        self.assertEqual(self.query(path, asked), [answer, b"-", answer] * 50)

    def test_no_keys(self):
        path = self.build("mphf", self.keys)
        self.assertEqual(self.crivo("query", path, "-", stdin=b"").out, b"")

    def test_key_that_looks_like_an_option(self):
        path = self.build("filter", [b"--help", b"-"], "--bits", "32")
        self.assertEqual(self.query(path, [b"--help", b"-"]), [b"maybe", b"maybe"])
        self.assertEqual(self.crivo("query", path, "--key=--help").out, b"--help\tmaybe\n")


class EmptyLines(CrivoTest):
    """An empty line is answered like any, and no answer that is due is lost."""

    def test_answered_as_absent(self):
        keys = urls(2_000)
        asked = [*keys[:1_000], b"", *keys[1_000:], b""]
        for kind in KINDS:
            for options in ((), ("--signature", "32")) if kind in ("mphf", "map") else ((),):
                with self.subTest(kind=kind, options=options):
                    path = self.build(kind, keys, "--force", *options)
                    answers = self.query(path, asked)
                    self.assertEqual((answers[1_000], answers[-1]), (b"-", b"-"))
                    self.assertNotIn(b"-", answers[:1_000] + answers[1_001:-1])
        self.assertEqual(self.query(path, []), [])

    def test_looked_up_where_the_file_holds_it(self):
        keys = [b"a", b"", b"b"]
        for kind in KINDS:
            with self.subTest(kind=kind):
                path = self.build(kind, keys, "--allow-empty")
                self.assertNotIn(b"-", self.query(path, keys, "--allow-empty"))
        # Where absent keys can be told, without the option too.
        for kind, options in (("filter", ()), ("store", ()), ("mphf", ("--signature", "32"))):
            with self.subTest(kind=kind):
                path = self.build(kind, keys, "--allow-empty", "--force", *options)
                self.assertNotIn(b"-", self.query(path, keys))

    def test_answers_before_a_fault_are_printed(self):
        keys = urls(3_000)
        path = self.build("mphf", keys)
        expected = self.crivo("query", path, "-", stdin=lines(keys)).out
        too_long = lines(keys) + b"x" * (1 << 20) + b"y\n" + lines(keys)
        result = self.crivo("query", path, "-", stdin=too_long, code=3)
        self.assertEqual(result.out, expected)
        packed = gzipped(lines(keys))
        cut = self.crivo("query", path, "-", stdin=packed[: len(packed) // 2], code=3).out
        self.assertTrue(expected.startswith(cut))
        self.assertGreater(cut.count(b"\n"), 500)

    def test_a_coprocess_gets_its_answer(self):
        """Also from what is asked for many keys at once where there are many."""
        for kind in KINDS:
            with self.subTest(kind=kind):
                path = self.build(kind, urls(5), out=f"asked-{kind}")
                answers = [key + b"\t" + answer for key, answer in zip(urls(5), self.query(path, urls(5)))]
                asked = [*zip(urls(5), answers), (b"", b"\t-"), (urls(1)[0], answers[0])]
                converse(self, ["query", path, "-"], asked)


class Forms(CrivoTest):
    """--null, --json, --present and --absent."""

    RECORDS = {b"dash": b"-", b"a\tb": b"c\td", b"bytes": b"\xff", b"none": b""}

    def setUp(self):
        super().setUp()
        self.write("r", b"".join(k + b"\0" + v + b"\0" for k, v in self.RECORDS.items()))
        self.crivo("build", "store", "r", "-o", "s", "--null")
        self.asked = b"\0".join([*self.RECORDS, b"absent", b""]) + b"\0"

    def test_null_tells_all_apart(self):
        out = self.crivo("query", "s", "-", "--null", "--null-output", stdin=self.asked).out
        rows = b"".join(k + b"\0" + b"1" + v + b"\0" for k, v in self.RECORDS.items())
        self.assertEqual(out, rows + b"absent\0" + b"0\0" + b"\0" + b"0\0")

    def test_input_and_output_have_options_of_their_own(self):
        as_text = b"dash\t-\nabsent\t-\n"
        self.assertEqual(self.crivo("query", "s", "-", "--null", stdin=b"dash\0absent\0").out, as_text)
        as_null = b"dash\0" + b"1-\0absent\0" + b"0\0"
        self.assertEqual(self.crivo("query", "s", "-", "--null-output", stdin=b"dash\nabsent\n").out, as_null)
        self.crivo("query", "s", "-", "--null-output", "--json", code=2)

    def test_json_is_a_line_a_key(self):
        rows = self.crivo("query", "s", "-", "--null", "--json", stdin=self.asked).json_lines()
        self.assertEqual(
            rows,
            [
                {"key": "dash", "found": True, "answer": "-"},
                {"key": "a\tb", "found": True, "answer": "c\td"},
                {"key": "bytes", "found": True, "answer_hex": "ff"},
                {"key": "none", "found": True, "answer": ""},
                {"key": "absent", "found": False, "answer": None},
                {"key": "", "found": False, "answer": None},
            ],
        )
        rows = self.crivo("query", "s", "--json", "--key", b"\xfe").json_lines()
        self.assertEqual(rows, [{"key_hex": "fe", "found": False, "answer": None}])

    def test_json_of_any_character(self):
        text = "".join(map(chr, range(1, 256))) + "\ud7ff\u2028\ufffd\U0010ffff"
        [row] = self.crivo("query", "s", "-", "--null", "--json", stdin=text.encode() + b"\0").json_lines()
        self.assertEqual(row, {"key": text, "found": False, "answer": None})

    def test_json_of_the_other_kinds(self):
        keys = urls(100)
        for kind, answer in (("mphf", 0), ("map", 0), ("filter", "maybe")):
            path = self.build(kind, keys)
            (row,) = self.crivo("query", path, "--json", "--key", keys[0]).json_lines()
            self.assertEqual((row["key"], row["found"]), (keys[0].decode(), True))
            self.assertEqual(type(row["answer"]), type(answer))

    def test_present_and_absent(self):
        forms = ("--null", "--null-output")
        expected = self.crivo("query", "s", "-", *forms, stdin=self.asked).out
        present = self.crivo("query", "s", "-", *forms, "--present", stdin=self.asked).out
        absent = self.crivo("query", "s", "-", *forms, "--absent", stdin=self.asked).out
        self.assertEqual(present + absent, expected)
        self.assertEqual(absent, b"absent\0" + b"0\0" + b"\0" + b"0\0")
        for option, found in (("--present", True), ("--absent", False)):
            rows = self.crivo("query", "s", "-", "--null", "--json", option, stdin=self.asked).json_lines()
            self.assertEqual({row["found"] for row in rows}, {found})
        self.crivo("query", "s", "-", "--present", "--absent", code=2)
        keys, foreign = urls(100), urls(100, salt=1)
        for kind in ("mphf", "map"):
            path = self.build(kind, keys, "--signature", "32")
            mixed = lines([*foreign, *keys])
            self.assertEqual(len(self.crivo("query", path, "--present", stdin=mixed).out.splitlines()), 100)
            self.assertEqual(
                self.crivo("query", path, "--absent", stdin=mixed).out, b"".join(k + b"\t-\n" for k in foreign)
            )


class Get(CrivoTest):
    RECORDS = {b"plain": b"text", b"bytes": b"\x00\xff\r\t\x80", b"none": b"", b"-k": b"dash"}

    def setUp(self):
        super().setUp()
        self.write("r", pairs(self.RECORDS.keys(), self.RECORDS.values()))
        self.crivo("build", "store", "r", "-o", "s")

    def test_byte_for_byte(self):
        for key, record in self.RECORDS.items():
            result = self.crivo("get", "s", "--", key)
            self.assertEqual(result.out, record)
            self.assertEqual(result.err, b"")

    def test_several(self):
        out = self.crivo("get", "s", "plain", "bytes", "plain").out
        self.assertEqual(out, b"text\n\x00\xff\r\t\x80\ntext\n")
        out = self.crivo("get", "s", "plain", "none", "absent", "--null-output", code=1).out
        self.assertEqual(out, b"plain\0" + b"1text\0none\0" + b"1\0absent\0" + b"0\0")
        self.assertEqual(self.crivo("get", "s", "plain", "--null-output").out, b"plain\0" + b"1text\0")

    def test_a_list(self):
        asked = b"plain\nnone\n-k\n"
        self.assertEqual(self.crivo("get", "s", "-", stdin=asked).out, b"text\n\ndash\n")
        self.assertEqual(self.crivo("get", "s", "-", "--crlf", stdin=b"plain\r\n").out, b"text\n")
        out = self.crivo("get", "s", "-", "--null", stdin=asked.replace(b"\n", b"\0")).out
        self.assertEqual(out, b"text\n\ndash\n")
        self.assertEqual(self.crivo("get", "s", "bytes", "-", stdin=b"plain\n").out, b"\0\xff\r\t\x80\ntext\n")
        result = self.crivo("get", "s", "-", stdin=b"plain\n\nother\nnone\n", code=1)
        self.assertEqual(result.out, b"text\n\n")
        self.assertIn(b'no record for "" and 1 more key', result.err)

    def test_a_long_list(self):
        """In any order, with repeats, absent keys, and keys of the command line before and behind."""
        keys = urls(3_000)
        self.build("store", keys, "--codec", "zstd", out="long")
        records = dict(zip(keys, self.crivo("get", "long", "-", stdin=lines(keys)).out.splitlines()))
        self.assertEqual(len(records), 3_000)
        self.assertEqual(records[keys[7]], self.crivo("get", "long", keys[7]).out)
        asked = [keys[i * 7919 % 3_000] for i in range(9_000)]
        out = self.crivo("get", "long", keys[5], "-", keys[6], stdin=lines(asked)).out
        self.assertEqual(out, lines([records[key] for key in [keys[5], *asked, keys[6]]]))
        result = self.crivo("get", "long", "-", stdin=lines([b"none", *asked[:50], b"none"]), code=1)
        self.assertEqual(result.out, lines([records[key] for key in asked[:50]]))
        self.assertIn(b'no record for "none" and 1 more key', result.err)

    def test_a_coprocess_gets_its_record(self):
        converse(self, ["get", "s", "-"], [(b"plain", b"text"), (b"none", b""), (b"-k", b"dash"), (b"plain", b"text")])

    def test_records_before_a_fault_are_printed(self):
        too_long = b"plain\nnone\n" + b"x" * (1 << 20) + b"y\n-k\n"
        self.assertEqual(self.crivo("get", "s", "-", stdin=too_long, code=3).out, b"text\n\n")

    def test_json(self):
        result = self.crivo("get", "s", "-", "--json", stdin=b"plain\nbytes\nabsent\n", code=1)
        self.assertEqual(
            result.json_lines(),
            [
                {"key": "plain", "found": True, "record": "text"},
                {"key": "bytes", "found": True, "record_hex": "00ff0d0980"},
                {"key": "absent", "found": False, "record": None},
            ],
        )

    def test_absent(self):
        result = self.crivo("get", "s", "absent", code=1)
        self.assertEqual(result.out, b"")
        if result.err:
            self.assert_one_error_line(result)
        self.assertIn(b"text", self.crivo("get", "s", "plain", "absent", code=1).out)

    def test_of_no_store(self):
        path = self.build("mphf", [b"a"])
        self.crivo("get", path, "a", code=(2, 4))
