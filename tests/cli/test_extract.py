# SPDX-License-Identifier: Apache-2.0
"""`crivo extract`: the keys of collections, whatever their records have wrong."""

import collections
import gzip
import itertools
import json
import pathlib
import random
import re
import struct
import subprocess

import harness
from harness import CrivoTest, bzip2, gzipped, lines, xz, zstandard


def warc(uri, content=b"some content", kind="response", length=None, version="1.0"):
    """A record of WARC."""
    head = [f"WARC/{version}", f"WARC-Type: {kind}", "WARC-Date: 2020-65-01T00:00:00Z"]
    head += [f"WARC-Target-URI: {uri}"] if uri is not None else []
    head += [f"Content-Length: {len(content) if length is None else length}"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + content + b"\r\n\r\n"


def arc(url, content=b"some content", fields="192.0.2.1 20010203040506 text/html", length=None):
    """A record of ARC, version 1."""
    return f"{url} {fields} {len(content) if length is None else length}\n".encode() + content + b"\n"


def arc_file(*records, names="URL IP-address Archive-date Content-type Archive-length"):
    legend = f"1 0 Someone\n{names}\n\n".encode()
    fields = " ".join(["192.0.2.1 20010203040506 text/plain", *["-"] * (len(names.split()) - 5)])
    return b"".join([arc("filedesc://one.arc", legend, fields), *records])


class Extract(CrivoTest):
    def extracted(self, what, data, *options, code=0, name="input"):
        """The keys of a file with `data`, and what was said."""
        self.write(name, data)
        result = self.crivo("extract", what, name, *options, code=code)
        return result.out, result.err

    def urls(self, data, *options, **expected):
        return self.extracted("urls", data, *options, **expected)[0].decode().splitlines()

    def faults(self, data, *options, **expected):
        """The URLs of a file, and what is wrong with it."""
        out, err = self.extracted("urls", data, *options, **expected)
        return out.decode().splitlines(), [line.split(": ", 3)[3] for line in err.decode().splitlines()]

    def test_urls_of_warc(self):
        kinds = ("response", "resource", "revisit", "conversion", "request", "metadata", "warcinfo")
        records = [warc(f"http://{kind}/", kind=kind, version=v) for kind in kinds for v in ("0.18", "1.0", "1.1")]
        data = b"".join(records)
        expected = ["http://conversion/", "http://resource/", "http://response/", "http://revisit/"]
        self.assertEqual(self.urls(data), expected)
        self.assertEqual(self.urls(data, "--records", "request"), ["http://request/"])
        self.assertEqual(self.urls(data, "--count"), [f"{url}\t3" for url in expected])
        members = b"".join(gzip.compress(record) for record in records)
        for packed in (members, gzipped(data), zstandard(data), b"".join(map(zstandard, records)), xz(data), bzip2(data)):
            self.assertEqual(self.urls(packed), expected)

    def test_warc_with_a_dictionary(self):
        """WARC-zstd: a frame a record, and before them a skippable one with the dictionary of all."""
        records = [warc(f"http://{i}/", b"".join(b"line %d of %d\n" % (j * i % 97, i) for j in range(20))) for i in range(200)]
        for i, record in enumerate(records):
            self.write(f"sample-{i}", record)
        samples = [f"sample-{i}" for i in range(200)]
        subprocess.run(["zstd", "-q", "--train", *samples, "--maxdict=4096", "-o", "dictionary"], cwd=self.dir, check=True)
        dictionary = pathlib.Path(self.dir, "dictionary").read_bytes()
        packed = subprocess.run(["zstd", "-q", "-c", "-D", "dictionary", *samples], cwd=self.dir, check=True, stdout=subprocess.PIPE)
        expected = sorted(f"http://{i}/" for i in range(200))

        def in_frame(content):
            return b"\x5d\x2a\x4d\x18" + struct.pack("<I", len(content)) + content

        for content in (dictionary, zstandard(dictionary)):
            self.assertEqual(self.urls(in_frame(content) + packed.stdout), expected)
        found, faults = self.faults(packed.stdout, code=3)
        self.assertEqual((found, len(faults)), ([], 1))
        self.assertRegex(faults[0], "(?i)dictionary")
        other = in_frame(b"not a dictionary") + b"".join(map(zstandard, records[:3]))
        self.assertEqual(self.urls(other), ["http://0/", "http://1/", "http://2/"])
        found, faults = self.faults(in_frame(dictionary[:300]) + packed.stdout, code=3)
        self.assertEqual((found, len(faults)), ([], 1))

    def test_quirks_of_warc(self):
        good = warc("http://good/")
        self.assertEqual(self.urls(warc("<http://wget/>")), ["http://wget/"])
        self.assertEqual(self.urls(warc("http://a/b c")), ["http://a/b%20c"])
        folded = b"warc/1.0".upper() + b"\r\nwarc-type: Response\nWARC-Target-URI:\n http://folded/\nCONTENT-LENGTH: 0\n\n\n\n"
        self.assertEqual(self.urls(folded + good), ["http://folded/", "http://good/"])
        self.assertEqual(self.urls(good.replace(b"\r\n\r\n", b"\r\n\r\n\r\n\r\n") + good, ), ["http://good/"])
        self.assertEqual(self.urls(b""), [])
        for wrong, problem in (
            (warc(None), "the key is empty"),
            (warc("http://short/", length=3), "its Content-Length of 3 ends where no record ends"),
            (warc("http://none/", length="x"), "its Content-Length is not a number of bytes"),
            (warc("http://none/").replace(b"Content-Length: 12\r\n", b""), "it has no Content-Length"),
            (good.replace(b"WARC-Date", b"no colon\r\nWARC-Date"), "a line of the header has no colon"),
        ):
            found, faults = self.faults(good + wrong + warc("http://behind/"))
            self.assertEqual(faults, [f"byte {len(good)}: {problem}"])
            self.assertEqual((found[0], "http://good/" in found), ("http://behind/", True))
            self.extracted("urls", good + wrong + good, "--strict", code=3)

        found, faults = self.faults(b"\0\1\2 no record\r\n" + good, "--from", "warc")
        self.assertEqual(found, ["http://good/"])
        self.assertEqual(faults, ['byte 0: expected a record, which begins with "WARC/" and a version'])

    def test_what_warc_does_not_allow(self):
        """ISO 28500, 4 and 5: what a header lacks or has twice, and versions that are not read."""
        good = warc("http://good/")
        self.assertEqual(self.urls(warc("http://old/", version="0.17")), ["http://old/"])
        self.assertEqual(self.urls(warc("http://a/\r\n\tb")), ["http://a/%20b"])
        for wrong, problem in (
            (warc("http://no/", version="2.0"), "its version is not one of 0.16 to 0.18, 1.0 and 1.1"),
            (warc("http://no/", version="1.00"), "its version is not one of 0.16 to 0.18, 1.0 and 1.1"),
            (warc("http://no/").replace(b"WARC-Type: response\r\n", b""), "it has no WARC-Type"),
            (warc("http://no/").replace(b"Content-L", b"content-length: 3\r\nContent-L"), "its header has content-length twice"),
            (warc("http://no/\r\nWARC-Target-URI: http://other/"), "its header has warc-target-uri twice"),
            (warc("no-scheme"), "its URL has no scheme, such as https:"),
            (warc("1http://no/"), "its URL has no scheme, such as https:"),
            (warc("http://no/\x1b[2J"), "the URL has control characters"),
            (warc("http://no/\ta"), "the URL has control characters"),
        ):
            with self.subTest(wrong=wrong):
                self.assertEqual(self.faults(wrong + good), (["http://good/"], [f"byte 0: {problem}"]))

    def test_what_arc_does_not_allow(self):
        """The version block, also of a file that was joined behind another; and members that lengths contradict."""
        long = "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length"
        second = arc("http://second/", fields="192.0.2.1 20010203040506 text/html 200 - - 0 one.arc")
        self.assertEqual(self.urls(arc_file(second, names=long) + arc_file(arc("http://first/"))), ["http://first/", "http://second/"])
        for wrong, problem in (
            (arc_file().replace(b"\n1 0", b"\n3 0", 1), "byte 0: the version of the file is not 1 or 2"),
            (arc("filedesc://a", b"1 0 A\nURL Mood IP-address Archive-date Content-type Archive-length\n\n"), "byte 0: the file names 6 fields of a record, not 5 or 10"),
            (arc_file(arc("no scheme")), f"byte {len(arc_file())}: its URL has no scheme, such as https:"),
        ):
            self.assertEqual(self.faults(wrong + arc("http://a/")), (["http://a/"], [problem]))
        long = arc("http://a/", b"<p>one two", length=400)
        packed = b"".join(map(gzip.compress, (arc_file(), long, arc("http://b/", b"<p>three"), arc("http://c/", b"<p>four"))))
        problem = [f"byte {len(arc_file())}: its length of 400 is longer than its compressed member"]
        self.assertEqual(self.faults(packed), (["http://a/", "http://b/", "http://c/"], problem))
        self.assertEqual(self.extracted("terms", packed)[0].split(), [b"four", b"one", b"three", b"two"])

    def test_lines_that_are_no_cdx(self):
        for wrong, problem in (
            (b"this is some prose\n", "the line has no time in column 2"),
            (b'com,a)/ 20200102030405 {"url": 5}\n', "its URL has no scheme, such as https:"),
        ):
            self.assertEqual(self.faults(wrong, "--from", "cdx"), ([], [f"byte 0: {problem}"]))

    def test_formats_of_lines_that_are_other_files(self):
        """As of lines: refused by name, where the reader of the format would find nothing, or what is none."""
        for what, text in (("kmers", ">x\nACGT\n"), ("urls", " CDX N b a\nx 20200102030405 http://a/\n"), ("terms", "doc-1 words\ndoc-2\n")):
            form = {"kmers": (), "urls": ("--from", "cdx"), "terms": ("--from", "plaintext")}[what]
            for data, name in ((text.encode("utf-16"), b"text in UTF-16"), (text.replace("\n", "\r").encode(), b"text with CR for LF"),
                               (b"name".ljust(257, b"\0") + b"ustar  \0", b"a tar archive")):  # fmt: skip
                self.assertIn(b"input: is " + name, self.extracted(what, data, *form, code=3)[1])

    def test_lengths_that_members_contradict(self):
        wrong = warc("http://wrong/", length=10_000)
        packed = gzip.compress(wrong) + gzip.compress(warc("http://behind/"))
        self.assertEqual(
            self.faults(packed),
            (["http://behind/", "http://wrong/"],
             ["byte 0: its Content-Length of 10000 is longer than its compressed member"]),
        )

    def test_a_member_for_each_byte(self):
        """A million compressed members in one content, each of which was looked for among all: ten minutes."""
        count = 1_000_000
        for head, end in ((warc("http://a/", b"", length=count)[:-4], b"\r\n\r\n"), (arc_file(arc("http://a/", b"", length=count)[:-1]), b"\n")):
            packed = gzip.compress(head) + gzip.compress(b"x", 1) * count + gzip.compress(end)
            self.assertEqual(self.faults(packed), (["http://a/"], []))

    def test_files_that_end_early(self):
        whole = b"".join(warc(f"http://{i}/", b"x" * 1000) for i in range(9))
        found, faults = self.faults(whole[:-500], code=3)
        self.assertEqual(found, [f"http://{i}/" for i in range(9)])
        self.assertEqual(faults, [f"byte {len(whole) * 8 // 9}: its Content-Length of 1000 is longer than what is left of the file"])
        packed = b"".join(gzip.compress(warc(f"http://{i}/", b"x" * 1000)) for i in range(9))
        found, faults = self.faults(packed[:-5], code=3)
        self.assertEqual(found[:8], [f"http://{i}/" for i in range(8)])
        self.assertEqual(len(faults), 1)

    def test_urls_of_arc(self):
        records = [arc("http://b/"), arc("dns:b", b"192.0.2.1\n"), arc("http://a/c d"), arc("http://b/")]
        data = arc_file(*records)
        expected = ["dns:b", "http://a/c%20d", "http://b/"]
        self.assertEqual(self.urls(data), expected)
        self.assertEqual(self.urls(gzipped(data)), expected)
        self.assertEqual(self.urls(data, "--records", "resource"), [])
        names = "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length"
        second = arc("http://second/", fields="192.0.2.1 20010203040506 text/html 200 - - 0 one.arc")
        self.assertEqual(self.urls(arc_file(second, names=names)), ["http://second/"])
        found, faults = self.faults(arc_file(arc("http://short/", length=3), arc("http://behind/")))
        self.assertEqual(found, ["http://behind/", "http://short/"])
        self.assertRegex(faults[0], "^byte 1[0-9]*: expected a record, which begins with a line of 5 fields")
        found, faults = self.faults(arc_file(arc("http://long/", length=30)), code=3)
        self.assertEqual(found, ["http://long/"])
        self.assertRegex(faults[0], "its length of 30 is longer than what is left of the file")

    def test_urls_of_cdx(self):
        legend = b" CDX N b a m s k r M S V g\n"
        row = b"com,example)/ 20200102030405 http://example.com/ text/html 200 AAAA - - 100 0 one.warc.gz\n"
        for data in (legend + row, row, legend.replace(b" ", b"\t") + row.replace(b" ", b"\t")):
            self.assertEqual(self.urls(data), ["http://example.com/"])
        other = b" CDX a b\nhttp://first/ 20200102030405\n"
        self.assertEqual(self.urls(other), ["http://first/"])
        cdxj = b'com,example)/ 20200102030405 {"url": "http://example.com/\\u00e9", "mime": "text/html"}\n'
        self.assertEqual(self.urls(b"!OpenWayback-CDXJ 1.0\n" + cdxj), ["http://example.com/é"])
        theirs = b'(com,example,)/a 2020-01-02T03:04:05Z response {"ref": "warcfile:a#{", "uri": "http://example.com/a"}\n'
        self.assertEqual(self.urls(b"!OpenWayback-CDXJ 1.0\n" + theirs), ["http://example.com/a"])
        found, faults = self.faults(cdxj + b"com,example)/ 20200102030405 {\n" + cdxj)
        self.assertEqual((found, len(faults)), (["http://example.com/é"], 1))
        found, faults = self.faults(row + b"com,example)/ 20200102030405 -\n")
        self.assertEqual(faults, [f"byte {len(row)}: the line has no URL in column 3"])

    def test_surts(self):
        self.assertEqual(self.urls(lines([b"http://www.Example.com:80/A?b=2&a=1#c", b"https://example.com/a/?a=1&b=2"]), "--surt"),
                         ["com,example)/a?a=1&b=2"])

    def test_members_in_parallel(self):
        """Keys are alike for any threads, also of records across members, and what is wrong with them."""
        chance = random.Random(4)
        whole = b"".join(warc(f"http://{i}/", chance.randbytes(chance.randrange(20000))) for i in range(300))
        edges = sorted(chance.sample(range(len(whole)), 400))
        across = b"".join(gzip.compress(whole[a:b], 1) for a, b in zip([0, *edges], [*edges, len(whole)]))
        damaged = bytearray(across)
        damaged[len(across) // 2 : len(across) // 2 + 9] = b"x" * 9
        for data, code in ((across, 0), (bytes(damaged), 3)):
            said = [self.extracted("urls", data, "--threads", n, code=code) for n in ("1", "4")]
            self.assertEqual(said[0][0], said[1][0])
            self.assertEqual(*(re.sub(rb"near byte \d+", b"", err) for _, err in said))
            self.assertGreater(len(said[0][0].splitlines()), 100)

    def test_payload_vectors(self):
        """Those of PISA: a count, offsets, and texts."""
        documents = b"doc-2 The cat\ndoc-1 A hat, the end\n" * 3
        terms = [b"a", b"cat", b"end", b"hat", b"the"]

        def vector(texts):
            ends = itertools.accumulate(map(len, texts), initial=0)
            return struct.pack(f"<{len(texts) + 2}Q", len(texts), *ends) + b"".join(texts)

        plain = ("--from", "plaintext", "--pisa")
        self.assertEqual(self.extracted("terms", documents, *plain)[0], vector(terms))
        self.assertEqual(self.extracted("docnos", documents, *plain)[0], vector([b"doc-2", b"doc-1"] * 3))
        self.assertEqual(self.extracted("terms", b"", *plain)[0], vector([]))
        many = [b"%d" % i for i in range(100_000)]
        self.assertEqual(self.extracted("lines", lines(many), "--pisa")[0], vector(sorted(many)))
        self.assertEqual(self.extracted("lines", vector(sorted(many)), "--from", "pisa")[0], lines(sorted(many)))
        for data in (vector([b"The", b"a b", b"The"]), gzipped(vector([b"The", b"a b", b"The"]))):
            self.assertEqual(self.extracted("docnos", data, "--from", "pisa")[0], b"The\na b\nThe\n")
            self.assertEqual(self.extracted("lines", data, "--from", "pisa")[0], b"The\na b\n")
            self.assertEqual(self.extracted("terms", data, "--from", "pisa")[0], b"a b\nthe\n")
        self.write("vector", vector(terms))
        self.crivo("build", "dictionary", "vector", "--from", "pisa", "-o", "terms.crv")
        self.assertEqual(self.query("terms.crv", [*terms, b"Cat"]), [b"0", b"1", b"2", b"3", b"4", b"-"])
        self.write("names", vector([b"doc-2", b"doc-1"]))
        self.crivo("build", "map", "names", "--from", "pisa", "-o", "names.crv")
        self.assertEqual(self.query("names.crv", [b"doc-2", b"doc-1"]), [b"0", b"1"])

        for wrong, problem in (
            (vector(terms)[:-1], "the file ends before its last payload"),
            (vector(terms)[:30], "the file ends before its last offset"),
            (struct.pack("<QQ", 3, 1), "expected a payload vector, which begins with a count and the offset 0"),
            (struct.pack("<4Q", 2, 0, 5, 4) + b"abcde", "an offset is less than the one before it"),
        ):
            err = self.extracted("docnos", wrong, "--from", "pisa", code=3)[1].decode()
            self.assertIn(problem, err)
        self.assertEqual(self.extracted("docnos", vector(terms)[:-1], "--from", "pisa", code=3)[0], lines(terms[:-1]))
        self.assertIn(b"goes on behind", self.extracted("docnos", vector(terms) + b"x", "--from", "pisa")[1])
        self.crivo("extract", "lines", "-", "--from", "pisa", stdin=vector(terms), code=2)
        self.crivo("extract", "lines", "vector", "--pisa", "--count", code=2)
        self.crivo("extract", "lines", "vector", "--pisa", "--null-output", code=2)
        self.crivo("extract", "kmers", "vector", "--from", "pisa", code=2)

    def test_lines(self):
        keys = [b"b", b"a", b"b", b"\xff"]
        self.assertEqual(self.extracted("lines", lines(keys))[0], lines(sorted(set(keys))))
        self.assertEqual(self.extracted("lines", b"x\ta\ny\tb\n", "--column", "2")[0], b"a\nb\n")
        rows = lines(json.dumps({"k": key}).encode() for key in ("one", "two"))
        self.assertEqual(self.extracted("lines", rows + b"{\n", "--json-key", "k")[0], b"one\ntwo\n")

    TREC = (
        b"<DOC>\n<DOCNO> AP-1 </DOCNO>\n<HEAD>A Head</HEAD>\n<TEXT>\nThe cat &amp; the\ncat's AT&T hat.\n</TEXT>\n</DOC>\n"
        b"\n<DOC><DOCNO>WEB-2</DOCNO><DOCHDR>\nhttp://host/ not text\n</DOCHDR>\n<html><!-- no -- text --><style>p {}</style>"
        b"<SCRIPT a=b>var x = '</p>';</SCRIPT>\n<p class=x>caf\xc3\xa9</p>a < b<br>end</DOC>\n"
    )

    def test_terms_and_docnos_of_trec(self):
        expected = "a amp and at b café cat end hat head s t the".split()
        expected.remove("and")
        expected.remove("amp")
        self.assertEqual(self.extracted("terms", self.TREC)[0].decode().split(), expected)
        counted = dict(row.split("\t") for row in self.extracted("terms", self.TREC, "--count")[0].decode().splitlines())
        self.assertEqual((counted["the"], counted["cat"], counted["a"]), ("2", "2", "2"))
        counted = dict(row.split("\t") for row in self.extracted("terms", self.TREC, "--count", "--once")[0].decode().splitlines())
        self.assertEqual((counted["the"], counted["cat"], counted["a"]), ("1", "1", "2"))
        unfolded = self.extracted("terms", self.TREC, "--no-fold")[0].decode().split()
        self.assertTrue({"A", "AT", "Head", "T", "The", "the"} <= set(unfolded))
        self.assertEqual(self.extracted("docnos", gzipped(self.TREC))[0], b"AP-1\nWEB-2\n")

    def test_terms_and_docnos_of_archives(self):
        """Of pages, as servers sent them; without --from, and into a build."""

        def page(body, fields=b""):
            return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + fields + b"\r\n" + body

        html = b"<title>The caf&eacute;</title><script>hidden()</script><p class='a > b'>caf\xc3\xa9 Two"
        contents = [page(html), page(gzip.compress(html), b"Content-Encoding: gzip\r\n")]
        head = b"Content-Type: application/http\r\nWARC-Record-ID: <urn:one>\r\nContent-Length"
        records = [warc("http://a/", content).replace(b"Content-Length", head, 1) for content in contents]
        named = records[0].replace(b"WARC-Record-ID", b"WARC-TREC-ID: cw-1\r\nWARC-Record-ID")
        other = warc("http://a/", page(b"no answer"), "request").replace(b"Content-Length", head, 1)
        data = gzipped(b"".join([*records, named, other]))
        self.assertEqual(self.extracted("terms", data, "--count")[0].decode(), "café\t6\nthe\t3\ntwo\t3\n")
        self.assertEqual(self.extracted("terms", data, "--count", "--once")[0].decode(), "café\t3\nthe\t3\ntwo\t3\n")
        self.assertEqual(self.extracted("terms", data, "--no-fold")[0].decode(), "The\nTwo\ncafé\n")
        self.assertEqual(self.extracted("docnos", data)[0], b"<urn:one>\n<urn:one>\ncw-1\n")
        self.assertEqual(self.extracted("terms", arc_file(arc("http://a/", contents[1])))[0].decode(), "café\nthe\ntwo\n")
        self.write("a.warc.gz", data)
        self.crivo("build", "dictionary", "a.warc.gz", "--from", "warc", "--extract", "terms", "-o", "terms.crv")
        self.assertEqual(self.query("terms.crv", ["Two".encode(), "Café".encode(), b"hidden"]), [b"2", b"0", b"-"])

        def terms_and_fault(content, fields=b"", cut=None):
            record = warc("http://a/", content if cut is None else content[:cut]).replace(b"Content-Length", fields + head, 1)
            out, err = self.extracted("terms", record)
            return out.split(), err.decode().partition("byte 0: ")[2].strip()

        plain = page(b"one two three").replace(b"text/html", b"TEXT/plain")
        for fields in (b"WARC-Truncated: length\r\n", b"WARC-Segment-Number: 1\r\n"):  # the last term may go on
            segment = "it is a segment of a record, which are not joined" if b"Segment" in fields else ""
            self.assertEqual(terms_and_fault(plain, fields, -2), ([b"one", b"two"], segment))
        wide, packed = ("<p>some words".encode(form) for form in ("utf-16", "utf-16-be")), gzip.compress(gzip.compress(html))
        for body in (*wide, gzip.compress(html), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR a b c"):
            self.assertEqual(terms_and_fault(page(body)), ([], "its text is binary, or in an encoding that is not read"))
        self.assertEqual(terms_and_fault(page(packed, b"Content-Encoding: gzip, gzip\r\n"))[1],
                         "its two Content-Encodings of gzip, gzip are not read")
        self.assertEqual(terms_and_fault(b"<p>one\n\ntwo")[1], "its content is not a message of HTTP")
        self.assertEqual(terms_and_fault(b"HTTP/1.1 200 OK\r\n<p>one")[1], "its HTTP header does not end")
        self.assertEqual(terms_and_fault(plain.replace(b"TEXT", b"\r\n text"))[0], [b"one", b"three", b"two"])
        brotli = records[1].replace(b": gzip", b": br  ").replace(gzip.compress(html)[:4], b"\x0b\x02\x80\x03")
        out, err = self.extracted("terms", records[0] + brotli)
        self.assertEqual(out.decode(), "café\nthe\ntwo\n")
        self.assertIn(f"byte {len(records[0])}: its Content-Encoding of br is not read\n".encode(), err)

    def test_faults_of_trec(self):
        for small in (b"<doc>\n<docno>a</docno>\n</doc>\n", b"<DOC\n>\n<DOCNO>a</DOCNO>\n</DOC>\n"):
            for what in ("docnos", "terms"):
                out, err = self.extracted(what, small)
                self.assertEqual((out, err.partition(b": byte 0: ")[2]), (b"", b"expected <DOC>\n"))
        for wrong, problem, code in (
            (b"<DOC>\nno name\n</DOC>\n", "the document has no <DOCNO>", 0),
            (b"something\nelse\n", "expected <DOC>", 0),
            (b"<DOC><DOCNO>X</DOCNO>\n", "another document begins before this one ends", 0),
        ):
            out, err = self.extracted("docnos", self.TREC + wrong + self.TREC)
            names = [b"AP-1", b"WEB-2"]
            self.assertEqual(out.split(), [*names, *([b"X"] if b"X" in wrong else []), *names])
            self.assertIn(f"byte {len(self.TREC)}: {problem}\n".encode(), err)
        out, err = self.extracted("docnos", self.TREC[:-8], code=3)
        self.assertEqual(out, b"AP-1\nWEB-2\n")
        self.assertIn(b": the document does not end\n", err)

    def test_documents_with_attributes(self):
        """Of which id is the name of a document that has no <DOCNO>."""
        data = b"""<DOC id="NYT-1" type="story" >\n<TEXT>one</TEXT>\n</DOC>\n<DOC type=x gid=no id='NYT-2'>two</DOC>\n"""
        data += b"<DOC id=NYT-3>\n<DOCNO>AP-3</DOCNO>three</DOC>\n"
        self.assertEqual(self.extracted("docnos", data), (b"NYT-1\nNYT-2\nAP-3\n", b""))
        self.assertEqual(self.extracted("terms", data)[0], b"one\nthree\ntwo\n")
        out, err = self.extracted("docnos", data + b"<DOC type=x>\n</DOC>\n<DOC\nid=a>\n</DOC>\n<DOCS>\n")
        self.assertEqual(out, b"NYT-1\nNYT-2\nAP-3\n")
        self.assertIn(b"the document has no <DOCNO>\n", err)
        self.assertIn(b"expected <DOC>\n", err)

    def test_compressed_behind_plain(self):
        """What is not read is named, and the file counts as cut."""
        for record, head in ((warc, b""), (arc, arc_file())):
            plain = head + record("http://plain/")
            found, faults = self.faults(plain + gzip.compress(record("http://b/")) + gzip.compress(record("http://c/")), code=3)
            self.assertEqual(found, ["http://plain/"])
            self.assertEqual(len(faults), 1)
            self.assertIn(f"byte {len(plain)}: compressed data begin behind plain ones", faults[0])

    def test_urls_of_lines(self):
        """A line that is not a URL is no key; what archives have is one, so that URLs extracted once may be so again."""
        urls = ["http://a/", "HTTPS://a.example/b?c", "dns:a", "urn:X-log:a", "filedesc://one.arc", "whois://a", "ftp://a/"]
        text = ["See http://a/ for more", "Note: this", "a b", "word", "http://", "http://a/ is good", "x:y", "://a", "1a://b"]
        out, err = self.extracted("urls", lines(line.encode() for line in [*urls, " <http://a/b> \r", *text]))
        self.assertEqual(out.decode().split(), sorted([*urls, "http://a/b"]))
        self.assertEqual(err.count(b"the line is not a URL"), len(text))
        self.extracted("urls", b"word\n", "--strict", code=3)

    def test_more_terms_than_are_handed_over_at_once(self):
        """Of one document: 2^20 and some, and in a test that takes long over 2^24."""
        times = 70 if harness.LONG else 5
        data = b" ".join(b"w%d" % (i % 3000) for i in range(300_000)) + b" "
        for line in (data * times, data * times + b"\nlast words\n"):
            counted = self.extracted("terms", line, "--count")[0]
            self.assertIn(b"w17\t%d\n" % (100 * times), counted)
            self.assertEqual(b"last\t1\n" in counted, b"last" in line)

    def test_terms_of_lines(self):
        data = b"doc-2 Some text, some more\ndoc-1\tother TEXT\n\ndoc-3\n"
        plain = ("--from", "plaintext")
        self.assertEqual(self.extracted("docnos", data, *plain)[0], b"doc-2\ndoc-1\ndoc-3\n")
        self.assertEqual(self.extracted("terms", data, *plain)[0], b"more\nother\nsome\ntext\n")
        self.assertEqual(self.extracted("terms", data, *plain, "--once", "--count")[0], b"more\t1\nother\t1\nsome\t1\ntext\t2\n")
        rows = lines(json.dumps({"id": name, "contents": text}).encode() for name, text in (("b", "One two"), ("a", "two")))
        self.assertEqual(self.extracted("terms", rows, "--json-key", "contents", "--count")[0], b"one\t1\ntwo\t2\n")
        self.assertEqual(self.extracted("docnos", rows, "--json-key", "id")[0], b"b\na\n")
        self.assertIn(b"built without ICU", self.extracted("terms", rows, "--words", "icu", code=2)[1])
        long = b"x" * 3_000_000 + b" y"  # a term that no key may be as long as
        self.assertEqual(self.extracted("terms", long)[0], b"y\n")

    def test_kmers(self):
        def canonical(window):
            values = []
            for strand in (window, window[::-1].translate(bytes.maketrans(b"ACGT", b"TGCA"))):
                values.append(sum(b"ACGT".index(base) << 2 * (len(window) - 1 - i) for i, base in enumerate(strand)))
            return min(values).to_bytes(8, "little").hex().encode()

        rng = random.Random(3)
        sequences = [bytes(rng.choices(b"ACGT", k=size)) for size in (0, 1, 30, 31, 32, 100, 20_000)]
        for k in (1, 2, 5, 30, 31):
            expected = collections.Counter(canonical(s[i : i + k]) for s in sequences for i in range(len(s) - k + 1))
            fasta = b"".join(b">x\n%s\n" % b"\n".join(s[i : i + 70] for i in range(0, len(s), 70)) for s in sequences)
            wanted = lines(b"%s\t%d" % pair for pair in sorted(expected.items()))
            self.assertEqual(self.extracted("kmers", fasta, "-k", k, "--count")[0], wanted)
            fastq = b"".join(b"@x\n%s\n+\n%s\n" % (s.lower(), b"@" * len(s)) for s in sequences)
            self.assertEqual(self.extracted("kmers", gzipped(fastq), "-k", k, "--count")[0], wanted)
        for data in (fasta, fastq):  # each is a record, of however many lines
            self.write("sequences", data)
            summary = self.crivo("extract", "kmers", "sequences", "-k", "2", "-o", "out", "--force", "--json").json()
            self.assertEqual((summary["records"], summary["bad_records"]), (len(sequences), 0))
        self.assertEqual(self.extracted("kmers", b">\nACNGT\r\nAC\n", "-k", "2")[0].split(),
                         sorted({canonical(w) for w in (b"AC", b"GT", b"TA")}))
        # Comments are no bases, and blanks between these are nothing.
        self.assertEqual(self.extracted("kmers", b">x\n;CATG\nA C\n\tG\n;GG\nTT\n", "-k", "2")[0].split(),
                         sorted({canonical(w) for w in (b"AC", b"CG", b"TT")}))
        for k in ("0", "32"):
            self.extracted("kmers", b"", "-k", k, code=2)
        out, err = self.extracted("kmers", b"@x\nAC\nno\n@y\nGG\n+\n##\n", "-k", "2")
        self.assertEqual(out.split(), sorted({canonical(w) for w in (b"AC", b"GG")}))
        self.assertIn(b'byte 6: expected "+" behind the bases of a read', err)
        # Of several lines, whose qualities may begin with any sign; and blank lines between reads.
        out, err = self.extracted("kmers", b"@x\nACG\nTAC\n+x\n@@@\n+II\n\n@y\nGG\n+\n@@\n\r\n", "-k", "3", "--count")
        self.assertEqual((out.split(b"\n")[:-1], err), (sorted(b"%s\t2" % canonical(w) for w in (b"ACG", b"GTA")), b""))
        out, err = self.extracted("kmers", b"@x\nAC\nGT\n+\nII\nI", "-k", "4", code=3)
        self.assertIn(b"the last read lacks qualities", err)
        # Letters that stand for several bases are none, and what no nucleotide has is named once.
        self.assertEqual(self.extracted("kmers", b">x\nACRYKMSWBDHVNacgt-.UX\n", "-k", "3")[1], b"")
        for wrong in (b">x\nMEGATT\nLIFE\n>y\nGG\n", b"GATTE\n", b"@x\nACGTE\n+\n#####\n"):
            err = self.extracted("kmers", wrong, "-k", "3")[1]
            self.assertEqual(err.count(b"the sequence has characters that no bases have\n"), 1, err)
        out, err = self.extracted("kmers", b"@y\nGG\n+\n##\n@z\n", "-k", "2", code=3)
        self.assertEqual(out.split(), [canonical(b"GG")])
        self.assertIn(b"byte 14: the last read has no four lines", err)
        self.write("kmers", self.extracted("kmers", fasta)[0])
        self.crivo("build", "mphf", "kmers", "--hex", "-o", "kmers.crv")

    def test_same_bytes_however(self):
        records = [gzip.compress(warc(f"http://host{i % 700}/{i}", b"y" * i)) for i in range(3000)]
        self.write("one", b"".join(records[:1000]))
        self.write("two", b"".join(records[1000:]))
        expected = lines(sorted({b"http://host%d/%d" % (i % 700, i) for i in range(3000)}))
        for order in (("one", "two"), ("two", "one")):
            for options in ((), ("--memory", "1M"), ("--threads", "1")):
                self.assertEqual(self.crivo("extract", "urls", *order, *options).out, expected)
        self.crivo("extract", "urls", "one", "two", "-o", "keys")
        self.assertEqual((self.dir / "keys").read_bytes(), expected)
        self.crivo("build", "mphf", "keys", "-o", "keys.crv")

    def test_output(self):
        self.write("one", warc("http://one/"))
        summary = self.crivo("extract", "urls", "one", "-o", "keys", "--json").json()
        self.assertEqual([summary[name] for name in ("records", "bad_records", "cut_files", "keys", "written")], [1, 0, 0, 1, 1])
        self.crivo("extract", "urls", "one", "-o", "keys", code=2)  # stands there
        self.crivo("extract", "urls", "one", "-o", "keys", "--force")
        self.crivo("extract", "urls", "one", "-o", "one", "--force", code=2)
        self.assertEqual(self.crivo("extract", "urls", "one", "--null-output").out, b"http://one/\0")
        for wrong in (("lines", "--surt"), ("urls", "--json"), ("terms", "--from", "cdx"), ("docnos", "--from", "arc"), ("kmers", "--from", "lines"), ("words",), ("lines", "--from", "warc"), ("urls", "--from", "tar")):
            self.crivo("extract", wrong[0], "one", *wrong[1:], code=2)
        self.crivo("extract", "urls", "missing", code=5)
