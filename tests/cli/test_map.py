# SPDX-License-Identifier: Apache-2.0
"""`build map`: line numbers and values, from any source, and what is refused."""

from harness import CrivoTest, files_of, gzipped, lines, pairs, urls, zstandard

ALGORITHMS = (("ribbon",), ("fuse",), ("fuse", "--arity", "3"))


def numbers(count, bits):
    """`count` values of at most `bits` bits, the largest one of just so many."""
    top = 2**bits - 1
    return [b"%d" % (top if i == 0 else i * 0x9E3779B97F4A7C15 & top) for i in range(count)]


class LineNumbers(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(60_000)

    def test_of_every_algorithm_and_thread_count(self):
        for algorithm in ALGORITHMS:
            expected = None
            for threads in (1, 2, 3):
                path = self.build("map", self.keys, "--algorithm", *algorithm, "--threads", threads, "--force")
                expected = expected or files_of(self.dir / path)
                self.assertEqual(files_of(self.dir / path), expected)
            self.assert_answers("map", path, self.keys)
            self.crivo("verify", path, "--keys", f"{path}.in")

    def test_from_every_source(self):
        """Numbers count over all the files, wherever they come from."""
        expected = files_of(self.dir / self.build("map", self.keys))
        data = lines(self.keys)
        third = len(self.keys) // 3
        parts = [lines(self.keys[:third]), lines(self.keys[third : 2 * third]), lines(self.keys[2 * third :])]
        self.write("all", data)
        self.write("all.gz", gzipped(data))
        self.write("0", parts[0])
        self.write("1.zst", zstandard(parts[1]))
        self.write("2", parts[2][:-1])  # the last line has no end
        for args, stdin in (
            (("all",), b""),
            (("all.gz",), b""),
            (("-",), data),
            (("-",), zstandard(data)),
            (("0", "1.zst", "2"), b""),
            (("0", "1.zst", "-"), parts[2]),
            (("0", "-", "2"), parts[1]),
        ):
            for threads in (1, 3):
                with self.subTest(args=args, threads=threads):
                    self.crivo("build", "map", *args, "-o", "m", "--force", "--threads", threads, stdin=stdin)
                    self.assertTrue(files_of(self.dir / "m") == expected, "other bytes")

    def test_duplicates(self):
        self.write_keys(self.keys + self.keys[:5], "k")
        for source in ("k", "-"):
            with open(self.dir / "k", "rb") as file:
                stdin = file.read() if source == "-" else b""
            error = self.crivo("build", "map", source, "-o", "m", code=3, stdin=stdin).err
            self.assertRegex(error, rb":60001: duplicate key .*, first on line 1")
            self.crivo("build", "map", source, "-o", f"m{source}", "--duplicates", "ignore", stdin=stdin)
            self.assert_answers("map", f"m{source}", self.keys)
            self.crivo("verify", f"m{source}", "--keys", "k")

    def test_line_numbers_count_repeats(self):
        self.write("k", b"a\nb\na\nc\nb\nd\n")
        self.crivo("build", "map", "k", "-o", "m", "--duplicates", "ignore")
        self.assertEqual(self.query("m", [b"a", b"b", b"c", b"d"]), [b"0", b"1", b"3", b"5"])
        self.assertEqual(self.info("m")["value_bits"], 3)

    def test_that_do_not_fit(self):
        error = self.crivo("build", "map", self.write_keys(urls(257)), "-o", "m", "--value-bits", 8, code=3).err
        self.assertIn(b"256", error)
        self.build("map", urls(256), "--value-bits", "8")


class Values(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(3_000)

    def build_values(self, values, *options, out="m"):
        self.write("in", pairs(self.keys, values))
        return self.crivo("build", "map", "in", "-o", out, "--force", "--json", "--values", *options).json()

    def test_of_every_width(self):
        for algorithm in ALGORITHMS:
            for bits in (1, 8, 13, 24, 32, 63, 64):
                with self.subTest(algorithm=algorithm, bits=bits):
                    values = numbers(len(self.keys), bits)
                    report = self.build_values(values, "--algorithm", *algorithm)
                    self.assertEqual(report["value_bits"], bits)
                    self.assert_answers("map", "m", self.keys, values)
                    info = self.info("m")
                    self.assertEqual(info["value_bits"], bits)
                    self.assertEqual(info["algorithm"], algorithm[0])
                    self.assertLess(abs(info["overhead"] - (info["bits_per_key"] / bits - 1)), 1e-9)
                    self.crivo("verify", "m", "--keys", "in", "--values")

    def test_named_width(self):
        values = numbers(len(self.keys), 5)
        self.assertEqual(self.build_values(values, "--value-bits", "9")["value_bits"], 9)
        self.assert_answers("map", "m", self.keys, values)

    def test_null_separated(self):
        values = numbers(len(self.keys), 20)
        data = b"".join(k + b"\0" + v + b"\0" for k, v in zip(self.keys, values))
        expected = self.build_values(values)["digest"]
        for options in ({}, {"stdin": data}):
            source = "-" if options else self.write("nul", data)
            report = self.crivo("build", "map", source, "-o", "n", "--force", "--null", "--values", "--json", **options)
            self.assertEqual(report.json()["digest"], expected)

    def test_all_equal_and_none(self):
        for value in (b"0", b"1", b"18446744073709551615"):
            for options in ((), ("--compress",), ("--signature", "8")):
                self.build_values([value] * len(self.keys), *options)
                self.assert_answers("map", "m", self.keys, [value] * len(self.keys))
        self.keys = []
        for options in ((), ("--compress",), ("--signature", "8")):
            self.build_values([], *options)
            self.assertEqual(self.query("m", [b"a"]), [b"-"])

    def test_duplicates(self):
        self.keys = [b"a", b"b", b"a", b"c", b"b"]
        values = [b"9", b"3", b"1", b"2", b"7"]
        self.build_values(values, "--duplicates", "ignore")
        self.assertEqual(self.query("m", [b"a", b"b", b"c"]), [b"9", b"3", b"2"])
        self.crivo("verify", "m", "--keys", "in", "--values")
        self.crivo("build", "map", "-", "-o", "p", "--values", "--duplicates", "ignore", stdin=pairs(self.keys, values))
        self.assertEqual(files_of(self.dir / "p"), files_of(self.dir / "m"))
        error = self.crivo("build", "map", "in", "-o", "x", "--values", code=3).err
        self.assertIn(b'in:3: duplicate key "a", first on line 1', error)

    def test_bad_values(self):
        for value in (b"", b"x", b"-1", b"1.5", b" 1", b"18446744073709551616"):
            data = b"a\t1\nb\t" + value + b"\n"
            for source, stdin in ((self.write("k", data), b""), ("-", data)):
                error = self.crivo("build", "map", source, "-o", "x", "--values", code=3, stdin=stdin).err
                self.assertRegex(error, rb"^crivo: (k|\(standard input\)):2: the value ")
        error = self.crivo("build", "map", self.write("k", b"a\t1\nb\n"), "-o", "x", "--values", code=3).err
        self.assertIn(b"k:2: no TAB", error)
        self.write("k", b"a\t7\nb\t8\n")
        error = self.crivo("build", "map", "k", "-o", "x", "--values", "--value-bits", "3", code=3).err
        self.assertIn(b"k:2: the value 8 does not fit in 3 bits", error)
        self.assertNotIn("x", self.listing())

    def test_signed_and_decimal_values(self):
        extremes = [-(2**63), 2**63 - 1, 0, -1]
        cases = {
            ("--value-type", "signed"): [b"%d" % v for v in extremes],
            ("--value-type", "signed", "--compress"): [b"%d" % (-3 + i % 2) for i in range(4)],
            ("--value-type", "decimal", "--scale", "2"): [b"-0.05", b"92233720368547758.07", b"12.30", b"-7.00"],
            ("--value-type", "decimal", "--scale", "18", "--algorithm", "fuse"): [b"-9.000000000000000001"] * 4,
            ("--value-type", "decimal", "--signature", "8", "--algorithm", "mwhc3"): [b"-12", b"0", b"5", b"7"],
        }
        for options, values in cases.items():
            with self.subTest(options):
                values = (values * len(self.keys))[: len(self.keys)]
                self.build_values(values, *options)
                self.assert_answers("map", "m", self.keys, values)
                self.crivo("verify", "m", "--keys", "-", "--values", stdin=pairs(self.keys, values))
                others = [values[1], *values[1:]]
                if others != values:
                    self.crivo("verify", "m", "--keys", "-", "--values", code=1, stdin=pairs(self.keys, others))
        answers = self.crivo("query", "m", "--key", self.keys[0], "--json").json()["answer"]
        self.assertEqual(answers, "-12")
        self.build_values([b"-5"] * len(self.keys), "--value-type", "signed")
        self.assertEqual(self.crivo("query", "m", "--key", self.keys[0], "--json").json()["answer"], -5)
        self.assertEqual((self.info("m")["value_type"], self.info("m")["value_bits"]), ("signed", 4))
        short = [b"1", b"-2.5", b"007.25"]
        self.crivo("build", "map", "-", "-o", "d", "--values", "--value-type", "decimal", "--scale", "2",
                   stdin=pairs(self.keys[:3], short))
        self.assertEqual(self.query("d", self.keys[:3]), [b"1.00", b"-2.50", b"7.25"])

    def test_bad_signed_values(self):
        for value, options, problem in (
            (b"9223372036854775808", ("signed",), b"is not between -2^63 and 2^63 - 1"),
            (b"-9223372036854775809", ("signed",), b"is not between -2^63 and 2^63 - 1"),
            (b"1.5", ("signed",), b"is not an integer in decimal digits"),
            (b"-", ("signed",), b"is not an integer in decimal digits"),
            (b"--1", ("signed",), b"is not an integer in decimal digits"),
            (b"1.234", ("decimal", "--scale", "2"), b"has more than 2 digits after the point"),
            (b"1.", ("decimal", "--scale", "2"), b"is not a number in decimal digits"),
            (b".5", ("decimal", "--scale", "2"), b"is not a number in decimal digits"),
            (b"", ("decimal", "--scale", "2"), b"is not a number in decimal digits"),
            (b"1e3", ("decimal", "--scale", "2"), b"is not a number in decimal digits"),
            (b"99999999999999999.99", ("decimal", "--scale", "2"), b"has too many digits for its scale"),
        ):
            with self.subTest(value):
                error = self.crivo("build", "map", "-", "-o", "x", "--values", "--value-type", *options, code=3,
                                   stdin=b"a\t1\nb\t" + value + b"\n").err
                self.assertIn(b':2: the value "' + value + b'" ' + problem, error)
        for options in (("--value-type", "signed"), ("--values", "--scale", "2"), ("--values", "--value-type", "float"),
                        ("--values", "--value-type", "decimal", "--scale", "19"),
                        ("--values", "--value-type", "signed", "--scale", "2")):
            self.crivo("build", "map", "-", "-o", "x", *options, code=2, stdin=b"a\t1\n")

    def test_signatures(self):
        absent = urls(20_000, salt=1)
        for bits in (8, 16, 32):
            values = numbers(len(self.keys), 24)
            report = self.build_values(values, "--signature", bits)
            self.assertEqual(report["signature_bits"], bits)
            self.assertEqual(report["fpr"], 2.0**-bits)
            self.assert_answers("map", "m", self.keys, values)
            passed = sum(answer != b"-" for answer in self.query("m", absent))
            self.assertLess(abs(passed - len(absent) / 2**bits), 4 * (len(absent) / 2**bits) ** 0.5 + 1)
        answers = self.crivo("query", "m", "--key", absent[0], "--key", self.keys[0], "--json").json_lines()
        self.assertEqual([row["answer"] for row in answers], [None, int(values[0])])

    def test_compressed(self):
        self.keys = urls(30_000)
        values = [b"%d" % (0 if i % 16 else i % 256) for i in range(len(self.keys))]
        report = self.build_values(values, "--compress")
        info = self.info("m")
        self.assertEqual(report["entropy"], info["entropy"])
        self.assertTrue(0.1 < info["entropy"] < 1)
        self.assertLess(info["bits_per_key"], 1.5)
        self.assert_answers("map", "m", self.keys, values)
        self.assertIn(b"entropy", self.crivo("info", "m").out)

    def test_verify_finds_other_values(self):
        values = numbers(len(self.keys), 20)
        self.build_values(values)
        values[77] = b"3"
        self.write("other", pairs(self.keys, values))
        result = self.crivo("verify", "m", "--keys", "other", "--values", code=1)
        self.assertIn(b"other:78", result.err)

    def test_text_of_info(self):
        self.build_values(numbers(len(self.keys), 10))
        out = self.crivo("info", "m").out
        self.assertRegex(out, rb"value bits +10\n")
        self.assertRegex(out, rb"value type +unsigned\n")
        self.assertRegex(out, rb"ratio +1\.\d+ of the least, 10 bits per key\n")
