# SPDX-License-Identifier: Apache-2.0
"""crivo-hyphenate: a text with its words hyphenated, and the exceptions behind a filter."""

import os
import pathlib
import random

from harness import CRIVO, CrivoTest, data_file

DAMAGE = float(os.environ.get("CRIVO_DAMAGE", "1"))
WORDS = "/usr/share/dict/american-english"
LICENCE = "/usr/share/common-licenses/GPL-3"


class HyphenateTest(CrivoTest):
    program = os.path.join(os.path.dirname(CRIVO), "crivo-hyphenate")

    def hyphenate(self, text, *options):
        return self.crivo(*options, stdin=text).out

    def counts(self, *args, **options):
        result = self.crivo(*args, "--stats", **options)
        return result.out, {name: int(n) for name, n in (line.split(b": ") for line in result.err.splitlines())}


class Texts(HyphenateTest):
    def test_known_text(self):
        text = b"Hyphenation by the algorithm of Liang: associates' table, (TABLE) well-known \xe2\x80\x9creformation\xe2\x80\x9d.\r\n"
        expected = (
            b"Hy-phen-ation by the al-go-rithm of Liang: as-so-ciates' ta-ble, (TA-BLE) well-known "
            b"\xe2\x80\x9cref-or-ma-tion\xe2\x80\x9d.\r\n"
        )
        self.assertEqual(self.hyphenate(text), expected)
        self.assertEqual(self.hyphenate(b"table", "--mark", "\u00ad"), "ta\u00adble".encode())
        self.assertEqual(self.hyphenate(b"table", "-m", "\\-"), b"ta\\-ble")

    def test_all_else_is_kept(self):
        rng = random.Random(1)
        pieces = [b"table", b"TABLE", b"\n", b"\0", b"\xff", b"\xc3", b"\xc3\xa9t\xc3\xa9", b"-", b"'", b" ", b"1", b"\xf0\x9f\x98\x80"]
        for _ in range(5):
            text = b"".join(rng.choices(pieces, k=3000))
            marked = self.hyphenate(text, "--mark", "|")
            self.assertEqual(marked.replace(b"|", b""), text)
            self.assertGreater(marked.lower().count(b"ta|ble"), 100)
        for text in (b"", b"\n", b"\n\n", b"table", b"x" * 200_000):
            self.assertEqual(self.hyphenate(text).replace(b"-", b""), text)

    def test_files(self):
        self.write("a", b"table\n")
        self.write("b", b"hyphen")
        self.assertEqual(self.crivo("a", "-", "b", stdin=b"project ").out, b"ta-ble\nproject hy-phen")
        self.crivo("a", "none", code=5)
        self.crivo(".", code=5)

    def test_patterns_of_ones_own(self):
        self.write("p", b"UTF-8\nLEFTHYPHENMIN 1\nRIGHTHYPHENMIN 1\na1b\n.b1c\n")
        self.assertEqual(self.hyphenate(b"abc bcab", "-p", "p"), b"a-bc b-ca-b")
        self.write("q", b"UTF-8\na1b\nNEXTLEVEL\na1b\nNEXTLEVEL\n")
        error = self.crivo("-p", "q", code=3).err
        self.assertEqual(error, b"crivo-hyphenate: q:5: a third level of patterns\n")
        self.crivo("-p", "none", code=5)

    def test_patterns_of_tex(self):
        self.write("p", b"% title: a sample\n\\patterns{a1b\n.b1c}\n\\hyphenation{pro-ject ta-ble}\n")
        self.assertEqual(self.hyphenate(b"aabbb bcccc Project", "-p", "p"), b"aa-bbb bcccc Pro-ject")
        self.crivo("build", "-p", "p", "-o", "index")
        self.assertEqual(self.counts("-p", "p", "-x", "index", stdin=b"table tables")[1][b"exceptions"], 1)

    def test_words_that_are_spelt_otherwise_where_they_are_broken(self):
        self.write("p", "UTF-8\ns1sz/sz=,1,1\n".encode())
        text = b"asszony ASSZONY Asszony assz asszassz"
        self.assertEqual(self.hyphenate(text, "-p", "p"), b"asz-szony ASZ-SZONY Asz-szony asz-sz asz-szasz-sz")

    def assert_language(self, path, text, expected):
        if not os.path.exists(path):
            self.skipTest(f"{path} is not there")
        self.assertEqual(self.hyphenate(text.encode(), "-p", path).decode(), expected)

    def test_german_of_debian(self):
        self.assert_language(
            "/usr/share/hyphen/hyph_de_DE.dic",
            "Donaudampfschifffahrtsgesellschaft, Überraschung; Haustürschlüssel vorprogrammierbar Wörterbuch",
            "Do-nau-dampf-schiff-fahrts-ge-sell-schaft, Über-ra-schung; Haus-tür-schlüs-sel vor-pro-gram-mier-bar Wör-ter-buch",
        )

    def test_hungarian_of_debian(self):
        self.assert_language(
            "/usr/share/hyphen/hyph_hu_HU.dic",
            "asszonnyal Összes könnyű Magyarország megszentségteleníthetetlenségeskedéseitekért",
            "asz-szony-nyal Ösz-szes köny-nyű Ma-gyar-or-szág meg-szent-ség-te-le-nít-he-tet-len-sé-ges-ke-dé-se-i-te-kért",
        )


class ExceptionsBehindAFilter(HyphenateTest):
    def test_the_patterns_own(self):
        """Debian's file has them as patterns too: an index changes no word, whatever its filter says."""
        text = pathlib.Path(LICENCE).read_bytes() + pathlib.Path(WORDS).read_bytes()
        expected = self.hyphenate(text)
        self.assertGreater(expected.count(b"-"), 100_000)
        for fpr, least in (("0.2", 10_000), ("0.0001", 0)):
            self.crivo("build", "-o", "exceptions" + fpr, "--fpr", fpr, "--type", "bloom")
            out, counts = self.counts("-x", "exceptions" + fpr, stdin=text)
            self.assertEqual(out, expected)
            self.assertGreater(counts[b"exceptions"], 500)
            self.assertEqual(counts[b"passed the filter"], counts[b"look-ups"])
            self.assertEqual(counts[b"look-ups"], counts[b"exceptions"] + counts[b"false positives"])
            self.assertGreaterEqual(counts[b"false positives"], least)
            absent = counts[b"words"] - counts[b"exceptions"]
            self.assertLess(counts[b"false positives"], absent * float(fpr) * 1.5 + 20)

    def test_a_list(self):
        self.write("list", b"tab-le-s\nHyph-ena-tion\nproj-ect\n\xc3\xa9cl-air\ntab-le-s\nalgorithm")
        self.crivo("build", "list", "-o", "index")
        text = b"tables Tables hyphenation project \xc3\x89clair algorithm table"
        expected = b"tab-les Tab-les hyph-ena-tion proj-ect \xc3\x89cl-air algorithm ta-ble"
        out, counts = self.counts("-x", "index", stdin=text)
        self.assertEqual(out, expected)
        self.assertEqual((counts[b"words"], counts[b"exceptions"]), (7, 6))
        self.write("empty", b"")
        self.crivo("build", "empty", "-o", "none")
        self.assertEqual(self.hyphenate(b"tables", "-x", "none"), b"ta-bles")

    def test_faults_of_a_list(self):
        for text, place in (
            (b"ta-ble\n\n", b"list:2: not a hyphenated word"),
            (b"ta--ble\n", b"list:1: not a hyphenated word"),
            (b"ta-ble\nx y\n", b"list:2: not a hyphenated word"),
            (b"ta-ble\nsieve\ntab-le\n", b"list:3: tab-le was ta-ble before"),
        ):
            self.write("list", text)
            self.assertIn(place, self.crivo("build", "list", "-o", "index", code=3).err)
            self.assertEqual(self.listing(), ["list"])
        self.crivo("build", "none", "-o", "index", code=5)
        self.write("list", b"ta-ble\n")
        self.crivo("build", "list", "-o", "list", code=2)
        self.crivo("build", "list", "-o", "no/where", code=5)
        self.crivo("build", "list", "-o", "index", "--fpr", "7", code=2)
        self.assertEqual(self.listing(), ["list"])

    def test_usage(self):
        self.assertIn(b"Example", self.crivo("--help").out)
        self.crivo("--nonesuch", code=2)
        self.crivo("build", "list", code=2)
        self.crivo("-x", "none", code=5)

    def test_a_damaged_index(self):
        self.crivo("build", "-o", "index")
        names = ("filter.crv", "store/index.crv", f"store/{data_file(self.dir / 'index/store').name}")
        for _ in self.damaged("index", names, int(45 * DAMAGE), seed=2):
            result = self.run_crivo("-x", "index", stdin=b"associates project table\n")
            self.assertIn(result.code, (0, 4), str(result))
            if result.code:
                self.assert_one_error_line(result)
        self.write("list", b"a-b\n")
        self.crivo("build", "list", "-o", "other")
        (self.dir / "index/filter.crv").write_bytes((self.dir / "other/filter.crv").read_bytes())
        self.assertIn(b"it has fewer words", self.crivo("-x", "index", code=4).err)
