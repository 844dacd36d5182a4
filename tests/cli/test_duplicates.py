"""Equal keys: refused with their text and lines, or counted once."""

from harness import CrivoTest, files_of, gzipped, lines, pairs, urls

DUPLICATE = b"https://twice.example/"


class Duplicates(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(200)
        self.doubled = self.keys[:30] + [DUPLICATE] + self.keys[30:150] + [DUPLICATE] + self.keys[150:]

    def refused(self, kind, *args, **options):
        result = self.crivo("build", kind, *args, "-o", "x", code=3, **options)
        self.assertNotIn("x", self.listing())
        self.assertIn(DUPLICATE, result.err)
        return result.err

    def test_named_with_their_lines(self):
        self.write_keys(self.doubled, "k")
        for options in ((), ("--duplicates", "error"), ("--threads", "1"), ("--threads", "2")):
            error = self.refused("mphf", "k", *options)
            self.assertRegex(error, rb"\b31\b")
            self.assertRegex(error, rb"\b152\b")
            self.assertRegex(error, rb"^crivo: k:(31|152): ")

    def test_named_from_a_pipe(self):
        error = self.refused("mphf", "-", stdin=lines(self.doubled))
        self.assertRegex(error, rb"\b31\b")
        self.assertRegex(error, rb"\b152\b")

    def test_named_from_packed_files(self):
        error = self.refused("mphf", self.write("k", gzipped(lines(self.doubled))))
        self.assertRegex(error, rb"\b152\b")

    def test_across_files(self):
        self.write_keys(self.doubled[:100], "a")
        self.write_keys(self.doubled[100:], "b")
        error = self.refused("mphf", "a", "b")
        self.assertIn(b"a:31", error)
        self.assertIn(b"b:52", error)

    def test_the_first_of_many(self):
        keys = [b"%d" % i for i in range(5_000)]
        self.write_keys(keys + keys, "k")
        error = self.crivo("build", "mphf", "k", "-o", "x", code=3).err
        self.assertLess(len(error), 4_000)

    def test_one_key_a_great_many_times(self):
        self.write("k", b"same\n" * 200_000)
        self.crivo("build", "mphf", "k", "-o", "x", code=3)
        self.crivo("build", "mphf", "k", "-o", "x", "--duplicates", "ignore")
        self.assertEqual(self.info("x")["keys"], 1)

    def test_of_records(self):
        self.write("r", pairs(self.doubled, [b"%d" % i for i in range(len(self.doubled))]))
        error = self.refused("store", "r")
        self.assertRegex(error, rb"\b31\b")
        self.assertRegex(error, rb"\b152\b")

    def test_ignored(self):
        single = self.keys + [DUPLICATE]
        for kind in ("mphf", "filter"):
            with self.subTest(kind=kind):
                self.write_keys(self.doubled, "k")
                self.crivo("build", kind, "k", "-o", f"d.{kind}", "--duplicates", "ignore")
                expected = self.build(kind, single)
                self.assertEqual(files_of(self.dir / f"d.{kind}"), files_of(self.dir / expected))

    def test_ignored_among_records(self):
        self.write("r", pairs(self.doubled, [b"%d" % i for i in range(len(self.doubled))]))
        self.crivo("build", "store", "r", "-o", "s", "--duplicates", "ignore")
        self.assertEqual(self.info("s")["keys"], 201)
        self.assertIn(self.crivo("get", "s", DUPLICATE).out, (b"30", b"151"))
        self.assertEqual(self.crivo("get", "s", self.keys[0]).out, b"0")

    def test_unknown_way(self):
        self.crivo("build", "mphf", self.write_keys([b"a"]), "-o", "x", "--duplicates", "maybe", code=2)
