# SPDX-License-Identifier: Apache-2.0
"""crivo-spell: words that are not in a dictionary, and words of it that were meant."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile

from harness import CRIVO, ENVIRONMENT, CrivoTest, data_file, lines, pairs

DAMAGE = float(os.environ.get("CRIVO_DAMAGE", "1"))
WORDS = "/usr/share/dict/american-english"
ALPHABET = "abcdefghijklmnopqrstuvwxyz'"


def slips(word):
    """Everything that one substitution, insertion, deletion or transposition makes of a word."""
    made = {word[:i] + word[i + 1 :] for i in range(len(word))}
    made |= {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    made |= {word[:i] + c + word[i + 1 :] for i in range(len(word)) for c in ALPHABET}
    return made | {word[:i] + c + word[i:] for i in range(len(word) + 1) for c in ALPHABET}


# Misspelt words, and what was meant: among the first five, and most of them first.
MISSPELT = """absense absence, acheive achieve, apparant apparent, arguement argument, beleive believe, buisness business,
camoflage camouflage, catagory category, concensus consensus, decieve deceive, dilemna dilemma, enviroment environment,
fisics physics, enuff enough, flourescent fluorescent, gaurd guard, heirarchy hierarchy, liason liaison, manuever maneuver,
medeval medieval, nessisary necessary, peopel people, percieve perceive, plagerize plagiarize, psuedo pseudo, reciept receipt,
restarant restaurant, rediculous ridiculous, sargent sergeant, tendancy tendency, threshhold threshold, vegtable vegetable,
yatch yacht, Amercia America, Saterday Saturday, dont don't, isnt isn't, ofthe of the, abit a bit, tommorow tomorrow"""


def pairs_of(word, words):
    """Two words written as one; of one letter only a and i are words."""
    parts = [(word[:i], word[i:]) for i in range(1, len(word))]
    return {f"{a} {b}" for a, b in parts if {a, b} <= words and all(len(part) > 1 or part in "ai" for part in (a, b))}


class SpellTest(CrivoTest):
    program = os.path.join(os.path.dirname(CRIVO), "crivo-spell")

    def dictionary(self, words, *options, out="dictionary"):
        self.crivo("build", self.write(out + ".list", lines(words)), "-o", out, *options)
        return out

    def spell(self, text, *options, dictionary="dictionary", code=1):
        return self.crivo("-d", dictionary, *options, stdin=text, code=code).out.decode()


class English(SpellTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="crivo-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        subprocess.run([cls.program, "build", WORDS, "-o", cls.shared / "english"], env=ENVIRONMENT, check=True)

    def setUp(self):
        super().setUp()
        os.symlink(self.shared / "english", self.dir / "english")

    def test_known_text(self):
        self.write("letter.txt", "Teh quick fox. I recieve a lettre in Lodnon, don\u2019t I?\nASUNCIÓN Asunción, x86 foo_bar TEH lodnon  qxqxqx\n".encode())
        expected = [
            "letter.txt:1:1: Teh: The, Th, Thee, Ted, Tet",
            "letter.txt:1:18: recieve: receive, relieve, Recife, recessive, received",
            "letter.txt:1:28: lettre: letter, latter, litter, later, liter",
            "letter.txt:1:38: Lodnon: London, Ladonna, Laden, Landon, Lyndon",
            "letter.txt:2:32: TEH: THE, TH, THEE, TED, TET",
            "letter.txt:2:36: lodnon: London, laden, Ladonna, leaden, lowdown",
            "letter.txt:2:44: qxqxqx",
        ]
        result = self.crivo("-d", "english", "letter.txt", code=1)
        self.assertEqual(result.out.decode().splitlines(), expected)
        one = self.crivo("-d", "english", "-n", 1, stdin=b"Teh", code=1).out
        self.assertEqual(one, b"(standard input):1:1: Teh: The\n")
        self.assertEqual(self.crivo("-d", "english", "-n", 0, stdin=b"Teh", code=1).out, b"(standard input):1:1: Teh\n")

    def test_what_was_meant_is_among_the_first(self):
        meant = dict(pair.strip().split(" ", 1) for pair in MISSPELT.replace("\n", " ").split(","))
        self.write("t", lines(word.encode() for word in meant))
        told = {}
        for line in self.crivo("-d", "english", "t", code=1).out.decode().splitlines():
            _, _, _, word, suggestions = line.split(":", 4)
            told[word.strip()] = suggestions.strip().split(", ")
        for word, right in meant.items():
            self.assertIn(right, told[word], word)
            self.assertLessEqual(len(told[word]), 5)
        self.assertGreater(sum(told[word][0] == right for word, right in meant.items()), 0.8 * len(meant))

    def test_the_dictionary_knows_its_words(self):
        self.assertEqual(self.crivo("-d", "english", WORDS).out, b"")
        words = pathlib.Path(WORDS).read_text().split()
        for change in (lambda word: word[0].upper() + word[1:], str.upper):
            self.write("t", lines(change(word).encode() for word in words[::7]))
            faults = self.crivo("-d", "english", "-n", 0, "t", code=(0, 1)).out
            self.assertLess(faults.count(b"\n"), len(words) // 700, faults[-300:])  # MCDONALD


class Suggestions(SpellTest):
    def test_all_that_are_words_and_no_others(self):
        rng = random.Random(1)
        words = {"".join(rng.choices("abcde", k=rng.randint(1, 6))) for _ in range(500)}
        self.write("words", lines(word.encode() for word in sorted(words)))
        self.write("pairs", pairs([word.encode() for word in sorted(words)], [b""] * len(words)))
        self.program = CRIVO
        self.crivo("build", "filter", "words", "-o", "filter", "--fpr", "0.3", "--type", "bloom")
        self.crivo("build", "store", "pairs", "-o", "store")
        self.program = SpellTest.program
        asked = ["".join(rng.choices("abcdef", k=rng.randint(1, 7))) for _ in range(60)]
        self.write("t", lines(word.encode() for word in asked))
        index = ("--filter", "filter", "--store", "store")
        result = self.crivo(*index, "-n", 10_000, "--stats", "t", code=1)
        told = {}
        for line in result.out.decode().splitlines():
            _, number, column, word, *suggestions = (part.strip() for part in line.split(":"))
            self.assertEqual((asked[int(number) - 1], column), (word, "1"))
            told.setdefault(word, [])
            told[word] = suggestions[0].split(", ") if suggestions else []
        self.assertEqual(set(told), set(asked) - words)
        around = {word: slips(word) for word in words}
        for word, suggestions in told.items():
            # What two slips make of it: what one makes of it that one makes of a word, too.
            once = slips(word)
            expected = {other for other in words if other in once or not once.isdisjoint(around[other])}
            expected |= pairs_of(word, words)
            self.assertEqual(sorted(suggestions), sorted(expected), word)
        counts = dict(line.split(b": ") for line in result.err.splitlines())
        self.assertEqual(int(counts[b"words"]), 60)
        self.assertEqual(int(counts[b"not in the dictionary"]), len([w for w in asked if w not in words]))
        self.assertGreater(int(counts[b"false positives"]), 1000)

    def test_sounds(self):
        """Words that sound alike are told however they are written, and only by a dictionary that `build` made."""
        self.dictionary([b"physics", b"knight", b"wrist", b"o'clock", "naïve".encode()])
        out = self.spell(b"fiziks niet rihst oklock", "--alphabet", "a")
        self.assertEqual([line.split(": ")[1:] for line in out.splitlines()],
                         [["fiziks", "physics"], ["niet", "knight"], ["rihst", "wrist"], ["oklock", "o'clock"]])

    def test_letters_are_those_of_the_dictionary(self):
        """Without --alphabet: Portuguese is told with its accents; a letter of one word in a thousand is no letter of it."""
        words = ["não", "você", "também", "ação", "coração", "maçã", "lâmpada", "órgão", "último", "pôs"]
        forms = [word + end for word in words for end in ("", "zes", "zinhas")]
        self.dictionary([word.encode() for word in [*forms, "kaputtå"]] + [b"a" + b"b" * i for i in range(1, 1000)])
        out = self.spell("nao voce tambem acao coracao maca lampada orgao ultimo pos kaputta".encode(), "-n", 1)
        told = [line.split(": ")[1:] for line in out.splitlines()]
        self.assertEqual([one[1] for one in told[:-1]], words)
        self.assertEqual(told[-1], ["kaputta"])
        self.assertIn("kaputtå", self.spell(b"kaputta", "--alphabet", "å"))

    def test_capitals(self):
        self.dictionary([b"the", b"London", b"NATO", b"iPhone", "über".encode()])
        self.assertEqual(self.spell("the The THE London LONDON NATO iPhone Über ÜBER".encode(), code=0), "")
        text = "tHe london Nato iphone Uber tha Tha THA Londn LONDN NATOO".encode()
        out = self.spell(text, "--alphabet", "eonü")
        rows = [line.split(":", 3)[3][1:] for line in out.splitlines()]
        expected = ["tHe: the", "london: London", "Nato: NATO", "iphone: iPhone", "Uber: Über", "tha: the", "Tha: The", "THA: THE"]
        self.assertEqual(rows, [*expected, "Londn: London", "LONDN: LONDON", "NATOO: NATO"])

    def test_words_of_a_text(self):
        self.dictionary([b"it's", b"a", b"rock"])
        text = "\u00e9 it's it\u2019s 'a' a' rock'n x1 _a a_ 3 a-b\r\n\xff rock \u65e5 b''b"
        rows = self.spell(text.encode("utf-8", "surrogateescape"), "-n", 0).splitlines()
        expected = ["1:1: é", "1:20: rock'n", "1:40: b", "2:1: ÿ", "2:8: 日", "2:10: b", "2:13: b"]
        self.assertEqual(rows, ["(standard input):" + row for row in expected])
        self.assertEqual(self.spell(b"a\xffb\xc3\n\n\nb", "-n", 0).splitlines(), ["(standard input):1:3: b", "(standard input):4:1: b"])
        out = self.spell(b"b" * 100_000 + b" " + b"c" * 65)
        self.assertEqual(out, f"(standard input):1:1: {'b' * 100_000}\n(standard input):1:100002: {'c' * 65}\n")


class Indexes(SpellTest):
    def test_filter_and_store_of_crivo(self):
        self.write("words", lines([b"sieve", b"steve"]))
        self.write("pairs", pairs([b"sieve", b"steve"], [b"", b"a name"]))
        self.program = CRIVO
        self.crivo("build", "filter", "words", "-o", "f.crv")
        self.crivo("build", "store", "pairs", "-o", "store")
        self.crivo("build", "filter", self.write("one", b"sieve\n"), "-o", "one.crv")
        self.program = SpellTest.program
        out = self.crivo("--filter", "f.crv", "--store", "store", stdin=b"steve sieve szeve", code=1).out
        self.assertEqual(out, b"(standard input):1:13: szeve: sieve, steve\n")
        self.assertIn(b"fewer words", self.crivo("--filter", "one.crv", "--store", "store", code=4).err)
        self.crivo("--filter", "store/index.crv", "--store", "store", code=(2, 4))
        self.program = CRIVO
        self.write("empty", b"")
        self.crivo("build", "filter", "empty", "-o", "none.crv")
        self.crivo("build", "store", "empty", "-o", "none")
        self.program = SpellTest.program
        error = self.crivo("--filter", "none.crv", "--store", "none", stdin=b"a", code=3).err
        self.assertEqual(error, b"crivo-spell: the dictionary is empty: every word would be marked\n")

    def test_faults(self):
        self.dictionary([b"a", b"b", b"", b"a"])
        self.assertEqual(self.spell(b"a b", code=0), "")
        self.write("empty", b"\n")
        error = self.crivo("build", "empty", "-o", "out", code=3).err
        self.assertEqual(error, b"crivo-spell: empty: no words, and so no dictionary\n")
        self.write("list", b"a\n\x01b\n")
        self.assertIn(b"list:2: not a word: it begins", self.crivo("build", "list", "-o", "out", code=3).err)
        for word in (b"x\ty", b"x\r"):
            self.write("list", b"a\n" + word + b"\n")
            error = self.crivo("build", "list", "-o", "out", code=3).err
            self.assertEqual(error, b"crivo-spell: list:2: not a word: it has a TAB or a CR\n")
        self.crivo("build", "dictionary.list", "-o", "dictionary", code=2)
        self.crivo("build", "none", "-o", "out", code=5)
        self.crivo("-d", "none", code=5)
        self.crivo("-d", "dictionary", "none", code=5)
        for args in ((), ("-d", "dictionary", "--store", "x", "--filter", "y"), ("--store", "x"), ("build", "list")):
            self.crivo(*args, code=2)
        self.assertIn(b"Example", self.crivo("--help").out)

    def test_a_damaged_dictionary(self):
        self.dictionary([b"%d" % i for i in range(3000)] + [b"sieve", b"steve"])
        names = ("filter.crv", "store/index.crv", f"store/{data_file(self.dir / 'dictionary/store').name}")
        for _ in self.damaged("dictionary", names, int(90 * DAMAGE), seed=3):
            result = self.run_crivo("-d", "dictionary", stdin=b"sieve szeve\n")
            self.assertIn(result.code, (0, 1, 4), str(result))
            if result.code == 4:
                self.assert_one_error_line(result)
