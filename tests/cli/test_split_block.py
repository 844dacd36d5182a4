# SPDX-License-Identifier: Apache-2.0
"""Filters of type split-block-bloom hold the bytes that the specification of Parquet's Bloom filters asks for."""

import struct

from harness import CrivoTest, urls

M32, M64 = 2**32 - 1, 2**64 - 1
PRIMES = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
SALTS = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)
SECTION = 34
HEADER = struct.Struct("<QQ48x")


def rotl(x, bits):
    return (x << bits | x >> (64 - bits)) & M64


def xxh64(data):
    """XXH64 with seed 0."""
    p1, p2, p3, p4, p5 = PRIMES

    def mix(accumulator, lane):
        return rotl((accumulator + lane * p2) & M64, 31) * p1 & M64

    at = 0
    if len(data) >= 32:
        lanes = [(p1 + p2) & M64, p2, 0, -p1 & M64]
        while at + 32 <= len(data):
            lanes = [mix(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotl(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & M64
        for lane in lanes:
            h = ((h ^ mix(0, lane)) * p1 + p4) & M64
    else:
        h = p5
    h = (h + len(data)) & M64
    while at + 8 <= len(data):
        h = (rotl(h ^ mix(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & M64
        at += 8
    if at + 4 <= len(data):
        h = (rotl(h ^ struct.unpack_from("<I", data, at)[0] * p1 & M64, 23) * p2 + p3) & M64
        at += 4
    for byte in data[at:]:
        h = rotl(h ^ byte * p5 & M64, 11) * p1 & M64
    h = (h ^ h >> 33) * p2 & M64
    h = (h ^ h >> 29) * p3 & M64
    return h ^ h >> 32


def bits_of(key, blocks):
    """The block of a key, and its eight words."""
    h = xxh64(key)
    return (h >> 32) * blocks >> 32, [1 << ((h & M32) * salt % 2**32 >> 27) for salt in SALTS]


def bitset(keys, blocks):
    words = [0] * (8 * blocks)
    for key in keys:
        block, bits = bits_of(key, blocks)
        for i, bit in enumerate(bits):
            words[8 * block + i] |= bit
    return struct.pack(f"<{len(words)}I", *words)


class SplitBlock(CrivoTest):
    def section(self, path):
        """keys, blocks, rate, and the bitset."""
        (entry,) = [s for s in self.info(path)["sections"] if s["type"] == SECTION]
        data = (self.dir / path).read_bytes()[entry["offset"] : entry["offset"] + entry["bytes"]]
        return *HEADER.unpack_from(data), *struct.unpack("<Q", data[-8:]), data[HEADER.size : -8]

    def build_filter(self, keys, *options, out="f", **run_options):
        return self.build("filter", keys, "--type", "split-block-bloom", *options, "--force", out=out, **run_options)

    def test_xxh64_is_the_published_one(self):
        self.assertEqual(xxh64(b""), 0xEF46DB3751D8E999)
        self.assertEqual(xxh64(b"a"), 0xD24EC4F1A98C6E5B)
        self.assertEqual(xxh64(b"abc"), 0x44BC2CF5AD770999)

    def test_bitset_of_parquet(self):
        """What parquet-mr writes for the strings a0 to a9 in one block, as the tests of other readers have it."""
        written = "c80150144044086d062504439050602008842b21000563410200e02c404e6004"
        keys = [b"a%d" % i for i in range(10)]
        count, blocks, _, found = self.section(self.build_filter(keys, "--bits", 20))
        self.assertEqual((count, blocks), (10, 1))
        self.assertEqual(found, bytes.fromhex(written))

    def test_bitset(self):
        for keys, options in (
            ([b"x" * n for n in range(1, 70)], ()),
            (urls(5000), ("--fpr", "0.001")),
            (urls(300), ("--bits", 12)),
            (urls(1), ("--fpr", "0.1")),
            ([], ()),
        ):
            for seed in (0, 7):
                with self.subTest(keys=len(keys), options=options, seed=seed):
                    path = self.build_filter(keys, *options, "--seed", seed)
                    count, blocks, rate, found = self.section(path)
                    self.assertEqual(count, len(keys))
                    self.assertEqual(len(found), 32 * blocks)
                    self.assertTrue(found == bitset(keys, blocks), "other bits")
                    self.assertAlmostEqual(rate / 2**64, self.rate_of(found), delta=1e-15)

    def rate_of(self, found):
        total = 0
        for at in range(0, len(found), 32):
            product = 1
            for word in struct.unpack_from("<8I", found, at):
                product *= bin(word).count("1")
            total += product
        return total / 2**40 / (len(found) // 32)

    def test_answers(self):
        keys, absent = urls(3000), urls(3000, salt=1)
        path = self.build_filter(keys, "--fpr", "0.02")
        _, blocks, _, found = self.section(path)

        def holds(key):
            block, bits = bits_of(key, blocks)
            words = struct.unpack_from("<8I", found, 32 * block)
            return all(word & bit for word, bit in zip(words, bits))

        expected = [b"maybe" if holds(key) else b"-" for key in keys + absent]
        self.assertEqual(self.query(path, keys + absent), expected)
        self.assertEqual(set(expected[:3000]), {b"maybe"})
        self.crivo("verify", path, "--keys", "f.in")
        wrong = self.crivo("verify", path, "--keys", self.write_keys(keys + absent), code=1)
        self.assertRegex(wrong.err, rb'the key "https://www.host-1-\S+" \(keys.txt:\d+\) is not in the filter')

    def test_kernels_write_and_answer_alike(self):
        keys = urls(20_000)
        path = self.build_filter(keys, out="fast")
        answers = self.query(path, urls(5000, salt=1))
        portable = {"env": {"CRIVO_CPU": "portable"}}
        self.assertEqual(self.section(self.build_filter(keys, out="plain", **portable)), self.section(path))
        self.assertEqual(self.query(path, urls(5000, salt=1), **portable), answers)

    def test_header_names_the_hash(self):
        """The hash function of the header is 2, and of no other file."""
        path = self.dir / self.build_filter(urls(10))
        self.assertEqual(struct.unpack_from("<I", path.read_bytes(), 72), (2,))
        path = self.dir / self.build("filter", urls(10), out="ribbon")
        self.assertEqual(struct.unpack_from("<I", path.read_bytes(), 72), (1,))

    def test_bench(self):
        path = self.build_filter(urls(2000))
        bench = self.crivo("bench", path, "--keys", "f.in", "--absent", self.write_keys(urls(2000, 1)), "--json").json()
        self.assertEqual(bench["keys_found"], 1)
        self.assertLess(bench["false_positive_rate"], 0.02)
