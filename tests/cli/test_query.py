"""`query` and `get`."""

from harness import CrivoTest, gzipped, lines, pairs, records_of, urls


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
        self.assertEqual(self.crivo("get", "s", "plain", "bytes", "plain").out, b"text\x00\xff\r\t\x80text")

    def test_absent(self):
        result = self.crivo("get", "s", "absent", code=1)
        self.assertEqual(result.out, b"")
        if result.err:
            self.assert_one_error_line(result)
        self.assertIn(b"text", self.crivo("get", "s", "plain", "absent", code=1).out)

    def test_of_no_store(self):
        path = self.build("mphf", [b"a"])
        self.crivo("get", path, "a", code=(2, 4))
