# SPDX-License-Identifier: Apache-2.0
"""Filters in formats of others: built and asked by the program, and read by readers that share no code with it."""

import pathlib
import random
import struct
import sys

from harness import CrivoTest, lines, urls

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "formats"))
import reader  # noqa: E402

MASK = (1 << 64) - 1


def mixed(key, seed):
    """The finalizer of MurmurHash3."""
    hash_ = (key + seed) & MASK
    hash_ = ((hash_ ^ hash_ >> 33) * 0xFF51AFD7ED558CCD) & MASK
    hash_ = ((hash_ ^ hash_ >> 33) * 0xC4CEB9FE1A85EC53) & MASK
    return hash_ ^ hash_ >> 33


def finds(fingerprints, width, hash_, places):
    form = "<B" if width == 1 else "<H"
    total = (hash_ ^ hash_ >> 32) & ((1 << 8 * width) - 1)
    for place in places:
        total ^= struct.unpack_from(form, fingerprints, place * width)[0]
    return total == 0


def fuse_contains(data, width, key):
    """binary_fuse8_contain() and binary_fuse16_contain() over what their serializers write."""
    seed, size, segment, count, starts, slots = struct.unpack_from("<Q5I", data)
    assert (starts, slots, len(data)) == (segment * count, segment * (count + 2), 28 + width * slots)
    hash_ = mixed(key, seed)
    first = hash_ * starts >> 64
    places = [first, (first + segment) ^ (hash_ >> 18 & segment - 1), (first + 2 * segment) ^ (hash_ & segment - 1)]
    return finds(data[28:], width, hash_, places)


def sketch_contains(data, width, key):
    """XorFilter.query(byte[]) of DataSketches."""
    words, version, family, flags, bits, hashes, seed, segment, size = struct.unpack_from("<6BxxQII", data)
    assert (words, version, family, flags, bits, hashes, len(data)) == (3, 1, 22, 0, 8 * width, 3, 24 + 3 * segment * width)
    hash_ = mixed(reader.xxh64(key), seed)
    turned = [hash_, (hash_ << 21 | hash_ >> 43) & MASK, (hash_ << 42 | hash_ >> 22) & MASK]
    return finds(data[24:], width, hash_, [i * segment + ((each & 0xFFFFFFFF) * segment >> 32) for i, each in enumerate(turned)])


class ForeignFiltersTest(CrivoTest):
    def build_as(self, name, keys, *options, out="filter", **run_options):
        data = b"".join(keys) if "--fixed" in options else lines(keys)
        self.write("keys", data)
        return self.crivo("build", "filter", "keys", "--format", name, "-o", out, "--force", *options, **run_options)

    def check(self, name, contains, width, keys, others, *options):
        self.build_as(name, keys, *options)
        data = (self.dir / "filter").read_bytes()
        for key in keys:
            self.assertTrue(contains(data, width, key))
        self.write("asked", b"".join(keys + others) if options else lines(keys + others))
        found = self.crivo("query", "filter", "asked", *options, "--present", "--json").json_lines()
        expected = [key for key in keys + others if contains(data, width, key)]
        self.assertEqual(len(found), len(expected))
        self.assertLess(len(expected) - len(keys), 8 * max(1, len(others) >> 8 * width) + 8)
        info = self.info(self.dir / "filter")
        self.assertEqual((info["kind"], info["format"], info["keys"]), ("filter", name, len(keys)))
        self.assertIn(b"well formed", self.crivo("verify", "filter").err)

    def test_readers_of_others_find_every_key(self):
        draw = random.Random(1)
        for count in (0, 1, 2, 3, 10, 1000):
            texts, others = urls(count), urls(1500, salt=1)
            numbers = [draw.randbytes(8) for _ in range(count)]
            other_numbers = [draw.randbytes(8) for _ in range(1500)]
            quiet = ["--allow-empty-set"]
            for width in (1, 2):
                with self.subTest(count=count, width=width):
                    self.check(f"datasketches-xor{8 * width}", sketch_contains, width, texts, others)
                    self.build_as(f"binary-fuse{8 * width}", numbers, "--fixed", "8", *quiet)
                    self.check(f"binary-fuse{8 * width}",
                               lambda data, size, key: fuse_contains(data, size, int.from_bytes(key, "little")),
                               width, numbers, other_numbers, "--fixed", "8")  # fmt: skip

    def test_faults_are_named(self):
        keys = urls(50)
        self.build_as("datasketches-xor8", keys)
        kept = (self.dir / "filter").read_bytes()
        error = self.build_as("datasketches-xor8", keys + keys[7:8], code=3).err
        self.assertIn(b"keys:51: duplicate key", error)
        error = self.build_as("binary-fuse8", keys, code=3).err
        self.assertIn(b"keys:1: the format's keys are numbers of 8 bytes", error)
        for options, message in [(["--fpr", "0.1"], b"no choice"), (["--type", "bloom"], b"no choice"),
                                 (["--note", "a=b"], b"no metadata"), (["--seed", "random"], b"hash of its own")]:  # fmt: skip
            with self.subTest(options=options):
                self.assertIn(message, self.build_as("datasketches-xor8", keys, *options, code=2).err)
        self.assertEqual((self.dir / "filter").read_bytes(), kept)
        self.build_as("datasketches-xor8", keys + keys[7:8], "--duplicates", "ignore")
        self.assertEqual((self.dir / "filter").read_bytes(), kept)
        self.assertIn(b"clubcard", self.crivo("build", "exact", "--format", "datasketches-xor8", "--members", "keys",
                                              "--universe", "keys", "-o", "x", code=2).err)  # fmt: skip

    def test_damage_is_an_error_or_an_answer(self):
        self.build_as("datasketches-xor8", urls(100))
        data = (self.dir / "filter").read_bytes()
        self.write("asked", lines(urls(20)))
        draw = random.Random(3)
        for case in range(60):
            changed = bytearray(data)
            changed[draw.randrange(24) if case % 2 else draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            self.write("damaged", bytes(changed[: draw.randrange(len(data))] if case % 3 == 0 else changed))
            self.crivo("query", "damaged", "asked", code=(0, 2, 4))
