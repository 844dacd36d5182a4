# SPDX-License-Identifier: Apache-2.0
"""Clubcards and their index: built and read by the program, and read by a reader that shares no code with it."""

import hashlib
import random

from clubcard import Clubcard, read_index
from harness import CrivoTest, lines

LOG = hashlib.sha256(b"log").digest()
OTHER_LOG = hashlib.sha256(b"other log").digest()


def issuer(name):
    return hashlib.sha256(name.encode()).digest()


def line(certificate):
    return certificate[0].hex().encode() + b"\t" + certificate[1].hex().encode()


def certificates(name, count, seed=1):
    """So many of an issuer, with serial numbers of 1 to 20 bytes."""
    draw = random.Random(f"{name} {seed}")
    serials = set()
    while len(serials) < count:
        serials.add(draw.randbytes(draw.choice([9, 16, 16, 18, 20])))
    return [(issuer(name), serial) for serial in sorted(serials)]


class ClubcardTest(CrivoTest):
    def build_clubcard(self, members, universe, *options, out="base.filter", **run_options):
        self.write("members", lines(line(each) for each in members))
        self.write("universe", lines(line(each) for each in universe))
        self.crivo("build", "exact", "--members", "members", "--universe", "universe", "--group", "1", "--hex",
                   "--format", "clubcard", "-o", out, "--force", *options, **run_options)  # fmt: skip
        return self.dir / out

    def sets(self):
        """Issuers of all shapes: few revoked, half, most, all, none, and one certificate in all."""
        universe, members = [], []
        for name, count, revoked in [("few", 9000, 70), ("some", 3000, 400), ("half", 900, 450), ("most", 500, 490),
                                     ("all", 200, 200), ("none", 300, 0), ("one", 1, 1), ("single", 40, 1)]:  # fmt: skip
            all_of = certificates(name, count)
            universe += all_of
            members += random.Random(name).sample(all_of, revoked)
        random.Random(2).shuffle(universe)
        return members, universe

    def assert_answers(self, path, members, universe):
        members = set(members)
        card = Clubcard(path.read_bytes())
        for each in universe:
            self.assertEqual(card.revoked(*each), each in members, line(each))
        asked = [line(each) for each in universe]
        self.assertEqual(self.query(path, asked), [b"member" if each in members else b"other" for each in universe])
        return card

    def test_answers_for_every_certificate(self):
        members, universe = self.sets()
        path = self.build_clubcard(members, universe, "--covers", f"{LOG.hex()}=5:1000")
        card = self.assert_answers(path, members, universe)
        self.assertEqual(card.coverage, {LOG: (5, 1000)})
        self.assertIsNone(card.revoked(issuer("unknown"), b"\1"))
        self.assertEqual(self.query(path, [line((issuer("unknown"), b"\1"))]), [b"outside"])
        few = line(members[0])
        for time, answer in [(4, b"outside"), (5, b"member"), (1000, b"member"), (1001, b"outside")]:
            said = self.crivo("query", path, "-k", few, "--at", f"{LOG.hex()}={time}").out
            self.assertEqual(said, few + b"\t" + answer + b"\n")
        info = self.info(path)
        self.assertEqual((info["kind"], info["format"], info["issuers"]), ("exact", "clubcard", 8))
        self.assertIn("no checksum", info["limits"])
        self.assertIn(b"well formed", self.crivo("verify", path).err)
        # The size: 2 % over what the systems must have, and what an issuer takes.
        self.assertLess(path.stat().st_size, 1.1 * (70 * 8 + 70 * 2 + 470 * 4.2 + 900 + 500) / 8 + 8 * 60 + 7 * 64 + 400)

    def test_bytes_depend_on_the_sets_alone(self):
        members, universe = self.sets()
        first = self.build_clubcard(members, universe).read_bytes()
        self.build_clubcard(members[::-1], universe[::-1] + universe[:50], "--threads", "1")
        # A certificate that comes twice counts twice, which may change a width, but no answer.
        self.assert_answers(self.dir / "base.filter", members, universe)
        self.assertEqual(self.build_clubcard(members[::-1], universe[::-1], "--threads", "3").read_bytes(), first)
        self.assertNotEqual(self.build_clubcard(members, universe, "--seed", "7").read_bytes(), first)

    def test_index_leads_to_the_clubcards(self):
        members, universe = self.sets()
        (self.dir / "site").mkdir()
        self.build_clubcard(members, universe, "--covers", f"{LOG.hex()}=0:99", out="site/base.filter")
        later = certificates("few", 50, seed=3)
        self.build_clubcard(later[:5], later, "--covers", f"{LOG.hex()}=100:199,{OTHER_LOG.hex()}=0:9", out="site/day.delta")
        self.crivo("export", "clubcard-index", "site/base.filter", "site/day.delta", "-o", "site/index.bin")
        names, logs = read_index((self.dir / "site" / "index.bin").read_bytes())
        self.assertEqual(names, ["base.filter", "day.delta"])
        self.assertEqual(logs, {LOG: [("base.filter", 0, 99), ("day.delta", 100, 199)], OTHER_LOG: [("day.delta", 0, 9)]})
        path = self.dir / "site" / "index.bin"
        asked = [line(later[0]), line(members[0]), line((issuer("unknown"), b"\1"))]
        self.write("asked", lines(asked))
        for at, answers in [("100", [b"member"]), ("99", [None, b"member"]), ("200", [b"outside", b"outside"])]:
            said = self.crivo("query", path, "asked", "--at", f"{LOG.hex()}={at}").out.splitlines()
            for answer, got in zip(answers, said):
                self.assertTrue(answer is None or got.endswith(b"\t" + answer), (at, got))
            self.assertTrue(said[2].endswith(b"outside"))
        self.assertEqual(self.info(path)["clubcards"], "base.filter,day.delta")
        (self.dir / "copy").mkdir()
        error = self.crivo("export", "clubcard-index", "site/base.filter", "-o", "copy/index.bin", code=2).err
        self.assertIn(b"is not in the directory", error)
        self.crivo("export", "clubcard-index", "site/none", "-o", "site/x.bin", code=5)
        (self.dir / "site" / "day.delta").unlink()
        self.assertIn(b"day.delta", self.crivo("query", path, "asked", code=5).err)

    def test_what_the_format_cannot_hold_is_named_by_line(self):
        members, universe = self.sets()
        self.build_clubcard(members, universe)
        kept = (self.dir / "base.filter").read_bytes()
        long_serial = (issuer("few"), b"\1" * 256)
        for wrong, message in [(b"abcd\t01", b"the issuer is not 64 hexadecimal digits"),
                               (line(long_serial), b"the serial number has 256 bytes, and a clubcard holds 1 to 255"),
                               (line(members[0])[:-1], b"hexadecimal"),
                               (line(members[1]), b"duplicate certificate")]:  # fmt: skip
            with self.subTest(message=message):
                self.write("bad", lines([line(each) for each in members] + [wrong]))
                error = self.crivo("build", "exact", "--members", "bad", "--universe", "universe", "--group", "1", "--hex",
                                   "--format", "clubcard", "-o", "base.filter", "--force", code=3).err  # fmt: skip
                self.assertIn(b"bad:%d: " % (len(members) + 1), error)
                self.assertIn(message, error)
        for options, message in [(["--fpr", "0.1"], b"no such rate"), (["--seed", "random"], b"hash of its own"),
                                 (["--covers", "letsencrypt=1:2"], b"64 hexadecimal digits of a log"),
                                 (["--note", "a=b"], b"no metadata"), (["--dry-run"], b"--dry-run")]:  # fmt: skip
            with self.subTest(options=options):
                self.assertIn(message, self.build_error(members, universe, *options))
        self.assertEqual((self.dir / "base.filter").read_bytes(), kept)
        missing = self.crivo("build", "exact", "--members", "members", "--universe", "members", "--format", "clubcard",
                             "-o", "x", code=2).err  # fmt: skip
        self.assertIn(b"needs the issuer", missing)

    def build_error(self, members, universe, *options):
        return self.crivo("build", "exact", "--members", "members", "--universe", "universe", "--group", "1", "--hex",
                          "--format", "clubcard", "-o", "base.filter", "--force", *options, code=2).err  # fmt: skip

    def test_members_that_the_universe_lacks(self):
        members, universe = self.sets()
        lost = certificates("few", 3, seed=9)
        path = self.build_clubcard(members + lost, universe)
        self.assert_answers(path, members + lost, universe + lost)
        self.assertIn(b"3 members are not in the universe",
                      self.crivo("build", "exact", "--members", "members", "--universe", "universe", "--group", "1", "--hex",
                                 "--format", "clubcard", "-o", "other", "--strict", code=3).err)  # fmt: skip

    def test_damage_is_an_error_or_an_answer(self):
        """Nothing that the bytes say leads out of them."""
        universe = certificates("few", 300)
        path = self.build_clubcard(universe[:20], universe, "--covers", f"{LOG.hex()}=0:9")
        data = path.read_bytes()
        self.write("asked", lines(line(each) for each in universe[:40]))
        draw = random.Random(4)
        damaged = [data[:size] for size in (1, 2, 3, 50, 51, len(data) - 1)] + [data + b"\0"]
        for _ in range(60):
            changed = bytearray(data)
            changed[draw.randrange(130)] ^= 1 << draw.randrange(8)
            damaged.append(bytes(changed))
        for each in damaged:
            self.write("damaged", each)
            done = self.crivo("query", "damaged", "asked", code=(0, 4))
            try:
                Clubcard(each)
            except (ValueError, IndexError):
                self.assertEqual(done.code, 4, each[:4])
