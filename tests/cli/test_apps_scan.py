# SPDX-License-Identifier: Apache-2.0
"""crivo-scan: what it finds, and where, is what grep -F -o -b says."""

import os
import pathlib
import random
import subprocess

from harness import CRIVO, ENVIRONMENT, CrivoTest, in_parallel, lines, urls

DAMAGE = float(os.environ.get("CRIVO_DAMAGE", "1"))
WORDS = "/usr/share/dict/american-english"
LICENCE = "/usr/share/common-licenses/GPL-3"


UMASK = os.umask(0)
os.umask(UMASK)
MAGIC = b"crivo-scan 1\n"


def index_of(strings, filter_bytes):
    """The bytes of an index."""
    return MAGIC + len(strings).to_bytes(8, "little") + strings + filter_bytes


def strings_of(index):
    begin = len(MAGIC) + 8
    return index[begin : begin + int.from_bytes(index[len(MAGIC) : begin], "little")]


class ScanTest(CrivoTest):
    program = os.path.join(os.path.dirname(CRIVO), "crivo-scan")

    def grep(self, *args, stdin=b""):
        command = ["grep", "-a", "-F", "-o", "-b", *map(str, args)]
        result = subprocess.run(
            command, cwd=self.dir, env=ENVIRONMENT, input=stdin, capture_output=True, timeout=120, check=False
        )
        return result.returncode, result.stdout

    def assert_as_grep(self, strings, text, *options, name="case"):
        """That both say the same of `text`, and end likewise."""
        self.write(name + ".strings", strings)
        self.write(name + ".text", text)
        expected = self.grep(*options, "-f", name + ".strings", name + ".text")
        result = self.run_crivo(*options, "-f", name + ".strings", name + ".text")
        if (result.code, result.out) != expected:
            kept = f"{strings[:300]!r} in {text[:300]!r}"
            self.fail(f"{kept}\ngrep {expected[0]}: {expected[1][:500]!r}\nscan {result}")
        self.assertEqual(result.err, b"")
        return result


class AsGrep(ScanTest):
    def test_strings_that_overlap(self):
        for strings, text in (
            (b"ab\nabc\nbcd\n", b"abcd abcbcd\nab"),
            (b"aa\n", b"aaaaa\naaa\n"),
            (b"a\naa\naaa\naaaa\n", b"aaaaaaaaaaa\n"),
            (b"she\nhe\nhers\nhis\n", b"ushers his shers\n"),
            (b"abcdefgh\ncd\n", b"abcdefg abcdefgh xcd\n"),
            (b"no end", b"a no end\nno end"),
            (b"a\r\n", b"a\na\r\n"),
            (b"a\0b\n\0\n", b"a\0b\0\0\n\0"),
            (b"\xff\xfe\n\xc3\xa9\n\xa9\n", b"\xff\xfe\xc3\xa9\xa9\n"),
        ):
            with self.subTest(strings):
                self.assertTrue(self.assert_as_grep(strings, text).out)
                self.assert_as_grep(strings, text, "-n")

    def test_nothing_and_the_empty_string(self):
        for strings in (b"", b"\n", b"\n\n", b"a\n", b"\na"):
            for text in (b"", b"\n", b"a", b"b\n", b"b\na\n\n"):
                with self.subTest(strings=strings, text=text):
                    self.assert_as_grep(strings, text)

    def test_random_strings(self):
        def check(case):
            rng = random.Random(case)
            alphabet = [b"ab", b"ab\n", b"abc\0\n", b"\0\n\r\x80\xff", bytes(range(256))][case % 5]
            some = lambda low, high: bytes(rng.choices(alphabet, k=rng.randint(low, high)))
            text = some(0, 40) if case % 3 == 0 else some(2000, 6000)
            strings = [some(0, rng.choice((2, 5, 12))) for _ in range(rng.randrange(1, 30))]
            for _ in range(rng.randrange(6)):  # some that are there, and some that nearly are
                begin = rng.randrange(len(text) + 1)
                strings.append(text[begin : begin + rng.randrange(80)] + some(0, 1))
            self.assert_as_grep(b"\n".join(strings), text, name=f"case{case}")

        in_parallel(check, range(25 if DAMAGE == 1 else 10))

    def test_more_lengths_than_a_word_has_bits(self):
        rng = random.Random(1)
        text = bytes(rng.choices(b"abcd", k=30000))
        strings = [text[at : at + length] for length in range(1, 91) for at in [rng.randrange(29000)]]
        strings += [string[:-1] + b"x" for string in strings]
        self.assert_as_grep(lines(strings[20:]), text)

    def test_ends_of_the_buffer(self):
        rng = random.Random(2)
        strings = [b"%07d" % i * (1 + i % 9) for i in range(0, 400, 7)]
        text = bytearray()
        while len(text) < 1_200_000:
            text += rng.choice(strings)[: rng.choice((5, 70))] + rng.choice((b"", b"\n", b"-"))
        self.assert_as_grep(lines(strings), bytes(text), "-n")

    def test_the_longest_strings(self):
        rng = random.Random(3)
        longest = rng.randbytes(1 << 20).replace(b"\n", b"\0")
        near = longest[:-1] + b"?"
        for before in (0, 1, 262143, 300001):
            with self.subTest(before):
                text = b"x" * before + longest[5:] + b"\n" + longest + longest[:-1] + b"\n" + near + longest[:9]
                self.assert_as_grep(lines([longest, longest[:9], b"xx"]), text)
        # A text that begins as the string does at each of its places, and has it nowhere.
        self.assert_as_grep(b"a" * (1 << 20) + b"\n" + b"a" * 3000 + b"b\n", b"a" * 1_000_000 + b"\nb")
        error = self.crivo("-f", self.write("s", b"a\n" + b"a" * (1 << 20) + b"a\n"), "s", code=2).err
        self.assertEqual(error, b"crivo-scan: s:2: a string of more than 1 MiB\n")

    def test_words_of_a_text(self):
        text = pathlib.Path(LICENCE).read_bytes()
        words = pathlib.Path(WORDS).read_bytes()
        self.assertGreater(self.assert_as_grep(words, text).out.count(b"\n"), 5000)
        long_words = lines(word for word in words.split() if len(word) > 7)
        self.assert_as_grep(long_words, text * 9, "-n")

    def test_urls_of_a_log(self):
        keys = urls(3000)
        log = lines(b"GET " + key + b" HTTP/1.1" for key in keys + urls(1000, salt=1))
        self.assertEqual(self.assert_as_grep(lines(keys), log).code, 0)


class Files(ScanTest):
    def setUp(self):
        super().setUp()
        self.write("s", b"bc\nb\n")
        self.write("one", b"abc\nb\n")
        self.write("two", b"xyz\nbb\n")
        self.write("three", b"xyz\n")

    def test_several(self):
        for files in (("one", "two", "three"), ("three", "three"), ("two",), ("one", "-", "one")):
            with self.subTest(files):
                result = self.run_crivo("-n", "-f", "s", *files, stdin=b"...b")
                self.assertEqual((result.code, result.out), self.grep("-n", "-f", "s", *files, stdin=b"...b"))
        self.assertEqual(self.crivo("-f", "s", stdin=b"\nabc").out, b"2:bc\n")
        self.assertEqual(self.crivo("-f", "-", "one", stdin=b"a\n").out, b"0:a\n")

    def test_a_missing_one_does_not_stop_the_others(self):
        result = self.crivo("-f", "s", "none", "one", code=2)
        self.assertEqual((result.code, result.out), self.grep("-f", "s", "none", "one"))
        self.assertEqual(result.err, b"crivo-scan: none: cannot open: No such file or directory\n")
        self.crivo("-f", "s", ".", code=2)

    def test_an_index_answers_as_its_strings(self):
        for options in ((), ("--type", "ribbon"), ("--type", "bloom", "--fpr", "0.3")):
            index = "index" + "".join(options)
            self.crivo("build", "s", "-o", index, *options)
            self.assertEqual(self.crivo("-x", index, "one", "two").out, self.grep("-f", "s", "one", "two")[1])
        self.assertEqual(strings_of((self.dir / "index").read_bytes()), b"b\nbc\n")
        self.assertEqual((self.dir / "index").stat().st_mode & 0o777, 0o666 & ~UMASK)
        self.crivo("build", "s", "-o", "index", code=2)
        self.crivo("build", "none", "-o", "other", code=2)
        self.assertNotIn("other", " ".join(self.listing()))

    def test_stats(self):
        result = self.crivo("-f", "s", "--stats", "one", "two")
        counts = dict(line.split(b": ") for line in result.err.splitlines())
        self.assertEqual(counts[b"bytes"], b"13")
        self.assertEqual(counts[b"found"], b"4")
        self.assertEqual(int(counts[b"look-ups"]), 4 + int(counts[b"false positives"]))
        self.assertLessEqual(int(counts[b"look-ups"]), int(counts[b"asked of a filter"]))

    def test_false_positives_are_never_told(self):
        rng = random.Random(4)
        strings = lines(bytes(rng.choices(b"abcd", k=8)) for _ in range(300))
        text = bytes(rng.choices(b"abcd", k=200_000))
        self.crivo("build", self.write("r", strings), "-o", "index", "--fpr", "0.5", "--type", "cuckoo")
        result = self.crivo("-x", "index", "--stats", self.write("t", text))
        self.assertEqual(result.out, self.grep("-f", "r", "t")[1])
        self.assertGreater(int(result.err.split()[-1]), 100)

    def test_usage(self):
        for args in ((), ("one",), ("-f", "s", "-x", "index"), ("-f", "none"), ("--nonesuch",), ("build", "s")):
            self.crivo(*args, code=2)
        self.assertIn(b"Example", self.crivo("--help").out)
        self.assertIn(b"Example", self.crivo("build", "--help").out)


class Damage(ScanTest):
    def test_a_damaged_index_is_refused_or_exact(self):
        keys = urls(40) + [b"x" * 30] * 2
        self.crivo("build", self.write("s", lines(keys)), "-o", "index")
        self.write("t", lines(keys[10:] + urls(9, salt=2)))
        expected = self.grep("-f", "s", "t")[1]
        rng = random.Random(5)
        whole = (self.dir / "index").read_bytes()
        strings_end = len(index_of(strings_of(whole), b""))
        for case in range(int(120 * DAMAGE)):
            data = bytearray(whole)
            place = rng.randrange(strings_end if case % 2 else len(data))
            if case % 5 == 0:
                del data[place:]
            else:
                data[place] ^= 1 << rng.randrange(8)
            self.write("damaged", bytes(data))
            result = self.run_crivo("-x", "damaged", "t")
            if result.code == 2:
                self.assert_one_error_line(result)
            elif place >= strings_end:  # of other strings that are in order others are found
                self.assertEqual(result.out, expected)

    def test_an_index_of_other_strings_is_refused(self):
        self.crivo("build", self.write("s", b"abc\nabd\nx\n"), "-o", "index")
        self.crivo("build", self.write("r", b"abe\nx\n"), "-o", "other")
        whole = (self.dir / "index").read_bytes()
        text = strings_of(whole)
        self.assertIn(text, (b"x\nabc\nabd\n", b"x\nabd\nabc\n"))
        behind = whole[len(index_of(text, b"")) :]
        self.assertEqual(index_of(text, behind), whole)
        for other in (text[2:], text[:2] + text[6:] + text[2:6], text + b"\n", text[:-1], text[:2] * 2, text + text[:2]):
            self.write("changed", index_of(other, behind))
            error = self.crivo("-x", "changed", "s", code=2 if other != text[2:] else 0).err
            self.assertIn(b"not strings in order" if other != text[2:] else b"", error)
        other = (self.dir / "other").read_bytes()
        self.write("changed", index_of(text, other[len(index_of(strings_of(other), b"")) :]))
        error = self.crivo("-x", "changed", "s", code=2).err
        self.assertIn(b"the filter is of other strings", error)
        for bytes_, problem in (
            (b"", b"no index of crivo-scan"),
            (whole[: len(MAGIC) + 7], b"no index of crivo-scan"),
            (whole[: len(MAGIC) + 9], b"it is cut short"),
            (index_of(text, b""), b"its filter: "),
        ):
            error = self.crivo("-x", self.write("changed", bytes_), "s", code=2).err
            self.assertIn(b"changed: " + problem, error)
        self.crivo("-x", "none", "s", code=2)
