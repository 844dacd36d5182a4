# SPDX-License-Identifier: Apache-2.0
"""`crivo build KIND --from COLLECTION`: keys are extracted into a build, and asked for as they were made."""

import gzip

from harness import CrivoTest, lines


def warc(*urls):
    """A WARC file of these records, a gzip member each."""
    return b"".join(
        gzip.compress(f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: 1\r\n\r\nx\r\n\r\n".encode())
        for url in urls
    )


class KeyForms(CrivoTest):
    def made_of(self, path):
        return self.info(path)["metadata"]["crivo.with.keys"]

    def test_urls(self):
        self.write("a.warc.gz", warc("http://a.example/1", "http://b.example/", "http://A.example/1", "http://a.example/1"))
        self.crivo("build", "mphf", "a.warc.gz", "--from", "warc", "--signature", "32", "-o", "urls.crv")
        self.assertEqual((self.info("urls.crv")["keys"], self.made_of("urls.crv")), (3, "urls"))
        asked = [b" <http://b.example/> ", b"http://B.example/"]
        self.assertEqual([a == b"-" for a in self.query("urls.crv", asked)], [False, True])
        self.assertEqual(self.crivo("query", "urls.crv", "-", "--raw", stdin=lines(asked)).out.count(b"\t-\n"), 2)

    def test_surts(self):
        self.write("a.warc.gz", warc("http://www.a.example/1", "http://a.example:80/1/", "http://b.example/"))
        self.crivo("build", "dictionary", "a.warc.gz", "--from", "warc", "--surt", "-o", "urls.crv")
        self.assertEqual(self.made_of("urls.crv"), "urls surt")
        self.assertEqual(self.crivo("dump", "urls.crv").out, b"example,a)/1\nexample,b)/\n")
        self.assertEqual(self.query("urls.crv", [b"https://A.example/1#x", b"http://c.example/"]), [b"0", b"-"])
        self.assertEqual(self.crivo("query", "urls.crv", "-k", "http://b.example").out, b"http://b.example\t1\n")
        self.assertEqual(self.crivo("query", "urls.crv", "-k", "example,b)/", "--raw").out, b"example,b)/\t1\n")

    def test_terms_and_docnos(self):
        self.write("docs", b"d1 One two ONE\nd2 three\n")
        for options, form, answers in (
            ((), "terms fold", [b"0", b"0", b"-"]),
            (("--no-fold",), "terms", [b"-", b"1", b"-"]),
            (("--extract", "docnos"), "docnos", [b"-", b"-", b"0"]),
        ):
            self.crivo("build", "dictionary", "docs", "--from", "plaintext", *options, "-o", "d.crv", "--force")
            self.assertEqual(self.made_of("d.crv"), form)
            self.assertEqual(self.query("d.crv", [b"oNE", b"One", b"d1"]), answers)

    def test_kmers(self):
        self.write("a.fa", b">\nACGTTTGA\nNACG\n")
        self.crivo("build", "filter", "a.fa", "--from", "fasta", "-k", "3", "--fpr", "1e-9", "-o", "k.crv")
        self.assertEqual(self.made_of("k.crv"), "kmers 3")
        asked = {b"ACG": b"maybe", b"cgt": b"maybe", b"CAA": b"maybe", b"TTG": b"maybe", b"GGG": b"-", b"AC": b"-", b"ANG": b"-"}
        self.assertEqual(self.query("k.crv", list(asked)), list(asked.values()))
        # The same keys by way of hexadecimal digits.
        digits = self.crivo("extract", "kmers", "a.fa", "-k", "3").out
        self.crivo("build", "filter", "-", "--hex", "--fpr", "1e-9", "-o", "hex.crv", stdin=digits)
        self.assertEqual(self.info("hex.crv")["keys"], self.info("k.crv")["keys"])
        self.crivo("verify", "k.crv", "--keys", "-", "--hex", stdin=digits)

    def test_faults(self):
        self.write("cut.warc.gz", warc("http://a.example/", "http://b.example/")[:-9])
        result = self.run_crivo("build", "mphf", "cut.warc.gz", "--from", "warc", "-o", "urls.crv")
        self.assertEqual(result.code, 3)
        self.assertIn(b"cut.warc.gz: byte ", result.err)
        self.assertGreaterEqual(self.info("urls.crv")["keys"], 1)  # what came before
        self.crivo("build", "mphf", "cut.warc.gz", "--from", "warc", "--strict", "-o", "none.crv", code=3)
        self.assertFalse((self.dir / "none.crv").exists())

    def test_what_is_refused(self):
        self.write("docs", b"d1 one\n")
        for wrong in (
            ("--from", "plaintext", "--extract", "kmers"),
            ("--from", "plaintext", "--db", "x"),
            ("--from", "fasta", "-k", "32"),
            ("--from", "plaintext", "--surt"),
            ("--from", "lmdb", "--surt"),
            ("--surt",),
            ("--note", "crivo.with.keys=of mine"),
        ):
            with self.subTest(wrong):
                self.crivo("build", "mphf", "docs", *wrong, "-o", "none.crv", code=2)

    def test_is_reproduced(self):
        self.write("docs", b"d1 one two\n")
        self.crivo("build", "dictionary", "docs", "--from", "plaintext", "-o", "d.crv")
        self.write("keys", b"one\ntwo\n")
        self.crivo("reproduce", "d.crv", "keys")
