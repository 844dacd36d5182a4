# SPDX-License-Identifier: Apache-2.0
"""How keys and records are read: separators, sources, compression, sizes, odd keys."""

import gzip
import lzma
import os
import subprocess
import zlib

from harness import CRIVO, KINDS, PACKERS, CrivoTest, files_of, gzipped, lines, pairs, records_of, urls

MIB = 1 << 20


class Sizes(CrivoTest):
    def check(self, kind, count, *options):
        keys = urls(count)
        path = self.build(kind, keys, *options, out=f"{kind}-{count}")
        self.assertEqual(self.info(path)["keys"], count)
        self.assert_answers(kind, path, keys)
        self.crivo("verify", path)

    def test_small_and_odd_counts(self):
        for kind in KINDS:
            for count in (0, 1, 2, 3, 63, 64, 65, 257):
                with self.subTest(kind=kind, count=count):
                    self.check(kind, count)

    def test_the_seed_collections_smallest(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.check(kind, 11_500)

    def test_a_hundred_thousand(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                # To find out which codec is best would take most of the time.
                self.check(kind, 100_000, *(("--codec", "zstd") if kind == "store" else ()))

    def test_no_keys_answer_absent(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.assertEqual(self.query(self.build(kind, []), [b"anything"]), [b"-"])


class Forms(CrivoTest):
    """The same set in any form gives the same file."""

    KEYS = [b"%08x" % (i * 2654435761 % 2**32) for i in range(3_000)]

    def setUp(self):
        super().setUp()
        self.expected = files_of(self.dir / self.build("mphf", self.KEYS, out="expected"))

    def same(self, *args, **options):
        self.crivo("build", "mphf", *args, "-o", "got", "--force", **options)
        self.assertEqual(files_of(self.dir / "got"), self.expected)

    def test_last_line_without_lf(self):
        self.same(self.write("k", lines(self.KEYS)[:-1]))

    def test_null_separated(self):
        self.same("--null", self.write("k", b"".join(k + b"\0" for k in self.KEYS)))
        self.same("--null", self.write("k", b"\0".join(self.KEYS)))

    def test_fixed_width(self):
        self.same("--fixed", "8", self.write("k", b"".join(self.KEYS)))

    def test_crlf(self):
        self.same("--crlf", self.write("k", b"\r\n".join(self.KEYS)))

    def test_cr_belongs_to_the_key_without_crlf(self):
        self.crivo("build", "mphf", self.write("k", b"a\r\na\n"), "-o", "cr", "--signature", "32")
        self.assertEqual(sorted(self.query("cr", [b"a", b"a\r"])), [b"0", b"1"])

    def test_several_files(self):
        parts = [
            self.write("k0", lines(self.KEYS[:1000])),
            self.write("k1", lines(self.KEYS[1000:1001])[:-1]),  # its last line ends with its file
            self.write("k2", b""),
            self.write("k3", lines(self.KEYS[1001:])),
        ]
        self.same(*parts)

    def test_standard_input(self):
        self.same("-", stdin=lines(self.KEYS))
        self.write("k", lines(self.KEYS))
        with open(self.dir / "k", "rb") as file:
            self.same("-", stdin=file)

    def test_standard_input_between_files(self):
        k0, k2 = self.write("k0", lines(self.KEYS[:10])), self.write("k2", lines(self.KEYS[20:]))
        self.same(k0, "-", k2, stdin=lines(self.KEYS[10:20]))

    def test_compressed_whatever_its_name(self):
        data = lines(self.KEYS)
        half = len(data) // 2 + 3  # amid a key
        for name, pack in PACKERS.items():
            with self.subTest(name):
                self.same(self.write("k.txt", pack(data)))
                self.same("-", stdin=pack(data))
                self.same(self.write("k.txt", pack(data[:half]) + pack(b"") + pack(data[half:])))

    def test_plain_text_named_gz(self):
        self.same(self.write("k.gz", lines(self.KEYS)))

    def test_damaged_compression_is_bad_input(self):
        for name, pack in PACKERS.items():
            with self.subTest(name):
                whole = pack(lines(self.KEYS))
                for data in (whole[: len(whole) // 2], whole[:-1], whole + b"rubbish"):
                    error = self.crivo("build", "mphf", self.write("k", data), "-o", "x", code=3).err
                    self.assertIn(b"crivo: k", error)
                    self.assertNotIn("x", self.listing())

    def test_damage_is_told_and_not_what_it_made_of_the_text(self):
        """A stored block holds the text as it is: one byte makes an empty line, and a wrong checksum."""
        whole = gzip.compress(lines(self.KEYS), compresslevel=0, mtime=0)
        at = whole.index(self.KEYS[5])
        data = whole[: at + 3] + b"\n\n" + whole[at + 5 :]
        for source, stdin in ((self.write("k", data), b""), ("-", data)):
            error = self.crivo("build", "mphf", source, "-o", "x", code=3, stdin=stdin).err
            self.assertRegex(error, rb"^crivo: (k|\(standard input\)): the gzip data is damaged near byte \d+")
            self.assertNotIn(b"empty", error)

    def test_gzip_padded_with_zeros(self):
        self.same(self.write("k", gzipped(lines(self.KEYS)) + bytes(1000)))

    def test_other_compressed_files_are_refused_by_name(self):
        heads = {
            "lz4": b"\x04\x22\x4d\x18\x64\x40\xa7",
            "lzip": b"LZIP\x01\x0c",
            "lzop": b"\x89LZO\0\r\n\x1a\n",
            "zip": b"PK\3\4\x14\0",
            "7z": b"7z\xbc\xaf\x27\x1c\0\4",
            "rar": b"Rar!\x1a\7\1\0",
            "compress": b"\x1f\x9d\x90\x61",
        }
        for name, head in heads.items():
            for source, stdin in ((self.write("k", head + b"a\nb\n"), b""), ("-", head)):
                with self.subTest(name=name, source=source):
                    error = self.crivo("build", "mphf", source, "-o", "x", code=3, stdin=stdin).err
                    self.assertIn(name.encode(), error)
                    self.assertIn(b"which Crivo does not read; decompress it first", error)
        self.assertNotIn("x", self.listing())

    def test_text_that_begins_as_an_archive_does(self):
        keys = [b"BZh91", b"PK", b"LZIP", b"7z", b"Rar!", b"\x1f\x8b"]
        for first in keys:
            self.crivo("build", "filter", self.write_keys([first] + [k for k in keys if k != first]), "-o", "f", "-f")
            self.assertEqual(self.info("f")["keys"], len(keys))

    def test_keys_that_begin_with_a_magic_number_by_chance(self):
        """Compressed themselves, they are taken as they are."""
        data = b"\x1f\x8b\x08\0" + b"abcdefgh"
        self.crivo("build", "mphf", "--fixed", 4, self.write("k", data), "-o", "x", code=3)
        self.crivo("build", "mphf", "--fixed", 4, self.write("k", gzipped(data)), "-o", "x")
        self.assertEqual(self.info("x")["keys"], 3)

    def test_width_that_does_not_divide_the_file(self):
        self.crivo("build", "mphf", "--fixed", "7", self.write("k", b"x" * 15), "-o", "x", code=3)


class SlowPipes(CrivoTest):
    """Bytes that come one at a time, and whoever sends them waits for answers."""

    def start(self, *args):
        process = subprocess.Popen(
            [CRIVO, *args], cwd=self.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.addCleanup(process.communicate)
        return process

    def test_each_line_is_answered_before_the_next_is_sent(self):
        keys = [b"a", b"B", b"PK", b"BZh9", b"\x1f\x8b", b"absent", b"LZIP"]
        path = self.build("filter", [k for k in keys if k != b"absent"], "--bits", "32")
        process = self.start("query", path, "-")
        for key in keys:
            for byte in key + b"\n":
                os.write(process.stdin.fileno(), bytes([byte]))
            expected = b"-" if key == b"absent" else b"maybe"
            self.assertEqual(process.stdout.readline(), key + b"\t" + expected + b"\n")

    def test_xz_with_a_large_dictionary(self):
        """What is sound, but takes much memory, is not called damaged."""
        for code, mib in ((32, 256), (36, 1024)):  # as the header of the block has it
            packed = bytearray(PACKERS["xz"](b"a\nb\n"))
            self.assertEqual(packed[14:16], b"\x21\x01")  # LZMA2
            packed[16] = code
            packed[20:24] = zlib.crc32(packed[12:20]).to_bytes(4, "little")
            built = self.crivo("build", "mphf", "-", "-o", f"{mib}.crv", "-q", stdin=bytes(packed), code=0 if mib == 256 else 5)
            if mib != 256:
                self.assertIn(b"needs 1024 MiB of memory", built.err)

    def test_compressed_bytes_one_by_one(self):
        path = self.build("filter", [b"a", b"b"], "--bits", "32")
        for name, pack in PACKERS.items():
            with self.subTest(name):
                process = self.start("query", path, "-")
                for byte in pack(b"a\nb\n"):
                    os.write(process.stdin.fileno(), bytes([byte]))
                self.assertEqual(process.communicate()[0], b"a\tmaybe\nb\tmaybe\n")


class Warnings(CrivoTest):
    """Text that is built as it is, but may not have been meant so."""

    CR = b"crivo: warning: k: every line ends with a CR, which is part of it; --crlf leaves it out\n"

    def warned(self, kind, data, *options):
        self.write("k", data)
        return self.crivo("build", kind, "k", "-o", kind, "-f", *options).err

    def test_a_byte_order_mark_and_a_cr_at_the_end_of_every_line(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                tail = b"\tv" if kind == "store" else b""
                both = b"\xef\xbb\xbfa" + tail + b"\r\nb" + tail + b"\r\n"
                self.assertTrue(self.warned(kind, both).startswith(self.CR))
                self.assertTrue(self.warned(kind, both, "--json").startswith(self.CR))
                self.assertEqual(self.warned(kind, both, "--quiet"), b"")
                self.assertNotIn(b"warning", self.warned(kind, both, "--crlf"))
                self.crivo("query", kind, "--key", "a")
                some = self.warned(kind, b"a" + tail + b"\r\nb" + tail + b"\n")
                self.assertTrue(some.startswith(self.CR.replace(b"every line ends", b"some lines end")))
                self.assertEqual(self.info(kind)["keys"], 2)

    def test_of_an_edit(self):
        self.crivo("build", "filter", self.write_keys([b"a"]), "-o", "f", "--type", "bloom", "--capacity", 100)
        error = self.crivo("filter", "add", "f", self.write("k", b"b\r\nc\r\n")).err
        self.assertTrue(error.startswith(self.CR), error)
        self.assertEqual(self.crivo("filter", "add", "f", self.write("k", b"d\r\n"), "--quiet").err, b"")


class OtherFormats(CrivoTest):
    """Files that are no lines of text are refused by name, by every command that reads keys."""

    def test_are_refused_unless_they_are_meant(self):
        tar = b"name".ljust(257, b"\0") + b"ustar  \0" + b"\0" * 247
        for data, name in (
            (tar, b"a tar archive"),
            (gzip.compress(tar), b"a tar archive"),
            (gzip.compress(gzip.compress(b"a\n")), b"compressed twice"),
            ("a\nb\n".encode("utf-16"), b"text in UTF-16"),
            ("alpha\nbeta\ngamma\n".encode("utf-16-le"), b"text in UTF-16"),
            ("a\nb\n".encode("utf-32"), b"text in UTF-32"),
            (b"PAR1\x15\0\x15\x10", b"a Parquet file"),
            (b"SQLite format 3\0\x10\0", b"a SQLite database"),
            (zlib.compress(b"a\nb\n" * 30), b"compressed by zlib"),
            (lzma.compress(b"a\nb\n", format=lzma.FORMAT_ALONE), b"compressed by lzma"),
            (b"WARC/1.0\r\nWARC-Type: response\r\n", b"a WARC archive"),
            (b"alpha\rbeta\r", b"text with CR for LF (tr '\\r' '\\n' mends it)"),
            (gzip.compress("\ufeffgr\u00fcn\rblau".encode()), b"text with CR for LF"),
        ):
            with self.subTest(name=name):
                path = self.write("other", data)
                for command in (("build", "mphf", path, "-o", "x"), ("sort", path, "-o", "y"), ("extract", "lines", path)):
                    error = self.crivo(*command, code=3).err
                    self.assertIn(b"other: is " + name, error)
                    self.assertIn(b", not lines of text; --binary-lines reads it as lines all the same\n", error)
                error = self.crivo("build", "mphf", "-", "-o", "x", stdin=data, code=3).err
                self.assertIn(b"(standard input): is " + name, error)
                self.crivo("sort", path, "-o", "sorted", "-f", "--unique", "--allow-empty", "--binary-lines")

    def test_neighbours_are_refused_too(self):
        """Encodings without a mark, lists that NUL divides, and what else is a file of its own."""
        for data, name in (
            ("alpha\nbeta\ngamma\n".encode("utf-32-le"), b"text in UTF-32"),
            ("alpha\nbeta\ngamma\n".encode("utf-32-be"), b"text in UTF-32"),
            (("\u043f\u0440\u0438\n\u043c\u0438\u0440\n" * 4).encode("utf-16-le"), b"text in UTF-16"),
            (("\u6f22\u5b57\n\u5b57\n" * 4).encode("utf-16-be"), b"text in UTF-16"),
            ("alpha\nbeta\ngamma\n".encode("cp500"), b"text in EBCDIC (iconv mends it)"),
            ("alpha beta\x85gamma 17\x85".encode("cp037"), b"text in EBCDIC (iconv mends it)"),
            (b"alpha\0beta\0", b"text with NUL for LF (tr '\\0' '\\n' mends it)"),
            (b"alpha\0" * 1000, b"text with NUL for LF"),
            (b"WARC/0.18\r\nWARC-Type: response\r\n", b"a WARC archive"),
            (b"GIF89a\1\0\1\0", b"a GIF image"),
            (b"MZ\x90\0\3", b"a program (PE)"),
            (b"\0\0\0\x18ftypmp42", b"a film (MP4)"),
            (b"\x80\3]q\0X\1\0\0\0a.", b"a Python pickle"),
            (b"FEA1\0\0\0\0", b"a Feather file"),
            (b"PK\7\x08PK\3\4", b"a part of a zip archive"),
        ):
            with self.subTest(data=data[:20]):
                self.assertIn(b"other: is " + name, self.crivo("sort", self.write("other", data), "-o", "x", code=3).err)
        for data in (b"a\0b", b"a\0\nb\0\n", "\u043f%\u0440\n".encode("koi8-r"), b"k\t" + bytes(range(11, 256)) * 3, b"\0\n\0a\n", b"ID3", b"MZ\n"):
            self.crivo("sort", self.write("text", data), "-o", "x", "-f")

    def test_are_refused_where_keys_are_answered_as_they_come(self):
        """Though the first line is one of text."""
        self.crivo("build", "filter", self.write_keys([b"PAR1"]), "-o", "f")
        path = self.write("other", b"PAR1\n\x15\0\x15\n")
        for command in (("query", "f", path), ("filter", "diff", path, "f")):
            said = self.crivo(*command, code=3)
            self.assertEqual(said.out, b"")
            self.assertIn(b"other: is a Parquet file, not lines of text", said.err)

    def test_an_index_is_not_read_as_its_keys(self):
        self.crivo("build", "filter", self.write_keys([b"a"]), "-o", "f")
        error = self.crivo("filter", "diff", "f", "f", code=3).err
        self.assertIn(b"f: is a Crivo file, not lines of text; name the files of its keys", error)

    def test_text_that_begins_alike_is_text(self):
        for first in (b"PAR1", b"ORC", b"%PDF-1.4", b"070701", b"x^2", b"\xff\xfe"):
            self.crivo("build", "mphf", self.write_keys([first, b"b"]), "-o", "x", "-f")
        for data in (b"a\rb\nc\rd", b"k" * 511 + b"\r\nb\r\n", b"\x01\r\x02"):  # a CR within keys, and one cut from its LF
            self.crivo("build", "mphf", self.write("k", data), "-o", "x", "-f")


class OddKeys(CrivoTest):
    def check(self, data, count, *form):
        self.write("odd", data)
        for kind in ("mphf", "filter"):
            self.crivo("build", kind, "odd", "-o", kind, "--force", *form)
            self.assertEqual(self.info(kind)["keys"], count)
            self.crivo("verify", kind, "--keys", "odd", *form)

    def test_one_byte_keys(self):
        self.check(bytes(range(256)), 256, "--fixed", "1")
        self.check(b"".join(bytes([i]) + b"\n" for i in range(256) if i != 10), 255)

    def test_embedded_nul(self):
        self.check(b"a\0b\na\0\na\n\0\n", 4)

    def test_embedded_newline(self):
        self.check(b"a\nb\0a\n\0\n\0a\0", 4, "--null")
        out = self.crivo("query", "mphf", "odd", "--null", "--null-output").out
        for key in (b"a\nb", b"a\n", b"\n", b"a"):
            self.assertIn(key + b"\0" + b"1", out)

    def test_keys_that_are_prefixes_of_each_other(self):
        self.check(lines(b"x" * i for i in range(1, 700)), 699)

    def test_keys_that_differ_in_the_last_byte_only(self):
        prefix = b"https://example.org/" + b"p" * 200
        self.check(lines(prefix + bytes([i]) for i in range(256) if i != 10), 255)
        wide = b"".join((i).to_bytes(8, "big") for i in range(50_000))
        self.check(wide, 50_000, "--fixed", "8")

    def test_bytes_that_are_no_text(self):
        self.check(lines([b"\xff\xfe", b"\xc3", b"\xef\xbb\xbfbom", b" ", b"\t", b"\r"]), 6)

    def test_empty_line_is_an_error(self):
        for data, line in ((b"a\n\nb\n", 2), (b"\n", 1), (b"a\nb\n\n", 3)):
            error = self.crivo("build", "mphf", self.write("k", data), "-o", "x", code=3).err
            self.assertIn(b"k:%d:" % line, error)
            self.assertNotIn("x", self.listing())

    def test_no_keys_at_all_are_no_error_but_a_warning(self):
        empty = self.write("empty.txt", b"")
        for kind in KINDS:
            said = self.crivo("build", kind, empty, "-o", kind).err
            self.assertIn(b"crivo: warning: empty.txt: the input has no keys; --allow-empty-set silences this warning\n", said)
            said = self.crivo("build", kind, "-", "-o", kind, "-f", "--allow-empty-set").err
            self.assertNotIn(b"warning", said)
        said = self.crivo("partition", empty, "--shards", "2", "-o", "dealt").err
        self.assertEqual(said.count(b"warning: dealt: the input has no keys"), 1)
        self.assertNotIn(b"warning", self.crivo("build", "mphf", "dealt", "--shard", "0/2", "-o", "part").err)

    def test_keys_that_are_no_lines_are_numbered_from_1_too(self):
        for data, form, number in ((b"a\0\0b\0", ("--null",), 2), (b"aabbaa", ("--fixed", 2), 3), (b"aab", ("--fixed", 2), 2)):
            error = self.crivo("build", "mphf", self.write("k", data), "-o", "x", *form, code=3).err
            self.assertTrue(error.startswith(b"crivo: k: key %d: " % number), error)

    def test_allow_empty(self):
        self.crivo("build", "mphf", self.write("k", b"a\n\nb\n"), "-o", "x", "--allow-empty")
        ranks = self.query("x", [b"", b"a", b"b"], "--allow-empty")
        self.assertEqual(sorted(ranks), [b"0", b"1", b"2"])

    def test_a_key_of_one_mebibyte_and_no_more(self):
        longest = [b"first", b"y" * MIB, b"z" * (MIB - 1), b"y" * (MIB - 1)]
        for kind in KINDS:
            with self.subTest(kind=kind):
                path = self.build(kind, longest)
                self.assert_answers(kind, path, longest)
                self.crivo("verify", path)
        for source in ("k", "-"):
            data = lines([b"first", b"second", b"y" * (MIB + 1), b"last"])
            options = {"stdin": data} if source == "-" else {}
            self.write("k", data)
            result = self.crivo("build", "mphf", source, "-o", "x", code=3, **options)
            self.assertRegex(result.err, rb"crivo: [^:]*:3: ")
            self.assertLess(len(result.err), 1000)
        self.crivo("build", "mphf", self.write("k", b"y" * (3 * MIB)), "-o", "x", code=3)
        self.assertNotIn("x", self.listing())


class Records(CrivoTest):
    def stored(self, data, *form):
        self.crivo("build", "store", self.write("r", data), "-o", "s", "--force", *form)

    def got(self, key):
        return self.crivo("get", "s", key).out

    def test_the_first_tab_ends_the_key(self):
        self.stored(b"k\ta\tb\t\n")
        self.assertEqual(self.got("k"), b"a\tb\t")

    def test_empty_record(self):
        self.stored(b"k\t\nl\tx\n")
        self.assertEqual(self.got("k"), b"")
        self.assertEqual(self.query("s", [b"k", b"m"]), [b"", b"-"])

    def test_record_without_a_tab(self):
        for data, line in ((b"k\tv\nno tab\n", 2), (b"no tab", 1)):
            result = self.crivo("build", "store", self.write("r", data), "-o", "x", code=3)
            self.assertIn(b"r:%d:" % line, result.err)
            self.assertNotIn("x", self.listing())

    def test_empty_key(self):
        result = self.crivo("build", "store", self.write("r", b"a\tb\n\tv\n"), "-o", "x", code=3)
        self.assertIn(b"r:2:", result.err)

    def test_any_bytes_but_lf(self):
        record = bytes(i for i in range(256) if i != 10)
        self.stored(b"k\t" + record + b"\n")
        self.assertEqual(self.got("k"), record)

    def test_crlf(self):
        self.stored(b"k\tv\r\nl\tw\r\n")
        self.assertEqual(self.got("k"), b"v\r")
        self.stored(b"k\tv\r\nl\tw\r\n", "--crlf")
        self.assertEqual(self.got("k"), b"v")

    def test_null_pairs(self):
        self.stored(b"k\na\0v\n\tw\0l\0\0", "--null")
        self.assertEqual(self.got("k\na"), b"v\n\tw")
        self.assertEqual(self.got("l"), b"")

    def test_null_key_without_its_record(self):
        self.crivo("build", "store", self.write("r", b"k\0v\0l\0"), "-o", "x", "--null", code=3)

    def test_long_and_many_short_records(self):
        keys = urls(3_000)
        records = records_of(keys)
        records[17] = bytes(range(32, 127)) * 8_000
        records[18] = b""
        self.stored(pairs(keys, records))
        self.assert_answers("store", "s", keys, records)

    def test_packed_records(self):
        keys = urls(500)
        for pack in PACKERS.values():
            self.stored(pack(pairs(keys, records_of(keys))))
            self.assert_answers("store", "s", keys)
