#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads Crivo's files: the pages of this folder as a program, which stands beside them to be run and to be compared.

    reader.py FILE [KEYS|-]     verifies FILE, or a store's directory, and answers KEYS, a line each, as `crivo query` does
    reader.py FILE              verifies FILE and prints its digest
    reader.py --public-key KEY FILE [KEYS|-]     the same of a file that the owner of KEY, a line in base64, signed

It is written from the pages alone, in their order and words, and needs nothing but Python 3.9. It reads a file whole and
computes with whole numbers, so it is slow; what it answers is what any reader must answer. `open(path)` gives a File,
`open_signed(path, keys)` one that was signed; all that is wrong with a file is a Refused.
"""

import base64
import binascii
import bisect
import builtins
import ctypes
import datetime
import decimal
import hashlib
import pathlib
import re
import sys
from functools import lru_cache

try:
    LIBZSTD = ctypes.CDLL("libzstd.1.dylib" if sys.platform == "darwin" else "libzstd.so.1")
except OSError:
    LIBZSTD = None

MASK = 2**64 - 1


class Refused(Exception):
    """The file is not read. `why`: "foreign", "too new", "too old", "corrupt" (crivo-1.md, "Versions"), "unsupported"."""

    def __init__(self, why, what):
        super().__init__(f"{why}: {what}")
        self.why = why


def need(condition, what):
    """What a sound file has."""
    if not condition:
        raise Refused("corrupt", what)


def know(condition, what):
    """What a file may have, but not for this reader."""
    if not condition:
        raise Refused("too new", what)


# Numbers and bits -----------------------------------------------------------------------------------------------------


def le(data, at, size):
    """The unsigned little-endian number of `size` bytes; a file whose fields do not fit into it is corrupt."""
    need(0 <= at and at + size <= len(data), "a field is past the end")
    return int.from_bytes(data[at : at + size], "little")


def u16(data, at):
    return le(data, at, 2)


def u32(data, at):
    return le(data, at, 4)


def u64(data, at):
    return le(data, at, 8)


def zero(data, begin, end):
    """Reserved bytes."""
    need(begin <= end <= len(data) and not any(data[begin:end]), "reserved bytes are not zero")


def bits(data, at, count):
    """`count` bits from bit `at` of the bytes: bit b is bit b % 8 of byte b / 8; 0 past the end."""
    begin = at // 8
    return int.from_bytes(data[begin : (at + count + 7) // 8], "little") >> at % 8 & ((1 << count) - 1)


def parity(x):
    return bin(x).count("1") & 1


def ceil_div(a, b):
    return -(-a // b)


def round_up(a, b):
    return ceil_div(a, b) * b


def mulhi(a, b):
    return a * b >> 64


def mix64(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def rotate(x, by, width=64):
    return (x << by | x >> (width - by)) & ((1 << width) - 1)


def swap(x, size=8):
    return int.from_bytes(x.to_bytes(size, "little"), "big")


# Hashes: XXH3 and XXH64 of xxHash 0.8.0, SipHash-2-4-128 --------------------------------------------------------------

P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248e"
    "e03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a"
    "51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8f"
    "f8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def _fold(a, b):
    product = a * b
    return (product ^ product >> 64) & MASK


def _product(data, at, secret, seed):
    """The two words at `at`, flipped by two of the secret under a seed, and multiplied: 128 bits."""
    first, second = u64(data, at), u64(data, at + 8)
    return (first ^ (u64(SECRET, secret) + seed & MASK)) * (second ^ (u64(SECRET, secret + 8) - seed & MASK))


def _avalanche(x):
    x = (x ^ x >> 37) * 0x165667919E3779F9 & MASK
    return x ^ x >> 32


def _avalanche64(x):
    x = (x ^ x >> 33) * P64[1] & MASK
    x = (x ^ x >> 29) * P64[2] & MASK
    return x ^ x >> 32


def _mix16(data, at, secret, seed):
    product = _product(data, at, secret, seed)
    return (product ^ product >> 64) & MASK


@lru_cache(maxsize=64)
def _long_secret(seed):
    words = (u64(SECRET, 8 * i) + (-seed if i % 2 else seed) & MASK for i in range(24))
    return b"".join(word.to_bytes(8, "little") for word in words)


@lru_cache(maxsize=64)
def _stripe_secrets(secret):
    """The eight words at 0, 8, ..., 128 of a secret: those of the stripes of a block, and of its end."""
    return [[u64(secret, at + 8 * i) for i in range(8)] for at in range(0, 136, 8)]


def _accumulate(acc, data, at, keys):
    words = [int.from_bytes(data[i : i + 8], "little") for i in range(at, at + 64, 8)]
    for i in range(8):
        key = words[i] ^ keys[i]
        acc[i] = acc[i] + words[i ^ 1] + (key & 0xFFFFFFFF) * (key >> 32) & MASK


def _long_sums(data, secret):
    """The state of XXH3 after more than 240 bytes."""
    acc = [P32[2], *P64[:4], P32[1], P64[4], P32[0]]
    secrets = _stripe_secrets(secret)
    stripes = (len(data) - 1) // 64
    for stripe in range(stripes):
        _accumulate(acc, data, 64 * stripe, secrets[stripe % 16])
        if stripe % 16 == 15:
            acc = [(x ^ x >> 47 ^ key) * P32[0] & MASK for x, key in zip(acc, secrets[16])]
    _accumulate(acc, data, len(data) - 64, [u64(secret, 121 + 8 * i) for i in range(8)])
    return acc


def _merge(acc, secret, at, start):
    for i in range(4):
        start += _fold(acc[2 * i] ^ u64(secret, at + 16 * i), acc[2 * i + 1] ^ u64(secret, at + 16 * i + 8))
    return _avalanche(start & MASK)


def xxh3_64(data, seed=0):
    """XXH3_64bits_withSeed."""
    n = len(data)
    if n == 0:
        return _avalanche64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        combined = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return _avalanche64(combined ^ ((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed & MASK))
    if n <= 8:
        seed ^= swap(seed & 0xFFFFFFFF, 4) << 32
        x = u32(data, n - 4) + (u32(data, 0) << 32)
        x ^= (u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & MASK
        x = (x ^ rotate(x, 49) ^ rotate(x, 24)) * 0x9FB21C651E98DF25 & MASK
        x = (x ^ (x >> 35) + n) * 0x9FB21C651E98DF25 & MASK
        return x ^ x >> 28
    if n <= 16:
        low = u64(data, 0) ^ (u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & MASK
        high = u64(data, n - 8) ^ (u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & MASK
        return _avalanche(n + swap(low) + high + _fold(low, high) & MASK)
    total = n * P64[0]
    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            total += _mix16(data, 16 * i, 32 * i, seed) + _mix16(data, n - 16 * (i + 1), 32 * i + 16, seed)
        return _avalanche(total & MASK)
    if n <= 240:
        for i in range(8):
            total += _mix16(data, 16 * i, 16 * i, seed)
        total = _avalanche(total & MASK)
        for i in range(8, n // 16):
            total += _mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
        return _avalanche(total + _mix16(data, n - 16, 119, seed) & MASK)
    secret = _long_secret(seed)
    return _merge(_long_sums(data, secret), secret, 11, total)


def xxh3_128(data):
    """XXH3_128bits of more than 240 bytes, or of a multiple of 8 that is no more: (high, low)."""
    n = len(data)
    if n > 240:
        acc = _long_sums(data, SECRET)
        return _merge(acc, SECRET, 117, ~(n * P64[1]) & MASK), _merge(acc, SECRET, 11, n * P64[0])
    return _xxh3_128_short(data, n)


def _mix32(low, high, data, first, second, secret):
    low = low + _mix16(data, first, secret, 0) & MASK
    low ^= u64(data, second) + u64(data, second + 8) & MASK
    high = high + _mix16(data, second, secret + 16, 0) & MASK
    return low, high ^ (u64(data, first) + u64(data, first + 8) & MASK)


def _xxh3_128_short(data, n):
    need(17 <= n, "too short")
    low, high = n * P64[0] & MASK, 0
    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            low, high = _mix32(low, high, data, 16 * i, n - 16 * (i + 1), 32 * i)
    else:
        for i in range(4):
            low, high = _mix32(low, high, data, 32 * i, 32 * i + 16, 32 * i)
        low, high = _avalanche(low), _avalanche(high)
        for i in range(4, n // 32):
            low, high = _mix32(low, high, data, 32 * i, 32 * i + 16, 3 + 32 * (i - 4))
        low, high = _mix32(low, high, data, n - 16, n - 32, 103)
    whole = low * P64[0] + high * P64[3] + n * P64[1] & MASK
    return -_avalanche(whole) & MASK, _avalanche(low + high & MASK)


def xxh64(data):
    """XXH64 with seed 0."""

    def round_of(acc, word):
        return rotate(acc + word * P64[1] & MASK, 31) * P64[0] & MASK

    n, at = len(data), 0
    if n >= 32:
        accs = [P64[0] + P64[1] & MASK, P64[1], 0, -P64[0] & MASK]
        while n - at >= 32:
            accs = [round_of(acc, u64(data, at + 8 * i)) for i, acc in enumerate(accs)]
            at += 32
        x = sum(rotate(acc, by) for acc, by in zip(accs, (1, 7, 12, 18))) & MASK
        for acc in accs:
            x = (x ^ round_of(0, acc)) * P64[0] + P64[3] & MASK
    else:
        x = P64[4]
    x = x + n & MASK
    while n - at >= 8:
        x = rotate(x ^ round_of(0, u64(data, at)), 27) * P64[0] + P64[3] & MASK
        at += 8
    if n - at >= 4:
        x = rotate(x ^ u32(data, at) * P64[0] & MASK, 23) * P64[1] + P64[2] & MASK
        at += 4
    for byte in data[at:]:
        x = rotate(x ^ byte * P64[4] & MASK, 11) * P64[0] & MASK
    return _avalanche64(x)


def siphash(data, k0):
    """The two words of SipHash-2-4-128 under the key (k0, 0)."""
    v = [k0 ^ 0x736F6D6570736575, 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, 0x7465646279746573]

    def rounds(count):
        a, b, c, d = v
        for _ in range(count):
            a, c = a + b & MASK, c + d & MASK
            b, d = rotate(b, 13) ^ a, rotate(d, 16) ^ c
            a, c = rotate(a, 32) + d & MASK, c + b & MASK
            b, d = rotate(b, 17) ^ c, rotate(d, 21) ^ a
            c = rotate(c, 32)
        v[:] = a, b, c, d

    whole = len(data) // 8 * 8
    last = int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56
    for word in [u64(data, at) for at in range(0, whole, 8)] + [last]:
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return first, v[0] ^ v[1] ^ v[2] ^ v[3]


# seeds.md, "Key hashes"


@lru_cache(maxsize=2**17)
def _weight(seed, number):
    """Draw `number`, from 0."""
    return mix64(seed + (number + 1) * 0x9E3779B97F4A7C15 & MASK) >> 32


TABLE_BYTES = 4096  # of a key; a longer one is none of the set


def _universal(key, seed, f):
    return sum(_weight(seed, 4 * i + f) * byte for i, byte in enumerate(key[:TABLE_BYTES]))


def _zobrist(key, seed, f):
    return sum(_weight(seed, 4 * (256 * i + byte) + f) for i, byte in enumerate(key[:TABLE_BYTES]))


def _jenkins(key, seed, f):
    mask = 0xFFFFFFFF
    a = b = 0x9E3779B9
    c = _weight(seed, f)

    def stir(a, b, c):
        for first, second, third in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
            a = (a - b - c & mask) ^ c >> first
            b = (b - c - a & mask) ^ a << second & mask
            c = (c - a - b & mask) ^ b >> third
        return a, b, c

    at = 0
    while len(key) - at >= 12:
        a, b, c = stir(a + u32(key, at) & mask, b + u32(key, at + 4) & mask, c + u32(key, at + 8) & mask)
        at += 12
    left = key[at:]
    a += int.from_bytes(left[:4], "little")
    b += int.from_bytes(left[4:8], "little")
    c += len(key) + (int.from_bytes(left[8:], "little") << 8)
    return stir(a & mask, b & mask, c & mask)[2]


@lru_cache(maxsize=None)
def _table_hash(family, key, seed):
    longer = max(0, len(key) - TABLE_BYTES) if family is not _jenkins else 0
    w = [family(key, seed, f) + longer & 0xFFFFFFFF for f in range(4)]
    return w[0] << 32 | w[1], w[2] << 32 | w[3]


def _second_half(key, seed):
    n = len(key)
    if not 17 <= n <= 128:
        return xxh3_64(key, seed + 0x9E3779B97F4A7C15 & MASK)
    folds, upper = n * P64[0], 0
    for i in range((n - 1) // 32 + 1):
        for at, secret in ((16 * i, 32 * i), (n - 16 * (i + 1), 32 * i + 16)):
            folds += _mix16(key, at, secret, seed)
            upper += _product(key, at, secret, seed) >> 64
    return _avalanche(upper + folds * P64[1] & MASK)


def number_hash(function, number, seed):
    """Functions 7 and 8 of a number: range.md."""
    run = (number >> 12).to_bytes(8, "little")
    return (xxh3_64(run, seed) if function == 7 else siphash(run, seed)[0]), number


def hash_key(function, seed, key):
    """(hi, lo) of a key (crivo-1.md, "Keys and their hash")."""
    if function == 1:
        return xxh3_64(key, seed), _second_half(key, seed)
    if function == 2:
        return xxh64(key), xxh3_64(key, seed)
    if function == 6:
        return siphash(key, seed)
    if function in (7, 8) and len(key) <= 8:
        return number_hash(function, int.from_bytes(key, "big"), seed)
    if function in (7, 8):
        return hash_key(1, seed, key)
    return _table_hash({3: _universal, 4: _zobrist, 5: _jenkins}[function], key, seed)


# MPHFs: phast.md, consensus.md, seeds.md ------------------------------------------------------------------------------
# Each has `n` and rank(hi, lo), which is below n for every hash, or 0 if n = 0.


def packed_size(bit_count):
    return round_up(ceil_div(bit_count, 8) + 7, 8)


class EliasFano:
    """The arrays of h integers below a universe, of phast.md, from byte `at` on."""

    def __init__(self, data, at, h, universe):
        self.data, self.h, self.universe, self.end = data, h, universe, at
        if h:
            self.w = (universe // h).bit_length() - 1
            self.low, self.high = at, packed_end(data, at, h * self.w)
            self.words = ceil_div(h + (universe - 1 >> self.w) + 1, 64)
            self.samples = self.high + 8 * self.words
            self.end = self.samples + 8 * ceil_div(h, 128)

    def value(self, i):
        """Integer i: 0 if there is none, at most universe - 1."""
        if i >= self.h:
            return 0
        place = u64(self.data, self.samples + i // 128 * 8)
        skip = i % 128
        while place < 64 * self.words:
            word = u64(self.data, self.high + place // 64 * 8) >> place % 64
            ones = bin(word).count("1")
            if ones > skip:
                for _ in range(skip):
                    word &= word - 1
                place += (word & -word).bit_length() - 1
                low = bits(self.data, self.low * 8 + i * self.w, self.w)
                return min((place - i & MASK) << self.w & MASK | low, self.universe - 1)
            skip -= ones
            place = (place // 64 + 1) * 64
        return 0


def packed_end(data, at, bit_count):
    end = at + packed_size(bit_count)
    zero(data, at + ceil_div(bit_count, 8), end)
    return end


class Level:
    """A level of k keys of phast.md, from byte `at` on."""

    def __init__(self, data, at, k, seed_bits):
        self.data, self.k, self.seed_bits = data, k, seed_bits
        buckets, self.c, g = u32(data, at), le(data, at + 4, 1), le(data, at + 5, 1)
        need(8 <= buckets <= 2**20 and buckets % 8 == 0 and self.c <= 11 and g <= 22, "a level's shape")
        zero(data, at + 6, at + 8)
        self.buckets = buckets << g
        self.seeds = at + 8
        at = packed_end(data, self.seeds, self.buckets * seed_bits)
        holes = u64(data, at)
        need(holes <= k, "more holes than keys")
        self.holes = EliasFano(data, at + 8, holes, k)
        self.end = self.holes.end
        need(self.end <= len(data), "a level is cut off")

    def seed_of(self, hi):
        return bits(self.data, self.seeds * 8 + mulhi(hi, self.buckets) * self.seed_bits, self.seed_bits)

    def value(self, hi, s):
        f, t = s >> 8, s % 256
        y = hi % 2**16 * (2 * f + 1) % 2**16
        x = (y - 2**16 if y >= 2**15 else y) >> 16 - self.c
        return min(mulhi(hi, self.k) + x + t & MASK, self.k - 1)


class Phast:
    """What section 16 is, and the rest of section 17."""

    def __init__(self, data, at=0):
        self.data = data
        self.n, seed_bits = u64(data, at), le(data, at + 8, 1)
        need(self.n <= 2**40 and 9 <= seed_bits <= 16, "the header")
        zero(data, at + 9, at + 16)
        at += 16
        self.levels = []
        k = self.n
        while k > (1024 if self.levels else 64):
            need(len(self.levels) < 24, "too many levels")
            self.levels.append(Level(data, at, k, seed_bits))
            at, k = self.levels[-1].end, self.levels[-1].holes.h
        self.small = k
        if k:
            self.salt = u64(data, at)
            need(self.salt < 64, "the small set's salt")
            self.seeds, self.m = at + 8, ceil_div(k, 5)
            at = round_up(self.seeds + 2 * self.m, 8)
            zero(data, self.seeds + 2 * self.m, at)
        self.end = at

    def rank(self, hi, lo, i=0):
        if i > 0:
            lo ^= mix64(hi + i & MASK)
            hi ^= mix64(lo + i & MASK)
        if i == len(self.levels):
            return self._small_rank(hi, lo)
        level = self.levels[i]
        s = level.seed_of(hi)
        return level.value(hi, s) if s else level.holes.value(self.rank(hi, lo, i + 1))

    def _small_rank(self, hi, lo):
        if self.small == 0:
            return 0
        z = mix64(hi ^ mix64(lo + self.salt & MASK))
        s = u16(self.data, self.seeds + 2 * mulhi(z, self.m))
        y = (z ^ s * 0x9E3779B97F4A7C15 & MASK) * 0xD6E8FEB86659FD93 & MASK
        y = (y ^ y >> 32) * 0xD6E8FEB86659FD93 & MASK
        return mulhi(y, self.small)


class WholePhast(Phast):
    """Section 16."""

    def __init__(self, data):
        super().__init__(data)
        need(self.end == len(data), "the length")


class ConsensusPart:
    """A partition of consensus.md: its entry of the table, and where its arrays begin, from byte `at` on."""

    def __init__(self, data, entry, at, k, total_bits, before):
        self.c = [0] + [u32(data, entry + 4 * j) for j in range(8)]
        self.buckets, exceptions, self.salt = u16(data, entry + 32), u16(data, entry + 34), data[entry + 36]
        need(data[entry + 37] <= 1, "where a partition begins")
        zero(data, entry + 38, entry + 40)
        at = round_up(at, 4096) if data[entry + 37] else at
        need(self.buckets <= 2**20 // k // 2 and exceptions <= self.buckets, "a partition's entry")
        self.before = before  # ranks
        self.end = at
        if not self.buckets:
            need(exceptions == 0, "exceptions without buckets")
            return
        self.thresholds = at
        exceptions_at = round_up(at + 2 * (self.buckets + 1), 8)
        zero(data, at + 2 * (self.buckets + 1), exceptions_at)
        self.exceptions = [
            (u64(data, exceptions_at + 16 * i), u64(data, exceptions_at + 16 * i + 8)) for i in range(exceptions)
        ]
        self.columns = exceptions_at + 16 * exceptions
        self.trees = self.columns + self.buckets * k // 16 + 8
        trees_end = self.trees + self.buckets * total_bits // 8
        self.end = round_up(trees_end, 8)
        zero(data, trees_end, self.end)


class Consensus:
    """Section 17."""

    def __init__(self, data):
        self.data = data
        self.n, self.K = u64(data, 0), le(data, 8, 1)
        need(self.n <= 2**48 and 9 <= self.K <= 12, "the header")
        zero(data, 9, 10)
        self.k = 1 << self.K
        self.A = [u16(data, 10 + 2 * level) for level in range(self.K - 1)]
        self.T = sum(self.A)
        need(all(a <= 15 << level for level, a in enumerate(self.A)) and self.T % 8 == 0, "the levels' bits")
        need(self.A[0] + self.A[1] // 2 >= 15, "a window beyond its tree")
        header_end = 10 + 2 * (self.K - 1)
        at = round_up(header_end, 8)
        zero(data, header_end, at)
        self.g = 0
        while self.n >> self.g > 370727:
            self.g += 1
        table = len(data) - 40 * (1 << self.g)
        need(table >= at and table % 8 == 0, "no room for the table")
        self.parts = []
        in_buckets = 0
        for i in range(1 << self.g):
            self.parts.append(ConsensusPart(data, table + 40 * i, at, self.k, self.T, in_buckets))
            in_buckets += self.parts[-1].buckets * self.k
            at = self.parts[-1].end
        need(in_buckets <= self.n, "more keys in buckets than there are")
        self.in_buckets, self.rest = in_buckets, None
        if in_buckets < self.n:
            self.rest = Phast(data, at)
            need(self.rest.n == self.n - in_buckets, "the keys of the rest")
            at = self.rest.end
        need(at == table, "the parts do not end where the table begins")

    def _estimate(self, part, hi):
        h = hi << self.g & MASK
        j, r = h >> 61, h << 3 & MASK
        scale = 1 << 16 - self.K
        return part.c[j] * scale + mulhi(r, (part.c[j + 1] - part.c[j]) * scale & MASK) & MASK

    def _bucket(self, part, hi, lo):
        if not part.buckets:
            return 0
        p = self._estimate(part, hi)
        b = min((p + 2**15 & MASK) >> 16, part.buckets)
        threshold = u16(self.data, part.thresholds + 2 * b)
        q = (b << 16) + (threshold - 2**16 if threshold >= 2**15 else threshold)
        if b > 0:
            above = next((e for e in part.exceptions if e > (hi, lo)), None)
            if p < q or p == q and above and self._estimate(part, above[0]) == p:
                b -= 1
        return b

    def rank(self, hi, lo):
        if self.n == 0:
            return 0
        part = self.parts[hi >> 64 - self.g]
        b = self._bucket(part, hi, lo)
        if b == part.buckets:
            if not self.rest:
                return self.n - 1
            lo ^= mix64(hi + 1 & MASK)
            hi ^= mix64(lo + 1 & MASK)
            lo ^= mix64(hi + 1 & MASK)
            return self.in_buckets + self.rest.rank(hi, lo)
        m = mix64(lo + mix64(hi + part.salt & MASK) & MASK) if part.salt else lo
        tree = bits(self.data, part.trees * 8 + b * self.T, self.T)
        j = above = 0
        for level in range(self.K - 1):
            begin = self.T - above - ((j + 1) * self.A[level] >> level)
            s = 2 * (tree >> begin & 0x7FFF) + 1
            x = m >> 16 * (level % 4) & 0xFFFF
            j = 2 * j + ((s ^ s << 9 ^ s << 4) * x >> 15 & 1)
            above += self.A[level]
        z = (m * 0x9FB21C651E98DF25 & MASK) >> 8
        columns = bits(self.data, part.columns * 8 + b * self.k // 2 + j, 56)
        return part.before + b * self.k + 2 * j + parity(z & columns)


class Graph:
    """What sections 18 to 21 and 50 have in common (seeds.md)."""

    def __init__(self, data, kind):
        self.data = data
        self.n, self.m, self.salt, self.pattern = u64(data, 0), u64(data, 8), u32(data, 16), u32(data, 20)
        self.range_kind, self.vertices, self.width = le(data, 24, 1), le(data, 25, 1), le(data, 26, 1)
        zero(data, 27, 32)
        need(self.n <= 2**30 and self.m < 2**32 and self.range_kind <= 2, "the header")
        need(kind == 19 or self.pattern == 0, "a pattern salt")
        need(self.vertices in {18: (2, 3), 19: (0,), 20: (2,), 21: (3,), 50: (2, 3)}[kind], "vertices of an edge")
        need(1 <= self.width <= 64 if kind == 50 else self.width == 0, "bits of a value")
        need(self.m >= (4 if kind == 19 else self.vertices) if self.n else self.m == 0, "the size")

    def entries(self, size):
        need(len(self.data) == 32 + size, "the length")

    def words(self, hi, lo, salt):
        if salt:
            t = salt * 0x9E3779B97F4A7C15 & MASK
            lo ^= mix64(hi + t & MASK)
            hi ^= mix64(lo + t & MASK)
            lo ^= mix64(hi + t & MASK)
        return hi >> 32, hi & 0xFFFFFFFF, lo >> 32, lo & 0xFFFFFFFF

    def range(self, w, k):
        if self.range_kind == 0:
            return w % k
        if self.range_kind == 1:
            x = w & (1 << (k - 1).bit_length()) - 1
            return x ^ k if x >= k else x
        for _ in range(32):
            if (w * k & 0xFFFFFFFF) >= 2**32 % k:
                break
            x = w + 1 & 0xFFFFFFFF
            x = (x ^ x >> 16) * 0x85EBCA6B & 0xFFFFFFFF
            x = (x ^ x >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
            w = x ^ x >> 16
        return w * k >> 32

    def edge(self, hi, lo):
        w, m = self.words(hi, lo, self.salt), self.m
        v1 = self.range(w[0], m)
        v2 = v1 + self.range(w[1], m - 1) + 1
        if self.vertices == 2:
            return v1, v2 % m
        v3 = v1 + self.range(w[2], m - 2) + 1
        if v3 >= v2:
            v3 += 1
        return v1, v2 % m, v3 % m

    def entry(self, v):
        return u32(self.data, 32 + 4 * v)


class Mwhc(Graph):
    """Section 18."""

    def __init__(self, data):
        super().__init__(data, 18)
        self.entries(4 * self.m)

    def rank(self, hi, lo):
        if self.n == 0:
            return 0
        value = 0
        for v in self.edge(hi, lo):
            value ^= self.entry(v)
        return min(value, self.n - 1)


class Fch(Graph):
    """Section 19."""

    def __init__(self, data):
        super().__init__(data, 19)
        self.entries(4 * self.m)

    def rank(self, hi, lo):
        n, m = self.n, self.m
        if n == 0:
            return 0
        p1, p2 = 6 * n // 10, 3 * m // 10
        i = self.range(self.words(hi, lo, self.salt)[0], n)
        b = i % p2 if i < p1 else p2 + (i - p1) % (m - p2)
        u = self.range(self.words(hi, lo, self.pattern)[1], n)
        return (u + self.entry(b)) % n


class Bmz(Graph):
    """Section 20."""

    def __init__(self, data):
        super().__init__(data, 20)
        self.entries(4 * self.m)

    def rank(self, hi, lo):
        if self.n == 0:
            return 0
        return min(sum(map(self.entry, self.edge(hi, lo))) % 2**32, self.n - 1)


class Bdz(Graph):
    """Section 21."""

    def __init__(self, data):
        super().__init__(data, 21)
        self.blocks = ceil_div(self.m, 256)
        self.entries(68 * self.blocks)

    def value(self, v):
        return bits(self.data, 32 * 8 + 2 * v, 2)

    def rank(self, hi, lo):
        if self.n == 0:
            return 0
        edge = self.edge(hi, lo)
        v = edge[sum(map(self.value, edge)) % 3]
        before = sum(self.value(u) != 3 for u in range(v // 256 * 256, v))
        return min(u32(self.data, 32 + 64 * self.blocks + v // 256 * 4) + before, self.n - 1)


# Static functions: ribbon.md, fuse.md, coded.md, seeds.md -------------------------------------------------------------
# Each has `n` and value(hi, lo) for every hash. Filters of the first two have contains(hi, lo).

ODD = 0xD1342543DE82EF95


def next_hash(hi, lo):
    hi = mix64(hi ^ mix64(lo + 0x9E3779B97F4A7C15 & MASK))
    return hi, mix64(lo + hi & MASK)


class Ribbon:
    """Sections 32 (a filter) and 48: ribbon.md."""

    def __init__(self, data, is_filter):
        self.data, self.is_filter = data, is_filter
        self.n, self.width, self.g, self.seed, self.f = u64(data, 8), data[0], data[4], data[5], u32(data, 16)
        self.small = self.n < 4096
        need(1 <= self.width <= (32 if is_filter else 64), "the width")
        # Coefficients of a row, starts of a bucket, thresholds, keys of a partition
        long_rows = not (self.small or is_filter) and self.width == 1
        self.l, self.b, self.thresholds, most = (128, 64, (0, 4, 12, 64), 524288) if long_rows else (64, 16, (0, 2, 5, 16), 92681)
        need(data[1] == self.l and u16(data, 2) == (0 if self.small else self.b), "the header")
        zero(data, 6, 8)
        need(is_filter or self.f == 0, "narrow rows in a function")
        zero(data, 20, 64)
        zero(data, len(data) - 32, len(data))
        if self.small:
            need(self.g == 0 and self.seed <= 63, "the header")
            self.m = 8 * ceil_div(self.n + self.n // 40 + 2, 8) if self.n else 0
            need(len(data) == 64 + self._block(0, self.m, self.m // 8) + 32, "the length")
            return
        need(self.seed == 0, "the header")
        need(self.g == min(g for g in range(65) if self.n >> g <= most) <= 32, "the number of partitions")
        self.table = len(data) - 32 - 8 * (1 << self.g)
        need(self.table >= 64, "no room for the table")
        need(u64(data, self.table) == 64, "the first body")
        k = self.n >> self.g
        self.m = 8 * max(self.l // 8, (k - 4 * k // self.l + 4) // 8)
        need(64 + self._layer_bytes(self.m) + 12 <= self.table, "no room for a partition")

    def _starts(self, m):
        return max(1, m // 8 - self.l // 8 + 1) if m else 0

    def _narrow(self, m):
        return self._starts(m) * self.f >> 32

    def _block(self, at, m, b):
        """Where block b of the layer of m slots at `at` begins."""
        return at + b * self.width - min(b, self._narrow(m))

    def _layer_bytes(self, m):
        return self._block(0, m, m // 8) + ceil_div(self._starts(m), 4 * self.b)

    def _layers(self, partition):
        """(where it begins, slots) of each layer whose bytes are before the table."""
        at, m = u64(self.data, self.table + 8 * partition), self.m
        counts = at + self._layer_bytes(m)
        if at < 64 or counts + 12 > self.table:
            return
        yield at, m
        at = counts + 12
        for i in range(3):
            m = 8 * u32(self.data, counts + 4 * i)
            if m < self.l or at + self._layer_bytes(m) > self.table:
                return
            yield at, m
            at += self._layer_bytes(m)

    def _value_and_bits(self, hi, lo):
        if self.n == 0:
            return 0, self.width
        if self.small:
            h = lo * (mix64(self.seed + 0x9E3779B97F4A7C15 & MASK) | 1) + (0 if self.is_filter else hi) & MASK
            h = (h ^ h >> 32) * 0xD6E8FEB86659FD93 & MASK
            row = (h * ODD & MASK | 1) & (1 << min(self.m, 64)) - 1
            return self._row(64, self.m, mulhi(h, self._starts(self.m)), row)
        h, l = hi, lo
        for number, (at, m) in enumerate(self._layers(hi >> 64 - self.g if self.g else 0)):
            if number:
                h, l = next_hash(h, l)
            s = mulhi(h << self.g & MASK if number == 0 else h, self._starts(m))
            threshold = bits(self.data, self._block(at, m, m // 8) * 8 + 2 * (s // self.b), 2)
            if s % self.b >= self.thresholds[threshold]:
                row = h * ODD & MASK
                more = ((row ^ row >> 32) * 0xD6E8FEB86659FD93 & MASK) << 64 if self.l == 128 else 0
                return self._row(at, m, s, row | 1 | more)
        return 0, self.width

    def _row(self, at, m, s, c):
        """The value of the row with the coefficients c from block s on."""
        width = self.width - (s < self._narrow(m))
        columns = [0] * width
        for i in range(min(self.l // 8, m // 8)):
            block = self._block(at, m, s + i)
            columns = [sum_ ^ self.data[block + j] & c >> 8 * i & 255 for j, sum_ in enumerate(columns)]
        return sum(parity(column) << j for j, column in enumerate(columns)), width

    def value(self, hi, lo):
        return self._value_and_bits(hi, hi if self.is_filter else lo)[0]

    def contains(self, hi, _):
        if self.n == 0:
            return False
        value, width = self._value_and_bits(hi, hi)
        return value == mulhi(hi, ODD) & (1 << width) - 1


class Fuse:
    """Section 33."""

    def __init__(self, data, is_filter):
        self.data = data
        self.width, self.k, self.g, self.l = (le(data, at, 1) for at in range(4))
        self.n = u64(data, 8)
        need(1 <= self.width <= (32 if is_filter else 64) and self.k in (3, 4), "the header")
        zero(data, 4, 8)
        zero(data, 16, 64)
        self.small = None
        if self.n < 4096:
            need(self.g == 0 and self.l == 0, "shards of a small set")
            self.small = Ribbon(data[64:], is_filter)
            need(self.small.n == self.n and self.small.width == self.width, "the small set's header")
            need(self.small.f == 0, "narrow rows in a fuse section")
            return
        need(self.g <= 32 and 3 <= self.l <= 16, "the header")
        table = len(data) - 16 - 4 * (1 << self.g)
        need(table >= 64, "no room for the shards")
        zero(data, len(data) - 16, len(data))
        self.shards, total = [], 0
        for p in range(1 << self.g):
            seed, segments = data[table + 4 * p] & 0x7F, le(data, table + 4 * p + 1, 3)
            if data[table + 4 * p] >> 7:
                total = round_up(total, 32768)
            need(seed < 32 and segments >= self.k, "a shard")
            self.shards.append((seed, segments, total))
            total += segments << self.l
        need(table == 64 + ceil_div(total * self.width, 8), "the length")
        need(bits(data, 64 * 8 + total * self.width, -total * self.width % 8) == 0, "padding is not zero")

    def value(self, hi, lo):
        if self.small:
            return self.small.value(hi, lo)
        seed, segments, before = self.shards[hi >> 64 - self.g if self.g else 0]
        x = lo * (mix64(seed + 0x9E3779B97F4A7C15 & MASK) | 1) & MASK
        begin = 64 * 8 + before * self.width
        return self.slots(self.data, begin, self.width, (self.k, self.l, segments), hi << self.g & MASK, x)

    @staticmethod
    def slots(data, begin, width, shape, high, x):
        """The XOR of a key's slots in the shard that begins at bit `begin`."""
        k, l, segments = shape
        slot, value = mulhi(high, segments - k + 1 << l), 0
        for j in range(k):
            low = (x >> 64 - 16 * j) % (1 << l) if j else 0
            value ^= bits(data, begin + ((slot + (j << l)) ^ low) * width, width)
        return value

    def contains(self, hi, _):
        return self.n > 0 and self.value(hi, hi) == mulhi(hi, ODD) & (1 << self.width) - 1


class BitRibbon:
    """coded.md, "A one-bit ribbon": the layers of its slices, which add() finds one after the other."""

    THRESHOLDS = {7: (0, 26, 64, 128), 8: (0, 32, 96, 256), 9: (0, 41, 102, 512)}

    def __init__(self, data, shape):
        self.data, (self.longest, self.s, self.b) = data, shape
        need(1 <= self.longest <= 30 and self.s <= 16 and 7 <= self.b <= 9, "a ribbon's shape")
        self.slices = []

    def add(self, entry, begin, end):
        """The next slice, whose layers stand in the table at `entry`, from `begin`; returns where it ends."""
        slots = [64 * u32(self.data, entry + 4 * i) for i in range(4)]
        need(all(m == 0 or m >= 127 + self.longest for m in slots), "a layer is too small")
        layers, at, thresholds = [], begin, begin + sum(slots) // 8
        for m in slots:
            layers.append((at, m, thresholds))
            at += m // 8
            thresholds += ceil_div(self._starts(m), 4 << self.b) if m else 0
        need(round_up(thresholds, 8) <= end, "a ribbon is cut off")
        self.slices.append(layers)
        return round_up(thresholds, 8)

    def _starts(self, m):
        return m - 126 - self.longest

    def read(self, p, h, l):
        """The bits of a key of partition p, the first one lowest."""
        slice, h = p << self.s | (h >> 64 - self.s if self.s else 0), h << self.s & MASK
        for at, m, thresholds in self.slices[slice]:
            if m:
                s = mulhi(h, self._starts(m))
                index = bits(self.data, thresholds * 8 + 2 * (s >> self.b), 2)
                if s % (1 << self.b) >= self.THRESHOLDS[self.b][index]:
                    row = self._row(h, l)
                    slots = bits(self.data, at * 8 + s, 128 + self.longest)
                    return sum(parity(slots >> t & row) << t for t in range(self.longest))
            h, l = next_hash(h, l)
        return 0

    @staticmethod
    def _row(h, l):
        row = (l | 2**63) << 64 | mix64(h + 0x2545F4914F6CDD1D & MASK)
        return int(f"{row:0128b}"[::-1], 2)


class CodedLevel:
    """A level of coded.md, whose code begins at `at`: plain, or perhaps a filter, codewords, perhaps a ribbon."""

    def __init__(self, data, at, entry, width, number, last):
        kind, filter_shape, shape = data[entry], tuple(data[entry + 1 : entry + 4]), tuple(data[entry + 4 : entry + 7])
        count, self.escape, self.dominant = u32(data, entry + 8), u32(data, entry + 12), u64(data, entry + 16)
        self.number, self.filter, self.ribbon, self.plain, self.end = number, None, None, None, at
        zero(data, entry + 7, entry + 8)
        need((self.escape == 0xFFFFFFFF) == last, "the escape of the last level alone")
        if kind == 1:
            need(last, "a plain level that is not the last")
            zero(data, entry + 1, entry + 12)
            zero(data, entry + 16, entry + 24)
            self.plain = []
            return
        need(kind == 2, "the kind of a level")
        need(1 <= count <= 65537, "the number of codewords")
        if any(filter_shape):
            self.filter = BitRibbon(data, filter_shape)
        else:
            need(self.dominant == 0, "a filter without a shape")
        longest = shape[0]
        need(longest <= 30, "a codeword is too long")
        lengths = [u32(data, at + 4 * length) for length in range(longest + 1)]
        need(sum(lengths) == count, "the numbers of codewords")
        need(sum(c << longest - length for length, c in enumerate(lengths)) == 1 << longest, "the code is not complete")
        values, size = at + 4 * (longest + 1), ceil_div(width, 8)
        values_end = values + count * size
        self.values = [le(data, values + i * size, size) & (1 << width) - 1 for i in range(count)]
        self.end = round_up(values_end, 8)
        zero(data, values_end, self.end)
        if longest:
            need(lengths[longest] > 0, "the longest codeword")
            self.ribbon = BitRibbon(data, shape)
        else:
            need(shape == (0, 0, 0), "a code of one codeword")
        self.codewords, code, index = {}, 0, 0
        for length, c in enumerate(lengths):
            code <<= 1
            for _ in range(c):
                self.codewords[length, code] = index
                code, index = code + 1, index + 1
        need(self.escape == 0xFFFFFFFF or self.escape < count, "the escape")

    def value(self, p, hi, lo):
        """None: the next level has it."""
        if self.plain is not None:
            return self.plain[p].value(hi, lo)
        if self.filter:
            r = self.filter.longest
            top = mix64(lo ^ (self.number + 1) * 0x9E6C63D0876A9A47 & MASK) >> 64 - r
            if self.filter.read(p, hi, lo) != top:
                return self.dominant
        stream = self.ribbon.read(p, hi, lo) if self.ribbon else 0
        code = 0
        for length in range(31):
            index = self.codewords.get((length, code))
            if index is not None:
                return None if index == self.escape else self.values[index]
            code = code << 1 | stream >> length & 1
        raise AssertionError("the code is complete")


class Coded:
    """Section 49."""

    def __init__(self, data):
        self.n, self.width, count, self.g = u64(data, 0), le(data, 16, 1), le(data, 17, 1), le(data, 18, 1)
        need(u64(data, 8) < 2**38 and self.width <= 64 and self.g <= 32, "the header")
        need(1 <= count <= 32 if self.n else count == 0, "the number of levels")
        zero(data, 19, 32)
        entries = len(data) - 24 * count
        need(entries >= 32 and entries % 8 == 0, "no room for the levels")
        self.levels, at = [], 32
        for i in range(count):
            self.levels.append(CodedLevel(data, at, entries + 24 * i, self.width, i, i == count - 1))
            at = self.levels[-1].end
        plain = self.levels[-1].plain if self.levels else None
        ribbons = [ribbon for level in self.levels for ribbon in (level.filter, level.ribbon) if ribbon]
        slices = [ribbon for ribbon in ribbons for _ in range(1 << ribbon.s)]
        unit = 8 if plain is None else 64
        size = (8 if plain is None else 24) + 16 * len(slices) if slices or plain is not None else 0
        need(size << self.g <= entries - at, "no room for the partitions' table")
        table, begin = entries - (size << self.g), round_up(at, unit)
        zero(data, at, min(begin, table))
        at = begin
        for entry in range(table, entries, size or 1):
            begin = u64(data, entry)
            need(begin % unit == 0 and at <= begin <= table, "where a partition begins")
            at, entry = begin, entry + 8
            if plain is not None:
                at += u64(data, entry)
                need(at <= table, "a partition is cut off")
                plain.append(Ribbon(data[begin:at], False))
                need(plain[-1].width == self.width, "the width of a plain level")
                at, entry = round_up(at, 8), entry + 16
            begin = at
            for i, ribbon in enumerate(slices):
                at = ribbon.add(entry + 16 * i, at, table)
            need(plain is None or at - begin == u64(data, entry - 8), "the length of a partition")
            at = round_up(at, unit)
        need(at == table, "the length")

    def value(self, hi, lo):
        p, hi = hi >> 64 - self.g if self.g else 0, hi << self.g & MASK
        for level in self.levels:
            value = level.value(p, hi, lo)
            if value is not None:
                return value & (1 << self.width) - 1
        return 0


class MwhcFunction(Graph):
    """Section 50."""

    def __init__(self, data):
        super().__init__(data, 50)
        if self.n == 0:
            self.entries(0)
            return
        bit_count = self.m * self.width
        self.entries(ceil_div(bit_count, 8) + 16)
        need(bits(data, 32 * 8 + bit_count, -bit_count % 8 + 128) == 0, "padding is not zero")

    def value(self, hi, lo):
        value = 0
        for v in self.edge(hi, lo):
            value ^= bits(self.data, 32 * 8 + v * self.width, self.width)
        return value


# Filters: split-block-bloom.md, bloom.md, cuckoo.md, hash-compaction.md, range.md -------------------------------------


class SplitBlock:
    """Section 34."""

    SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)

    def __init__(self, data):
        self.data, self.n, self.blocks = data, u64(data, 0), u64(data, 8)
        need(1 <= self.blocks <= 2**31, "the number of blocks")
        zero(data, 16, 64)
        need(len(data) == 64 + 32 * self.blocks + 8, "the length")
        need((u64(data, len(data) - 8) == 0) == (self.n == 0), "the rate")

    def contains(self, h, _):
        block = 64 + 32 * ((h >> 32) * self.blocks >> 32)
        return all(
            u32(self.data, block + 4 * i) >> (h * salt % 2**32 >> 27) & 1 for i, salt in enumerate(self.SALT)
        )


class Bloom:
    """Sections 35 and 36."""

    def __init__(self, data, counting):
        self.data, self.m, self.n = data, u64(data, 0), u64(data, 8)
        self.k, self.b, self.g = u32(data, 24), u32(data, 28), u32(data, 36)
        need(self.g <= 36 and 1 <= self.m <= 2**56, "the cells")
        need(self.g == 0 or self.m % (64 << self.g) == 0, "the regions")
        need(u64(data, 16) >= 1 and 1 <= self.k <= 64 and u32(data, 32) <= 1, "the header")
        need(1 <= self.b <= 32 if counting else self.b == 1, "the bits of a cell")
        zero(data, 40, 64)
        bit_count = self.m * self.b
        end = 64 + 8 * ceil_div(bit_count, 64)
        need(len(data) == end + 16, "the length")
        need(bits(data, 64 * 8 + bit_count, -bit_count % 64) == 0, "bits after the last cell")
        occupied, saturated = u64(data, end), u64(data, end + 8)
        need(occupied <= self.m and saturated <= (occupied if counting else 0), "the counts")

    def contains(self, hi, lo):
        region = self.m >> self.g
        cells = [mulhi(hi, self.m)]
        begin = (hi >> 64 - self.g if self.g else 0) * region
        for _ in range(1, self.k):
            cells.append(begin + mulhi(lo, region))
            lo = lo * 0xF1357AEA2E62A9C5 & MASK
        return all(bits(self.data, 64 * 8 + cell * self.b, self.b) for cell in cells)


class Cuckoo:
    """Section 37."""

    def __init__(self, data):
        self.data = data
        self.A, self.r, self.g = (le(data, at, 1) for at in range(3))
        self.L, self.n = u32(data, 4), u64(data, 8)
        low = {1: (2, 32), 9: (0, 28), 11: (0, 27), 13: (0, 27), 16: (0, 28)}.get(self.A, (1, 0))
        need(low[0] <= self.r <= low[1] and self.g <= 40, "the header")
        need(1 <= self.L <= 2**17 and (self.g == 0 or self.L % 8 == 0), "the buckets")
        zero(data, 3, 4)
        zero(data, 24, 64)
        self.w = 4 * self.r + {1: 0, 9: 9, 11: 10, 13: 11, 16: 12}[self.A]
        self.F = (self.A << self.r) - 1
        buckets = self.L << self.g
        end = 64 + ceil_div(buckets * self.w, 8)
        need(end + 32 <= len(data), "the length")
        need(bits(data, 64 * 8 + buckets * self.w, -buckets * self.w % 8 + 128) == 0, "padding is not zero")
        pairs, count = u64(data, len(data) - 16), u64(data, len(data) - 8)
        need(len(data) == end + 32 + 16 * count, "the length")
        entries = []
        for at in range(end + 16, end + 16 + 16 * count, 16):
            entries.append((u64(data, at), u32(data, at + 8)))
            zero(data, at + 12, at + 16)
        need(entries == sorted(entries), "the order of the stash")
        need(all(b < buckets and 1 <= f <= self.F for b, f in entries), "an entry of the stash")
        self.stash = set(entries)
        need(self.n <= 4 * buckets + count and pairs <= 2 * self.n and (pairs == 0) == (self.n == 0), "the counts")
        need(pairs <= buckets * self.F, "the rate")

    def _slots(self, bucket):
        x = bits(self.data, 64 * 8 + bucket * self.w, self.w)
        r = self.r
        if self.A == 1:
            return [x >> r * i & (1 << r) - 1 for i in range(4)]
        code_bits = self.w - 4 * r
        symbols = multisets().get(x & (1 << code_bits) - 1, (0, 0, 0, 0))
        return [symbol << r | x >> code_bits + r * i & (1 << r) - 1 for i, symbol in enumerate(symbols)]

    def contains(self, hi, lo):
        f = 1 + mulhi(hi * ODD & MASK, self.F)
        segment = (hi >> 64 - self.g if self.g else 0) * self.L
        i = mulhi(hi << self.g & MASK, self.L)
        j = (mulhi(f * 0x9E3779B97F4A7C15 & MASK, self.L) - i) % self.L
        i, j = segment + i, segment + j
        return f in self._slots(i) or f in self._slots(j) or (min(i, j), f) in self.stash


class Layers:
    """Sections 37 with the tags 0, 1, ..."""

    def __init__(self, layers):
        self.layers, self.n = layers, sum(layer.n for layer in layers)

    def contains(self, hi, lo):
        return any(layer.contains(hi, lo) for layer in self.layers)


@lru_cache(maxsize=1)
def multisets():
    """The four symbols below 16 of each code."""
    codes = {}
    for d in range(16):
        for c in range(d + 1):
            for b in range(c + 1):
                for a in range(b + 1):
                    code = a + (b + 1) * b // 2 + (c + 2) * (c + 1) * c // 6 + (d + 3) * (d + 2) * (d + 1) * d // 24
                    codes[code] = (a, b, c, d)
    return codes


class HashCompaction:
    """Section 38."""

    def __init__(self, data):
        self.data, self.w = data, le(data, 0, 1)
        self.n, d, self.m, self.T, self.R = (u64(data, at) for at in range(8, 48, 8))
        need(2 <= self.w <= 64 and 1 <= self.m <= self.T <= 2**48 and self.R <= self.T, "the header")
        need(d <= min(self.n, self.T, 2**self.w - 1) and (d == 0) == (self.n == 0), "the number of compressed keys")
        zero(data, 1, 8)
        zero(data, 48, 64)
        bit_count = self.T * self.w
        need(len(data) == 64 + ceil_div(bit_count, 8) + 16, "the length")
        need(bits(data, 64 * 8 + bit_count, -bit_count % 8 + 128) == 0, "padding is not zero")

    def contains(self, hi, _):
        x = 1 + mulhi(hi, 2**self.w - 1)
        address = (x - 1) * self.m >> self.w
        for slot in range(address, min(address + self.R, self.T)):
            y = bits(self.data, 64 * 8 + slot * self.w, self.w)
            if y == x:
                return True
            if y == 0 or y > x:
                return False
        return False


class Range:
    """Section 39."""

    def __init__(self, data):
        self.data = data
        self.n, self.R, self.L = (u64(data, at) for at in (0, 8, 16))
        self.g, self.l = le(data, 24, 1), le(data, 25, 1)
        need(1 <= self.R <= 2**62 and 1 <= self.L <= 2**24, "the starts")
        need(self.g <= 40 and self.l <= 56, "the header")
        zero(data, 26, 64)
        self.G = (self.R + 4094 >> self.l) // 256 + 1
        self.counts = round_up(4 * (self.G + 1), 8)
        least = self.counts + 32 * self.G
        self.table = len(data) - (8 << self.g)
        need(self.table % 8 == 0 and self.table >= 64 + (least << self.g), "the length")
        at = 64
        for p in range(1 << self.g):
            begin = u64(data, self.table + 8 * p)
            need(begin % 8 == 0 and at <= begin <= self.table - least, "where a body begins")
            at = begin + least

    def contains(self, hi, lo):
        return self.contains_run(hi, lo, lo)

    def contains_run(self, hi, first, last):
        """Whether one of the numbers from `first` to `last`, whose hash is hi, may be a key."""
        p = hi >> 64 - self.g if self.g else 0
        begin = u64(self.data, self.table + 8 * p)
        end = u64(self.data, self.table + 8 * (p + 1)) if p + 1 < 1 << self.g else self.table
        start = mulhi(hi << self.g & MASK, self.R)
        least, most = start + first % 4096, start + last % 4096
        first, last = least >> self.l, most >> self.l  # buckets
        low, high = least & (1 << self.l) - 1, most & (1 << self.l) - 1
        for i in range(first // 256, last // 256 + 1):
            before, after = (u32(self.data, begin + 4 * count) for count in (i, i + 1))
            if before > after or 256 * (i + 1) + after * (1 + self.l) > 8 * (end - begin - self.counts):
                return True
            group = RangeGroup(self.data, 8 * (begin + self.counts) + 256 * i + before * (1 + self.l), after - before, self.l)
            between = 0, group.size  # the first bucket and the last
            if group.size and i == first // 256:
                keys = group.bucket(first % 256)
                if first == last:
                    return group.any_low(*keys, low, high)
                if keys[0] < keys[1] and group.low(keys[1] - 1) >= low:
                    return True
                between = keys[1], group.size
            if group.size and i == last // 256:
                keys = group.bucket(last % 256)
                if keys[0] < keys[1] and group.low(keys[0]) <= high:
                    return True
                between = between[0], keys[0]
            if between[0] < between[1]:
                return True
        return False


class RangeGroup:
    """The keys of 256 buckets, at a bit of a section 39."""

    def __init__(self, data, at, size, low_bits):
        self.data, self.size, self.l = data, size, low_bits
        self.lows = at + 256 + size
        self.high = bits(data, at, 256 + size)

    def _zero(self, at):
        """The place of the next zero from `at` on."""
        while at < 256 + self.size and self.high >> at & 1:
            at += 1
        return at

    def bucket(self, b):
        """(the first key of a bucket, the one behind its last)."""
        at = 0
        for _ in range(b):
            at = min(self._zero(at) + 1, 256 + self.size + 1)
        begin = min(self.size, max(0, at - b))
        return begin, min(self.size, begin + max(0, self._zero(at) - at))

    def low(self, key):
        return bits(self.data, self.lows + key * self.l, self.l)

    def any_low(self, begin, end, least, most):
        """Whether one of the keys' low bits, which ascend, are from `least` to `most`."""
        while end - begin > 8:
            middle = (begin + end) // 2
            if self.low(middle) < least:
                begin = middle + 1
            else:
                end = middle + 1
        for key in range(begin, end):
            if self.low(key) >= least:
                return self.low(key) <= most
        return False


# Stores: store.md, flat.md, tokens.md --------------------------------------------------------------------------------


def varint(data, at):
    """(the number, where it ends)."""
    value = shift = 0
    while True:
        byte = le(data, at, 1)
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            need(value < 2**32, "a number is too long")
            return value, at
        need(shift < 35, "a number is too long")


def _crc_of_byte(byte):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


CRC_OF_BYTES = [_crc_of_byte(byte) for byte in range(256)]


def unit_check(data, rank):
    """The CRC-32C of a unit's bytes, their number and a rank, from a register of zeros."""
    state = 0
    for byte in data + len(data).to_bytes(8, "little") + rank.to_bytes(8, "little"):
        state = state >> 8 ^ CRC_OF_BYTES[(state ^ byte) & 0xFF]
    return state ^ 0xFFFFFFFF


def zstd_decompressed(frame, dictionary, longest):
    """What libzstd makes of a frame, at most so many bytes."""
    need(frame[:4] == b"\x28\xb5\x2f\xfd", "the magic number of a frame")
    LIBZSTD.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    LIBZSTD.ZSTD_createDCtx.restype = ctypes.c_void_p
    LIBZSTD.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
    stated = LIBZSTD.ZSTD_getFrameContentSize(frame, ctypes.c_size_t(len(frame)))
    raw = ctypes.create_string_buffer(max(min(stated, longest), 1))
    context = ctypes.c_void_p(LIBZSTD.ZSTD_createDCtx())
    sizes = [ctypes.c_size_t(len(each)) for each in (raw, frame, dictionary)]
    size = LIBZSTD.ZSTD_decompress_usingDict(context, raw, sizes[0], frame, sizes[1], dictionary, sizes[2])
    LIBZSTD.ZSTD_freeDCtx(context)
    need(size <= min(len(raw), longest), "a frame of zstd")  # errors are huge numbers
    return raw.raw[:size]


class Neighbours:
    """The dictionary of that codec, and the units that it decodes: neighbours.md."""

    def __init__(self, dictionary):
        need(408 <= len(dictionary) <= 408 + 65536, "the dictionary of neighbours")
        self.codes, at = [], 0
        for size in (48, 64, 40, 256):
            lengths = dictionary[at : at + size]
            need(all(1 <= length <= 30 for length in lengths), "the length of a codeword")
            need(sum(1 << 30 - length for length in lengths) == 1 << 30, "a code")
            words, next_ = {}, 0
            for symbol in sorted(range(size), key=lambda symbol: (lengths[symbol], symbol)):
                words[lengths[symbol], next_ >> 30 - lengths[symbol]] = symbol
                next_ += 1 << 30 - lengths[symbol]
            self.codes.append(words)
            at += size
        self.text = bytes(dictionary[at:])

    def records(self, unit, count, longest):
        need(count <= 8192, "the records of a block")
        sizes, at = [], 0
        for _ in range(count):
            size, at = varint(unit, at)
            sizes.append(size)
        need(at + sum(sizes) == len(unit), "the length of a block")
        order = [*range(0, count, 8), *(i for i in range(count) if i % 8)]
        text, begins, records = bytearray(self.text), [], {}
        for i, size in zip(order, sizes):
            if i % 8 == 0:
                begins.append(len(text))
                last = begins[-1] - begins[-2] if i else 1
                records[i] = self._piece(unit[at : at + size], text, last, longest)
                text += records[i]
            else:
                ends = [*begins[1:], len(text)]
                context = text[: ends[min(i // 8 + 1, len(begins) - 1)]]
                records[i] = self._piece(unit[at : at + size], context, len(context) - begins[i // 8], longest)
            at += size
        return [records[i] for i in range(count)]

    def _piece(self, piece, context, last, longest):
        out, begin, at, last = bytearray(context), len(context), 0, max(last, 1)

        def take(count):
            nonlocal at
            need(at + count <= 8 * len(piece), "a piece is cut off")
            at += count
            return bits(piece, at - count, count)

        def symbol(alphabet):
            word = 0
            for length in range(1, 31):
                word = word << 1 | take(1)
                if (length, word) in self.codes[alphabet]:
                    return self.codes[alphabet][length, word]

        def number(alphabet, direct):
            s = symbol(alphabet)
            if s < direct:
                return s
            b = (s - direct) // 2 + 1
            return direct - 4 + ((2 + (s - direct) % 2) << b) + take(b)

        while True:
            literals = number(0, 16)
            need(len(out) + literals - begin <= longest, "a record is too long")
            out += bytes(symbol(3) for _ in range(literals))
            match = number(1, 32)
            if match == 0:
                need(8 * len(piece) - at < 8 and bits(piece, at, 8 * len(piece) - at) == 0, "the end of a piece")
                return bytes(out[begin:])
            s = symbol(2)
            if 1 <= s <= 8:
                last -= s
            elif 9 <= s <= 16:
                last += s - 8
            elif s:
                last = (1 << s - 17) + take(s - 17)
            need(1 <= last <= len(out) and len(out) + match + 1 - begin <= longest, "a match")
            for _ in range(match + 1):
                out.append(out[-last])


class Codec:
    """Section 65, and the units that it encodes."""

    LONGEST = 68157447

    NONE, TOKENS12, TOKENS16, ZSTD, NEIGHBOURS = range(5)

    def __init__(self, data):
        version, self.number = u32(data, 0), u32(data, 4)
        need(version >= 1, "the codec's version")
        know(version == 1 and self.number <= self.NEIGHBOURS, f"codec {self.number} of version {version}")
        need(len(data) >= 32 and xxh3_64(data[16:]) == u64(data, 8), "the codec's checksum")
        self.longest, dictionary = u64(data, 16), data[32:]
        zero(data, 28, 32)
        if self.number == self.NONE:
            need(not dictionary, "a dictionary of no use")
        elif self.number == self.ZSTD:
            self.dictionary = dictionary
        elif self.number == self.NEIGHBOURS:
            self.neighbours = Neighbours(dictionary)
        else:
            self.strings = [bytes([byte]) for byte in range(256)] + self._strings(dictionary)

    def is_by_record(self):
        """Whether a unit is one record."""
        return self.number in (self.NONE, self.TOKENS12, self.TOKENS16)

    def require_decoder(self):
        if self.number == self.ZSTD and LIBZSTD is None:
            raise Refused("unsupported", "records compressed by zstd: there is no libzstd")

    def _strings(self, dictionary):
        if not dictionary:
            return []
        count = u32(dictionary, 0)
        need(1 <= count <= (3840 if self.number == self.TOKENS12 else 65280), "the number of tokens")
        begin = 4 + 2 * ceil_div(count, 128)
        strings = []
        for first in range(0, count, 128):
            many = min(128, count - first)
            end = begin + u16(dictionary, 4 + first // 64)
            at = begin + (many + 1) // 2
            need(at <= end <= len(dictionary), "a group of tokens")
            need(many % 2 == 0 or dictionary[at - 1] >> 4 == 0, "the tokens' lengths")
            for i in range(many):
                length = (dictionary[begin + i // 2] >> 4 * (i % 2) & 15) + 1
                need(length >= 2, "a token is too short")
                strings.append(dictionary[at : at + length])
                at += length
            need(at == end, "the tokens' strings")
            begin = end
        need(begin == len(dictionary), "the groups of tokens")
        return strings

    def _detokenized(self, data):
        width = 12 if self.number == self.TOKENS12 else 16
        need(len(data) % 3 != 1 if width == 12 else len(data) % 2 == 0, "the length of a unit")
        count, over = divmod(8 * len(data), width)
        need(bits(data, count * width, over) == 0, "bits over in a unit")
        tokens = [bits(data, i * width, width) for i in range(count)]
        need(all(token < len(self.strings) for token in tokens), "a token that there is not")
        return b"".join(self.strings[token] for token in tokens)

    def pairs(self, unit, first, of_part=False, of_update=False):
        """The keys and records of a unit, whose first record has the rank `first`; a block of a part may name bumped keys behind."""
        need(len(unit) > 4 and unit_check(unit[4:], first) == u32(unit, 0), "a unit's check")
        head, at = varint(unit, 4)
        x, encoded = head >> 1, head & 1
        raw = unit[at:]
        if encoded:
            need(self.number != self.NONE, "an encoded unit without a codec")
            if self.number == self.ZSTD:
                raw = zstd_decompressed(bytes(raw), bytes(self.dictionary), min(self.longest, self.LONGEST))
            elif self.number == self.NEIGHBOURS:
                records = self.neighbours.records(raw, x, self.longest)
                need(sum(len(record) + (len(record) > 127) + (len(record) > 16383) + 2 for record in records) <= self.longest, "a unit is too long")
                return [(b"", record) for record in records]
            else:
                raw = self._detokenized(raw)
        need(len(raw) <= self.longest or of_update and not encoded, "a unit is too long")
        if self.is_by_record():
            need(x <= len(raw), "the key of a unit")
            return [(raw[:x], raw[x:])]
        pairs, at = [], 0
        for _ in range(x):
            key_length, at = varint(raw, at)
            record_length, at = varint(raw, at)
            need(at + key_length + record_length <= len(raw), "a record in a block")
            pairs.append((raw[at : at + key_length], raw[at + key_length :][:record_length]))
            at += key_length + record_length
        need(at == len(raw) or of_part and not encoded, "the length of a block")
        return pairs


class Environment:
    """Section 64, and the data file that it tells of."""

    BRANCH, LEAF, OVERFLOW, META = 1, 2, 4, 8
    IDENTITY = 2**64 - 1

    def __init__(self, data, file):
        section = file.section(ENVIRONMENT)
        version = u32(section, 0)
        need(version >= 1, "the environment's version")
        know(version == 1, f"version {version} of a store")
        need(len(section) == 88, "the length of section 64")
        self.page = u32(section, 4)
        need(self.page in (1 << i for i in range(9, 16)), "the page size")
        need(u64(section, 8) == len(data) and len(data) % self.page == 0 and len(data) >= 2 * self.page, "the length")
        self.n, groups, self.units = u64(section, 16), u64(section, 24), u64(section, 32)
        need(self.n == file.n and u64(section, 48) == file.seed, "n or the seed")
        need(self.n >= self.units >= groups and (groups == 0) == (self.n == 0), "the counts")
        self.data, self.checksum = data, u64(section, 80)
        self.content_id = section[56:72]
        need(self.content_id == file.data[80:96], "the content id of the index")
        self.walked = [0, 1]  # the numbers of the pages that the structure checksum is of
        meta = max((self._meta(0), self._meta(1)), key=lambda at: u64(data, at + 144))
        self.last = u64(data, meta + 136)
        need(u16(data, meta + 92) == 8 and self.last * self.page < len(data), "the meta page")
        depth = u16(data, meta + 94)
        need(1 <= depth <= 32, "the depth of the tree")
        self.entries = []  # of key, where the value begins, its length
        self._walk(u64(data, meta + 128), depth)
        keys = [key for key, _, _ in self.entries]
        need(all(a < b for a, b in zip(keys, keys[1:])), "the order of the keys")
        need(len(keys) == u64(data, meta + 120) == groups + 1 and keys[-1] == self.IDENTITY, "the number of groups")
        need(groups == 0 or keys[-2] == self.n - 1, "the last group")
        need(max((length for _, _, length in self.entries[:-1]), default=0) == u64(section, 40), "the longest group")
        pages = b"".join(data[i * self.page : (i + 1) * self.page] for i in self.walked)
        need(xxh3_64(pages) == u64(section, 72), "the structure checksum")
        identity = self._value(self.entries.pop())
        need(len(identity) == 40 and identity[:8] == b"CRIVOENV" and u32(identity, 8) == 1, "the identity")
        zero(identity, 12, 16)
        need(identity[16:32] == self.content_id and u64(identity, 32) == self.n, "the identity of another store")

    def _meta(self, number):
        at = number * self.page
        need(u16(self.data, at + 10) == self.META and u32(self.data, at + 16) == 0xBEEFC0DE, "a meta page")
        need(u32(self.data, at + 20) == 1 and u32(self.data, at + 40) == self.page, "a meta page")
        return at

    def _walk(self, number, depth):
        """Takes the entries of the tree whose root is this page."""
        need(2 <= number <= self.last and len(self.walked) <= self.last + 1, "the number of a page")
        self.walked.append(number)
        at = number * self.page
        need(u64(self.data, at) == number, "a page's own number")
        need(u16(self.data, at + 10) == (self.LEAF if depth == 1 else self.BRANCH), "the flags of a page")
        end = u16(self.data, at + 12)
        need(16 <= end <= self.page and end % 2 == 0, "the nodes of a page")
        for entry in range(at + 16, at + end, 2):
            node = at + u16(self.data, entry)
            need(at + end <= node <= at + self.page - 8, "a node")
            a, b, c, key_length = (u16(self.data, node + 2 * i) for i in range(4))
            if depth > 1:
                self._walk(a | b << 16 | c << 32, depth - 1)
                continue
            length = a | b << 16
            need(key_length == 8 and c <= 1, "a node of a leaf")
            need(node + 16 + (8 if c else length) <= at + self.page, "a node past its page")
            value = node + 16
            if c:
                first = u64(self.data, value)
                need(2 <= first <= self.last and u16(self.data, first * self.page + 10) == self.OVERFLOW, "a value's page")
                need(first + (15 + length) // self.page <= self.last, "a value past the file")
                value = first * self.page + 16
            self.entries.append((u64(self.data, node + 8), value, length))

    def _value(self, entry):
        return self.data[entry[1] : entry[1] + entry[2]]

    def _units(self, entry):
        """(the rank of the first record, how many, bytes) of each unit of a group."""
        group = self._value(entry)
        units, records = u16(group, 0), u16(group, 2)
        need(1 <= units <= records <= entry[0] + 1, "the directory of a group")
        begins = [0] + [u16(group, 4 + 2 * i) for i in range(units - 1)]
        counts = list(range(units + 1))
        at = 4 + 2 * (units - 1)
        if records > units:
            counts = [0] + [u16(group, at + 2 * i) for i in range(units - 1)] + [records]
            at += 2 * (units - 1)
        begins.append(len(group) - at)
        need(all(a < b for a, b in zip(begins, begins[1:])) and counts == sorted(set(counts)), "the directory of a group")
        first = entry[0] - records + 1
        for i in range(units):
            yield first + counts[i], counts[i + 1] - counts[i], group[at + begins[i] : at + begins[i + 1]]

    def pair(self, rank, codec):
        """The key and the record of a rank."""
        index = bisect.bisect_left(self.entries, (rank,))
        need(index < len(self.entries), "a rank without a group")
        for first, count, unit in self._units(self.entries[index]):
            if first <= rank < first + count:
                pairs = codec.pairs(unit, first)
                need(len(pairs) == count, "the number of records in a unit")
                return pairs[rank - first]
        raise Refused("corrupt", "a rank without a unit")

    def verify(self, file):
        need(xxh3_64(self.data) == self.checksum, "the checksum of the data file")
        section = file.section(CODEC)
        numbers = b"".join(x.to_bytes(8, "little") for x in (len(section), self.n, file.seed))
        high, low = xxh3_128(b"".join(map(self._value, self.entries)) + section + numbers)
        need(low.to_bytes(8, "little") + high.to_bytes(8, "little") == self.content_id, "the content id")
        rank = units = 0
        for entry in self.entries:
            for first, count, unit in self._units(entry):
                need(first == rank, "the ranks of a group")
                for key, _ in file.codec.pairs(unit, first):
                    need(file.rank(key) == rank, "a key at another's rank")
                    rank += 1
                need(rank == first + count, "the number of records in a unit")
                units += 1
        need(rank == self.n and units == self.units, "the number of records or units")


class Updated:
    """The sealed records of a store as a log of updates has them."""

    FRONT, SLOTS, LEAST_PAGE = 4096, (0, 512), 341
    ENTRY, ROW, ADDED_ENTRY, ADDED_ROW = 12, 16, 22, 24

    def __init__(self, sealed, log):
        self.sealed, self.log = sealed, log
        self.commit, begin, self.end, self.is_damaged = self._slot()
        named = self.end
        while self._is_whole(self.end, self.commit + 1):  # nobody writes what this reads
            self.commit, length, record = u64(log, self.end), u64(log, self.end + 8), u64(log, self.end + 16)
            self.end += length
            begin = self.end - record
        may_lack_one = self.is_damaged and self.end == named and any(log[named : named + self.FRONT])
        need(not may_lack_one, "a slot, and what stands behind the last commit that the other names")
        need(u64(log, begin) == self.commit, "the record of another commit")
        entries, self.removed, self.added, added_removed, runs, added_runs, used = (u64(log, begin + 8 * i) for i in range(1, 8))
        need(max(runs, added_runs) <= 128 and self.end == begin + 64 + 24 * (runs + added_runs), "the length of a record")
        self.n = sealed.n + self.added  # the ranks of added keys follow on those of the build
        self.used = used  # bytes of values
        self.places = {}  # of each updated rank's value; the newest run comes last
        self.ranks = {}  # of added keys, by (hi, lo)
        for i in reversed(range(runs + added_runs)):
            place = tuple(u64(log, begin + 64 + 24 * i + 8 * j) for j in range(3))
            if i < runs:
                self.places.update(self._run(*place, begin))
            else:
                self.ranks.update(self._added_run(*place, begin))
        removed = [rank for rank, place in self.places.items() if place == 0]
        need((len(self.places), len(removed)) == (entries, self.removed), "the number of updates")
        need(sum(rank >= sealed.n for rank in removed) == added_removed, "the number of added keys that are removed")
        need(sum(u64(log, begin + 72 + 24 * i) for i in range(runs, runs + added_runs)) == self.added, "the entries of added keys")
        need(sorted(self.ranks.values()) == list(range(sealed.n, self.n)), "the ranks of added keys")
        need(all(rank in self.places for rank in range(sealed.n, self.n)), "the record of an added key")

    def _slot(self):
        """(c, begin of its record, its end) of the last commit that a slot names; whether one is neither whole nor zero."""
        found, is_damaged = [], False
        for i, at in enumerate(self.SLOTS):
            slot = self.log[at : at + 72]
            need(len(slot) == 72, "the length of a log")
            is_checked = slot[:8] == b"CRIVOUPD" and xxh3_64(slot[:64]) == u64(slot, 64)
            if not is_checked or (u32(slot, 8) == 1 and u64(slot, 32) % 2 != i):
                is_damaged |= any(slot)
                continue
            know(u32(slot, 8) <= 1, "a later version of updates")
            need(u32(slot, 8) == 1 and slot[16:32] == self.sealed.content_id, "updates of another store")
            found.append(tuple(u64(slot, 32 + 8 * j) for j in range(4)))
        need(found, "the slots")
        commit, begin, end, check = max(found)
        need(self.FRONT <= begin <= end <= len(self.log) and xxh3_64(self.log[begin:end]) == check, "the record of a commit")
        return commit, begin, end, is_damaged

    def _is_whole(self, begin, commit):
        head = self.log[begin : begin + 40]
        if len(head) < 40 or u64(head, 0) != commit or xxh3_64(head[:32], begin) != u64(head, 32):
            return False
        length, record = u64(head, 8), u64(head, 16)
        if length < 40 or record > length - 40 or begin + length > len(self.log):
            return False
        return xxh3_64(self.log[begin + 40 : begin + length]) == u64(head, 24)

    def _pages(self, begin, entries, check, record, entry, row):
        """The pages of a run with their rows, whose entries and rows take so many bytes."""
        page = self.LEAST_PAGE
        while entries // page >= 4096:
            page *= 2
        table, pages = begin + entry * entries, ceil_div(entries, page)
        need(entries and self.FRONT <= begin and table + row * pages <= record, "a run's place")
        rows = self.log[table : table + row * pages]
        need(xxh3_64(rows) == check, "the table of a run")
        for i in range(pages):
            data = self.log[begin + entry * page * i : min(begin + entry * page * (i + 1), table)]
            need(xxh3_64(data) == u64(rows, row * i + row - 8), "a page of a run")
            yield data, rows[row * i : row * i + row - 8]

    def _run(self, begin, entries, check, record):
        """{rank: place} of a run of updates."""
        places, before = {}, -1
        for data, first in self._pages(begin, entries, check, record, self.ENTRY, self.ROW):
            need(bits(data, 0, 48) == u64(first, 0), "the first rank of a page")
            for at in range(0, len(data), self.ENTRY):
                rank, place = bits(data, 8 * at, 48), bits(data, 8 * at + 48, 48)
                need(before < rank < self.n and (place == 0 or self.FRONT <= place < begin), "an entry of a run")
                places[rank] = place
                before = rank
        return places

    def _added_run(self, begin, entries, check, record):
        """{(hi, lo): rank} of a run of added keys."""
        ranks, before = {}, (-1, 0)
        for data, first in self._pages(begin, entries, check, record, self.ADDED_ENTRY, self.ADDED_ROW):
            need(data[:16] == first, "the first hash of a page")
            for at in range(0, len(data), self.ADDED_ENTRY):
                key, rank = (u64(data, at), u64(data, at + 8)), bits(data, 8 * at + 128, 48)
                need(before < key and self.sealed.n <= rank < self.n, "an entry of a run of added keys")
                ranks[key] = rank
                before = key
        return ranks

    def pair(self, rank, codec):
        """The key and the record of a rank; None where it was removed."""
        if rank not in self.places:
            return self.sealed.pair(rank, codec)
        if self.places[rank] == 0:
            return None
        size, at = varint(self.log, self.places[rank])
        pairs = codec.pairs(self.log[at : at + size], rank, of_update=True)
        need(len(pairs) == 1, "the number of records of an update")
        return pairs[0]

    def added_rank(self, hi, lo):
        """Of a key that the build did not have; None where it was not added."""
        return self.ranks.get((hi, lo))

    def check_log(self):
        need(not self.is_damaged, "one of the two slots")
        need(not any(self.log[72:512]) and not any(self.log[584 : self.FRONT]), "the front of a log beside its slots")
        begin = self.FRONT
        for commit in range(self.commit + 1):
            need(self._is_whole(begin, commit), f"commit {commit}")
            begin += u64(self.log, begin + 8)
        need(begin == self.end, "the end of the last commit")
        used = 0
        for place in filter(None, self.places.values()):
            size, at = varint(self.log, place)
            used += at - place + size
        need(used == self.used, "the bytes of values that are in use")

    def verify(self, file):
        self.sealed.verify(file)
        self.check_log()
        for rank, place in self.places.items():
            key = self.pair(rank, file.codec)[0] if place else b""
            found = file.rank(key) if rank < self.sealed.n else self.added_rank(*hash_key(file.function, file.seed, key))
            need(place == 0 or found == rank, "an update of another key")


class Slots:
    """Section 66: flat.md."""

    LINE = 14  # slots

    def __init__(self, data, n):
        self.data, self.n = data, n
        need(len(data) == 64 * ceil_div(n, self.LINE), "the length of the slots")
        for rank in range(n, round_up(n, self.LINE)):
            begin, end, reference = self.entry(rank)
            need(begin == end and not reference and self._fingerprint(rank) == 0, "a slot of no rank")

    def _fingerprint(self, rank):
        return u16(self.data, rank // self.LINE * 64 + 36 + 2 * (rank % self.LINE))

    def has(self, rank, hi, _):
        return self._fingerprint(rank) == hi & 0xFFFF

    def entry(self, rank):
        """(where it begins in section 67, where it ends, whether it is a reference)."""
        line, i = rank // self.LINE * 64, rank % self.LINE
        word = u64(self.data, line)
        begin = u16(self.data, line + 6 + 2 * i) if i else 0
        end = u16(self.data, line + 8 + 2 * i)
        need(begin <= end, "the ends of a line")
        place = word & (1 << 50) - 1
        return place + begin, place + end, word >> 50 + i & 1


class SlottedUnits:
    """Sections 66 and 67."""

    def __init__(self, slots, units):
        self.slots, self.units = slots, units

    def pair(self, rank, codec, of_part=False, half=0):
        """The key and the record of a rank; `half` is added to it where its unit is checked."""
        first = rank
        begin, end, reference = self.slots.entry(first)
        while begin == end:
            need(first > 0, "a rank without a unit")
            first -= 1
            begin, end, reference = self.slots.entry(first)
        need(end <= len(self.units), "an entry past the units")
        if reference:
            need(end - begin == 16, "the length of a reference")
            place, length = u64(self.units, begin), u64(self.units, begin + 8)
            need(place + length <= len(self.units), "a unit past the units")
            begin, end = place, place + length
        pairs = codec.pairs(self.units[begin:end], first + half & (1 << 64) - 1, of_part)
        need(rank - first < len(pairs), "the number of records in a unit")
        return pairs[rank - first]


class Flat(SlottedUnits):
    """The data file of a flat store."""

    def __init__(self, data, index):
        self.file = File(data)
        need(self.file.kind == RECORDS and (UNITS, 0) in self.file.sections, "no records of a store")
        need(self.file.n == index.n and self.file.seed == index.seed, "n or the seed of the records")
        need(data[80:96] == index.data[80:96], "the content id of the records")
        super().__init__(index.signatures, self.file.section(UNITS))
        self.index, self.n, self.content_id = index, index.n, data[80:96]

    def pair(self, rank, codec):
        if not self.index.ordered:
            return super().pair(rank, codec)
        key = self.index.dictionary.key(rank)
        hi, lo = hash_key(self.index.function, self.index.seed, key)
        need(self.slots.has(rank, hi, lo), "the record of another key")
        stored, record = super().pair(rank, codec, half=hi if codec.is_by_record() else 0)
        need(not stored, "a key in a unit of an ordered store")
        return key, record

    def verify(self, index):
        self.file.verify()
        section = index.section(CODEC)
        numbers = b"".join(x.to_bytes(8, "little") for x in (len(section), index.n, index.seed))
        high, low = xxh3_128(self.units + section + numbers)
        need(low.to_bytes(8, "little") + high.to_bytes(8, "little") == index.data[80:96], "the content id")
        for rank in range(index.n):
            need(index.rank(self.pair(rank, index.codec)[0]) == rank, "a key at another's rank")


# Dictionaries: dictionary.md ------------------------------------------------------------------------------------------


class Dictionary:
    """Sections 80 to 84, and perhaps 85."""

    def __init__(self, head, tokens, offsets, directory, blocks, values=None):
        need(len(head) == 64, "the length of the head")
        self.n, self.block_keys, self.width, size = u64(head, 0), u32(head, 8), u16(head, 12), u16(head, 14)
        self.longest, block_bytes, node_bytes = u64(head, 16), u64(head, 24), u64(head, 32)
        zero(head, 40, 64)
        need(16 <= self.block_keys <= 256 and self.width in (8, 10, 12) and size in (2, 4, 8), "the head")
        need(self.longest <= 1 << 20, "the longest key")
        self.count = ceil_div(self.n, self.block_keys)
        groups = self.count // 16 + 1
        need(len(offsets) == 8 * groups + size * (self.count + 1), "the offsets")
        need(len(blocks) == block_bytes + 64, "the blocks")
        self.blocks, self.block_bytes = blocks, block_bytes
        self.begins = [
            u64(offsets, 8 * (i // 16)) + le(offsets, 8 * groups + size * i, size) for i in range(self.count + 1)
        ]
        self._tokens(tokens)
        self.levels, level = [], self.count  # how many nodes each has, the root's first
        while level > 1:
            level = ceil_div(level, 32)
            self.levels.insert(0, level)
        nodes = sum(self.levels)
        need(len(directory) == 8 * (nodes + 1) + node_bytes + 64, "the directory")
        self.node_begins = [u64(directory, 8 * i) for i in range(nodes + 1)]
        self.nodes = directory[8 * (nodes + 1) :]
        self.node_bytes = node_bytes
        self.values = values
        need(values is None or len(values) >= 16 * self.count + 8, "the values")

    def _tokens(self, data):
        need(len(data) >= 4 and u32(data, 0) <= 1 << self.width, "the number of tokens")
        count, at = u32(data, 0), 4 + (u32(data, 0) + 1) // 2
        need(at <= len(data), "the tokens")
        self.tokens = []
        for i in range(count):
            size = (data[4 + i // 2] >> i % 2 * 4 & 15) + 1
            self.tokens.append(data[at : at + size])
            at += size
        need(at == len(data) and (count % 2 == 0 or data[4 + count // 2] < 16), "the tokens")

    def _texts(self, node):
        """The texts of a node, without what is skipped, and how many bytes that is."""
        begin, end = self.node_begins[node], self.node_begins[node + 1]
        need(begin <= end <= self.node_bytes and end - begin >= 4, "a node")
        data = self.nodes[begin:end]
        count, wide = data[2], data[3] != 0
        if data[3] == 2:
            need(count < 32 and 4 + 9 * count <= len(data), "a node")
            texts, tails, before = [], data[4 + 9 * count :], 0
            for i, end in enumerate(data[4 + 8 * count : 4 + 9 * count]):
                need(before <= end <= len(tails), "a text of a node")
                texts.append(u64(data, 4 + 8 * i).to_bytes(8, "big").rstrip(b"\0") + tails[before:end])
                before = end
            return u16(data, 0), texts
        skip, at, size = (u32(data, 4), 8, 4) if wide else (u16(data, 0), 4, 1)
        ends = at + (size + 1) * count
        rests = ends + (4 if wide else 2) * count
        need(count < 32 and rests <= len(data), "a node")
        texts, before, text = [], 0, b""
        for i in range(count):
            shared, end = le(data, at + size * i, size), le(data, ends + (4 if wide else 2) * i, 4 if wide else 2)
            need(shared <= len(text) and before <= end <= len(data) - rests, "a text of a node")
            text = text[:shared] + data[at + size * count + i :][:1] + data[rests + before : rests + end]
            texts.append(text)
            before = end
        return skip, texts

    def block_of(self, key):
        first = child = 0
        for nodes in self.levels:
            skip, texts = self._texts(first + child)
            child = 32 * child + sum(text <= key[skip:] for text in texts)
            first += nodes
        return child

    def keys(self, block):
        """All keys of a block."""
        begin, end = self.begins[block], self.begins[block + 1]
        need(begin <= end <= self.block_bytes and end - begin >= 4, "a block")
        data = self.blocks[begin:end]
        count = min(self.block_keys, self.n - block * self.block_keys)
        if data[1] == 255:
            need(len(data) >= 20 and not (data[0] or data[2] or data[3] or data[18] or data[19]), "a block")
            least, least_tokens, first = u32(data, 4), u32(data, 8), u32(data, 12)
            shared_bits, token_bits, at = data[16], data[17], 20
        else:
            least, least_tokens, first, at = data[0], data[2], data[3], 4
            shared_bits, token_bits = data[1] & 15, data[1] >> 4
        columns = int.from_bytes(data[at:], "little")
        tokens = at + ceil_div((shared_bits + token_bits) * (count - 1), 8)
        packed = int.from_bytes(data[tokens:], "little")
        keys, key, used = [], b"", 0
        for i in range(count):
            shared, many = 0, first
            if i:
                shared = least + (columns >> shared_bits * (i - 1) & (1 << shared_bits) - 1)
                place = shared_bits * (count - 1) + token_bits * (i - 1)
                many = least_tokens + (columns >> place & (1 << token_bits) - 1)
            need(shared <= len(key) and (used + many) * self.width <= 8 * (len(data) - tokens), "a key")
            numbers = [packed >> self.width * (used + j) & (1 << self.width) - 1 for j in range(many)]
            need(all(number < len(self.tokens) for number in numbers), "a token")
            key = key[:shared] + b"".join(self.tokens[number] for number in numbers)
            need(len(key) <= self.longest, "a key's length")
            keys.append(key)
            used += many
        return keys

    def id(self, key):
        """None: absent."""
        if self.n == 0:
            return None
        block = self.block_of(key)
        keys = self.keys(block)
        return block * self.block_keys + keys.index(key) if key in keys else None

    def key(self, number):
        return self.keys(number // self.block_keys)[number % self.block_keys]

    def _value_block(self, block):
        """The least value, the bits of what each is more, and where they begin."""
        width, begin = self.values[16 * block + 8], u64(self.values, 16 * block + 8) >> 8
        need(width <= 56 or width == 64, "the width of values")
        return u64(self.values, 16 * block), width, begin

    def value(self, number):
        """What stands beside the key of an id, as it is kept."""
        least, width, begin = self._value_block(number // self.block_keys)
        packed, bit = self.values[16 * self.count : len(self.values) - 8], number % self.block_keys * width
        need(begin <= len(packed) and ceil_div(bit + width, 8) <= len(packed) - begin, "a value")
        more = int.from_bytes(packed[begin + bit // 8 : begin + ceil_div(bit + width, 8)], "little")
        return least + (more >> bit % 8 & (1 << width) - 1) & (1 << 64) - 1

    def verify(self):
        """That keys ascend, and each is found; that the values of blocks stand one behind the other."""
        end = 0
        for block in range(self.count if self.values is not None else 0):
            _, width, begin = self._value_block(block)
            need(begin == end, "where values begin")
            end += ceil_div(min(self.block_keys, self.n - block * self.block_keys) * width, 8)
        need(self.values is None or len(self.values) == 16 * self.count + end + 8, "the length of the values")
        before = None
        for block in range(self.count):
            for i, key in enumerate(self.keys(block)):
                need(before is None or before < key, "keys that do not ascend")
                need(i not in (0, self.block_keys - 1) or self.block_of(key) == block, "the directory")
                before = key


class HashedIds:
    """Sections 16 and 86."""

    def __init__(self, mphf, data):
        self.mphf, self.data, self.n, self.signature_bits = mphf, data, u64(data, 0), le(data, 8, 1)
        zero(data, 9, 16)
        self.entry_bits = self.signature_bits + max(self.n - 1, 0).bit_length()
        need(self.n == mphf.n and self.signature_bits in (8, 16) and self.entry_bits <= 56, "the head of the hashed ids")
        need(len(data) == 16 + packed_size(self.n * self.entry_bits), "the length of the hashed ids")
        zero(data, 16 + ceil_div(self.n * self.entry_bits, 8), len(data))

    def id(self, hi, lo):
        """None: absent."""
        if self.n == 0:
            return None
        entry = bits(self.data, 128 + self.mphf.rank(hi, lo) * self.entry_bits, self.entry_bits)
        number, signature = divmod(entry, 1 << self.signature_bits)
        return number if signature == lo >> 64 - self.signature_bits and number < self.n else None


# Exact sets: exact.md ------------------------------------------------------------------------------------------------


class Exact:
    """The sections of an exact set: exact.md."""

    NONE, ALL = 65, 66

    def __init__(self, groups, bit, filters):
        """`filters` has the bytes of sections 32 by their tags."""
        data = groups
        need(len(data) >= 64 and data[0] <= 1, "groups or none")
        zero(data, 1, 8)
        self.grouped, self.n, passing, count = data[0] == 1, u64(data, 8), u64(data, 24), u64(data, 32)
        zero(data, 40, 64)
        need(count <= 2**48 and (self.grouped or count == 1), "the number of groups")
        kinds = 64 + (8 * count if self.grouped else 0)
        need(len(data) == kinds + count, "the length of the groups")
        hashes = [u64(data, 64 + 8 * i) for i in range(count)] if self.grouped else [0]
        need(all(a < b for a, b in zip(hashes, hashes[1:])), "groups that do not ascend")
        need(all(kind <= self.ALL for kind in data[kinds:]), "a class of a group")
        self.kinds, self.numbers, self.lists = data[kinds:], {group: i for i, group in enumerate(hashes)}, []
        self.bit = Ribbon(bit, False) if bit is not None else None
        need(passing == (self.bit.n if self.bit else 0), "the keys that have a bit")
        need(self.bit is None or self.bit.width == 1, "the width of a bit")
        self.filters = {}
        for kind in {kind for kind in data[kinds:] if kind < self.NONE}:
            need(self.bit is not None, "no bit")
            if kind:
                need(kind in filters, "no filter of a class")
                self.filters[kind] = Ribbon(filters[kind], True)
                need(self.filters[kind].width == (kind - 1) % 32 + 1, "the width of a filter")

    def answer(self, hi, lo, group=None):
        """b"member", b"other" or b"outside"; of hashes, that of the group's name too where there are groups."""
        if self.grouped:
            group = [mix64(half) for half in group]
            hi, lo = mix64(hi ^ group[0]), lo ^ group[1]
        number = self.numbers.get(group[0] if self.grouped else 0)
        if number is None:
            return b"outside"
        kind = self.kinds[number] if number < len(self.kinds) else self.NONE
        is_member = kind == self.ALL or 33 <= kind <= 64
        if kind < self.NONE and (kind == 0 or self.filters[kind].contains(hi, lo)):
            is_member = self.bit.value(hi, lo) == 1
        is_odd = sum(flips.holds(number, hi, lo) for flips in self.lists) % 2 == 1
        return b"member" if is_member != is_odd else b"other"

    def follow(self, delta):
        """Changes it as a delta says."""
        for added, flips in delta.lists:
            need(not any(group in self.numbers for group in added), "a group that is added twice")
            for group in added:
                self.numbers[group] = len(self.numbers)
            self.lists.append(flips)


# Deltas and chains: delta.md ------------------------------------------------------------------------------------------


class FlipList:
    """The bits of a list."""

    def __init__(self, data, flips, listed, known):
        """`known` groups are, after it."""
        self.data, self.at, self.groups = data, 0, {}
        heads, number = [], -1
        for _ in range(listed):
            number += self._gamma()
            need(number < known, "the number of a group")
            heads.append((number, self._gamma(), self._take(6)))
            need(heads[-1][2] <= 40, "the cells of a group")
        need(sum(count for _, count, _ in heads) == flips, "the flips of the groups")
        least, k = (self._take(4), self._take(5)) if flips else (0, 0)
        done, t, salt = 0, 0, 0
        for number, count, b in heads:
            r, cell, of_cells = 0, 0, {}
            while count << r + 1 <= (11 << b) // 16:
                r += 1
            for _ in range(count):
                if done % 16 == 0:
                    t = least + self._zeros()
                    need(t <= 14, "the bits of a tag")
                    salt = self._zeros() << k | self._take(k)
                    need(salt < 2**24, "a salt")
                done += 1
                cell += self._zeros() << r | self._take(r)
                need(cell < 1 << b, "a cell")
                of_cells.setdefault(cell, []).append((t, salt, self._take(t)))
            self.groups[number] = b, of_cells
        need(8 * len(data) - self.at < 8 and bits(data, self.at, 8 * len(data) - self.at) == 0, "the end of the bits")

    def _take(self, count):
        need(self.at + count <= 8 * len(self.data), "bits that end early")
        self.at += count
        return bits(self.data, self.at - count, count)

    def _zeros(self):
        zeros = 0
        while self._take(1) == 0:
            zeros += 1
        return zeros

    def _gamma(self):
        zeros = self._zeros()
        need(zeros <= 40, "a number of a group")
        return 1 << zeros | self._take(zeros)

    def holds(self, number, hi, lo):
        """How often it holds a key."""
        b, of_cells = self.groups.get(number, (0, {}))
        flips = of_cells.get(hi >> 64 - b, ())
        return sum((lo * (mix64(salt + 1) | 1) & MASK) >> 64 - t == tag for t, salt, tag in flips)


class Delta:
    """Section 120."""

    def __init__(self, data):
        need(len(data) >= 96, "the length of the flips")
        self.base, self.before, self.number, count = data[:32], data[32:64], u64(data, 64), u64(data, 72)
        self.grouped, self.of_filter, self.groups, at = data[80] == 1, data[80] == 2, u64(data, 88), 96
        zero(data, 81, 88)
        need(data[80] <= 2 and self.groups <= 2**32 and (self.grouped or self.groups == 1), "groups or none")
        need(1 <= count <= min(2**20, len(data) // 48) and 1 <= self.number <= MASK - count, "the number of lists")
        self.joined = [data[at + 32 * i :][:32] for i in range(count if count > 1 else 0)]
        at += 32 * len(self.joined)
        need(at + 48 * count <= len(data), "the length of the flips")
        heads = [[u64(data, at + 48 * i + 8 * j) for j in range(6)] for i in range(count)]
        at += 48 * count
        self.flips, self.members, self.lists, self.groups_after = 0, [head[1] for head in heads], [], self.groups
        need(not self.of_filter or all(head[:1] + head[2:] == [0] * 5 for head in heads), "flips of a filter")
        for flips, _, _, listed, added, size in heads:
            need(at + 8 * added + size <= len(data), "the length of a list")
            need(self.grouped or added == 0 and listed <= 1, "groups where there are none")
            need(listed <= size and flips <= 8 * size and (flips == 0) == (listed == 0), "more flips than bits")
            hashes = [u64(data, at + 8 * i) for i in range(added)]
            need(all(a < b for a, b in zip(hashes, hashes[1:])), "added groups that do not ascend")
            at += 8 * added
            self.groups_after += added
            self.lists.append((hashes, FlipList(data[at : at + size], flips, listed, self.groups_after)))
            at += size
            self.flips += flips
        need(at == len(data), "the length of the flips")
        need(self.groups_after <= 2**32 and self.flips <= 2**32 - 2, "the number of flips or groups")

    def after(self, digest):
        """The state after the delta with that digest."""
        state = self.before
        for one in self.joined or [digest]:
            state = hashlib.sha256(state + one).digest()
        return state


# rows.md


class RowFiles:
    """Section 128: which rows are in which file."""

    def __init__(self, data):
        need(len(data) >= 64 and data[0] <= 1, "row files")
        zero(data, 1, 8)
        zero(data, 40, 64)
        files, self.rows, groups = (u64(data, at) for at in (8, 16, 24))
        self.has_groups = data[0] == 1
        need(files <= 2**32 and groups <= (2**40 if self.has_groups else 0), "the number of files or row groups")
        sizes = (files, files, files if self.has_groups else 0, groups)
        need(64 + 8 * sum(sizes) <= len(data), "row files")
        lists, at = [], 64
        for size in sizes:
            lists.append(tuple(u64(data, at + 8 * i) for i in range(size)))
            at += 8 * size
        self.firsts, ends, self.group_ends, self.groups = lists
        begins = (0, *ends)
        self.names = [data[at + begins[i] : at + ends[i]] for i in range(files)]
        need(at + begins[-1] == len(data) and all(self.names), "the names of files")
        need(all(a < b for a, b in zip(self.names, self.names[1:])), "the order of files")
        need(self.firsts[:1] in ((), (0,)) and (files or self.rows == 0), "the rows of files")
        last, group = 0, 0
        for i in range(files):
            first, last = self.firsts[i], self.firsts[i + 1] if i + 1 < files else self.rows
            need(first <= last, "the rows of files")
            if self.has_groups:
                own = self.groups[group : self.group_ends[i]]
                need(group <= self.group_ends[i] <= groups and bool(own) >= (first < last), "the row groups of files")
                need(own[:1] in ((), (first,)) and list(own) == sorted(own) and max(own, default=0) <= last, "the row groups of files")
                group = self.group_ends[i]
        need(group == groups, "the row groups of files")

    def file_of(self, number):
        return bisect.bisect_right(self.firsts, number) - 1

    def place(self, number):
        """file TAB row group TAB row; None for a number that is no row's."""
        if number >= self.rows:
            return None
        file = self.file_of(number)
        group = b""
        if self.has_groups:
            first = self.group_ends[file - 1] if file else 0
            group = b"\t%d" % (bisect.bisect_right(self.groups, number, first, self.group_ends[file]) - 1 - first)
        return self.names[file] + group + b"\t%d" % (number - self.firsts[file])

    def places(self, numbers):
        return [place for place in map(self.place, numbers) if place]


class RowLists:
    """Section 131: the numbers of the rows of each key."""

    def __init__(self, data):
        self.data, self.n, self.places, (self.w, self.s) = data, u64(data, 0), u64(data, 8), data[16:18]
        zero(data, 18, 64)
        need(1 <= self.w <= 56 and self.s in (8, 16, 32), "the width of rows or signatures")
        need(self.n <= self.places <= 2**56 and (self.n or not self.places), "the number of keys or places")
        at = packed_end(data, 64, self.places * self.w)
        need(u64(data, at) == self.n, "n of the lists")
        self.lists = EliasFano(data, at + 8, self.n, self.places)
        need(u64(data, self.lists.end) == self.n, "n of the buckets")
        self.buckets = EliasFano(data, self.lists.end + 8, self.n, self.n + 1)
        self.signatures = self.buckets.end
        at = packed_end(data, self.signatures, self.n * self.s)
        alike = u64(data, at)
        need(alike <= self.n and len(data) == at + 8 + 24 * alike, "the length of row lists")
        self.alike = {data[i : i + 16]: u64(data, i + 16) for i in range(at + 8, len(data), 24)}

    def numbers(self, hi, lo):
        """Those of a key's rows; none of a key that is absent."""
        bucket, signature = hi * self.n >> 64, (hi * self.n & MASK) >> 64 - self.s
        end = self.buckets.value(bucket + 1) if bucket + 1 < self.n else self.n
        keys = range(self.buckets.value(bucket), end) if self.n else ()
        keys = [key for key in keys if bits(self.data, self.signatures * 8 + key * self.s, self.s) == signature]
        if len(keys) > 1:
            key = self.alike.get(hi.to_bytes(8, "little") + lo.to_bytes(8, "little"))
            keys = [key] if key in keys else []
        if not keys:
            return []
        end = self.lists.value(keys[0] + 1) if keys[0] + 1 < self.n else self.places
        return [bits(self.data, 64 * 8 + place * self.w, self.w) for place in range(self.lists.value(keys[0]), end)]



# filterset.md


class FilterSet:
    """Sections 116 and 117: a filter for each group."""

    def __init__(self, data, filters):
        self.type, self.parameter, self.f, self.rate, groups, cells, names = (
            u32(data, 0), u32(data, 4), u32(data, 8), *(u64(data, at) for at in (16, 24, 32, 40))
        )
        most = {32: (1, 32), 33: (1, 32), 34: (0, 0), 35: (1, 64)}
        need(self.type in most and most[self.type][0] <= self.parameter <= most[self.type][1], "the filters of a set")
        need(self.type == 32 or self.f == 0, "narrow rows without rows")
        zero(data, 12, 16)
        zero(data, 48, 64)
        need(max(groups, cells) <= 2**40 and names <= 2**48, "the number of groups")
        group_places = 64 + 8 * ceil_div(cells, 32)
        entries = group_places + 16 * ceil_div(groups, 32)
        bits_at = entries + 3 * cells
        at = bits_at + groups
        need(len(data) == at + names, "the length of the groups")
        zero(filters, len(filters) - 288, len(filters))
        self.filters, self.names, self.cells, begin, cell = filters, [], [], at, 0
        place = 0
        for i in range(cells):
            need(i % 32 or u64(data, 64 + i // 4) == place, "a place of cells")
            units, seed = u16(data, entries + 3 * i), data[entries + 3 * i + 2]
            is_graph = self.type == 33 and units >= 4096
            need(seed < (32 if is_graph else 64 if self.type in (32, 33) else 1), "the seed of a cell")
            need(not is_graph or units >> 12 >= 3 and units % 4096 >= 4, "the graph of a cell")
            self.cells.append((place, units, seed))
            place += self._bytes(units)
        need(place == len(filters) - 288, "the length of the filters")
        self.first_cells = []
        for i in range(groups):
            entry = group_places + i // 32 * 16
            need(i % 32 or (u64(data, entry), u64(data, entry + 8)) == (at - begin, cell), "a place of groups")
            name = self.name(data, at, self.names)
            need(data[bits_at + i] <= 24, "the cells of a group")
            self.names.append(name)
            self.first_cells.append((cell, data[bits_at + i]))
            at, cell = at + 1 + len(name), cell + (1 << data[bits_at + i])
        need(at == len(data) and cell == cells, "the number of cells")

    @staticmethod
    def open(data, filters):
        return (FilterBlocks if u32(data, 0) == 118 else FilterSet)(data, filters)

    @staticmethod
    def name(data, at, before):
        """The name at a place, behind those before it."""
        need(at < len(data) and at + 1 + data[at] <= len(data), "the name of a group")
        name = data[at + 1 : at + 1 + data[at]]
        need(name and not set(name) & {0, 9, 10} and name > (before or [b""])[-1], "the name of a group")
        return name

    def _starts(self, units):
        return max(1, units - 7)

    def _bytes(self, units):
        if self.type in (34, 35):
            return units * (32 if self.type == 34 else 1)
        if self.type == 33 and units >= 4096:
            return (units % 4096 << (units >> 12)) * self.parameter // 8
        return units * self.parameter - (self._starts(units) * self.f >> 32) if units else 0

    def contains(self, group, hi):
        """Whether a group, by its number, may hold the key of that hash."""
        cell, g = self.first_cells[group]
        at, units, seed = self.cells[cell + (hi >> 64 - g if g else 0)]
        if units == 0:
            return False
        data, high = self.filters, hi << g & MASK
        if self.type == 34:
            block = at + 32 * ((high >> 32) * units >> 32)
            return all(u32(data, block + 4 * i) >> (hi * salt % 2**32 >> 27) & 1 for i, salt in enumerate(SplitBlock.SALT))
        if self.type == 35:
            places, low = [mulhi(high, 8 * units)], mix64(hi)
            for _ in range(1, self.parameter):
                places.append(mulhi(low, 8 * units))
                low = low * 0xF1357AEA2E62A9C5 & MASK
            return all(data[at + place // 8] >> place % 8 & 1 for place in places)
        h = hi * (mix64(seed + 0x9E3779B97F4A7C15 & MASK) | 1) & MASK
        if self.type == 33 and units >= 4096:
            value = Fuse.slots(data, 8 * at, self.parameter, (4, units >> 12, units % 4096), high, h)
            return value == mulhi(hi, ODD) & (1 << self.parameter) - 1
        h = (h ^ h >> 32) * 0xD6E8FEB86659FD93 & MASK
        start, narrow = mulhi(h, self._starts(units)), self._starts(units) * self.f >> 32
        row, width = (h * ODD & MASK | 1) & (1 << 8 * min(units, 8)) - 1, self.parameter - (start < narrow)
        columns = [0] * width
        for i in range(min(8, units)):
            block = at + (start + i) * self.parameter - min(start + i, narrow)
            columns = [sum_ ^ data[block + j] & row >> 8 * i & 255 for j, sum_ in enumerate(columns)]
        return sum(parity(column) << j for j, column in enumerate(columns)) == mulhi(hi, ODD) & (1 << width) - 1

    def groups_of(self, hi):
        return [name for number, name in enumerate(self.names) if self.contains(number, hi)]


class FilterBlocks:
    """The same where filters stand side by side."""

    def __init__(self, data, filters):
        self.k, self.filters, names = u32(data, 4), filters, u64(data, 40)
        groups, positions, blocks = (u64(data, at) for at in (24, 32, 48))
        need(1 <= self.k <= 64, "the probes of a set")
        zero(data, 8, 16)
        zero(data, 56, 64)
        need(max(groups, blocks) <= positions < 2**32 - 1 and names <= 2**48, "the number of groups")
        group_of = 64 + 24 * blocks
        position_of = group_of + 4 * positions
        places = position_of + 4 * groups
        at = places + 8 * ceil_div(groups, 32)
        need(len(data) == at + names, "the length of the groups")
        zero(filters, len(filters) - 64, len(filters))
        self.columns, self.names, place = {}, [], 0
        position = 0
        for entry in range(64, group_of, 24):
            begin, rows, first, columns = (*(u64(data, entry + i) for i in (0, 8)), *(u32(data, entry + i) for i in (16, 20)))
            need(rows and 1 <= columns <= 512 and (begin, first) == (place, position), "a block")
            for column in range(min(columns, positions - first)):
                group = u32(data, group_of + 4 * (first + column))
                if group != 2**32 - 1:
                    need(group < groups and u32(data, position_of + 4 * group) == first + column, "a position")
                    self.columns[group] = (begin, rows, ceil_div(columns, 8), column)
            place, position = place + rows * ceil_div(columns, 8), position + columns
        need((place, position, len(self.columns)) == (len(filters) - 64, positions, groups), "the blocks")
        begin = at
        for i in range(groups):
            need(i % 32 or u64(data, places + i // 4) == at - begin, "a place of groups")
            self.names.append(FilterSet.name(data, at, self.names))
            at += 1 + len(self.names[-1])
        need(at == len(data), "the names of the groups")

    def contains(self, group, hi):
        """Whether a group, by its number, may hold the key of that hash."""
        begin, rows, width, column = self.columns[group]
        places, low = [mulhi(hi, rows)], mix64(hi)
        for _ in range(1, self.k):
            places.append(mulhi(low, rows))
            low = low * 0xF1357AEA2E62A9C5 & MASK
        return all(self.filters[begin + width * place + column // 8] >> column % 8 & 1 for place in places)

    groups_of = FilterSet.groups_of


class Links:
    """Section 121."""

    def __init__(self, data):
        need(len(data) >= 40, "the length of the links")
        self.state, count = data[:32], u64(data, 32)
        need(1 <= count <= min(2**20, len(data) // 48), "the number of files")
        need(40 + 48 * count <= len(data), "the length of the links")
        self.files, at = [], 40 + 48 * count
        for entry in range(40, at, 48):
            length = u64(data, entry + 40)
            need(at + length <= len(data) and Served.leads_below(data[at : at + length]), "a name")
            self.files.append((data[entry : entry + 32], u64(data, entry + 32), data[at : at + length]))
            at += length
        need(at == len(data), "the length of the links")


class Linked:
    """A chain with its base and deltas: asked as its base is."""

    def __init__(self, chain, folder):
        self.chain, self.files = chain, []
        for digest, length, name in chain.links.files:
            path = folder / name.decode("utf-8", "surrogateescape")
            need(path.exists(), f"{path.name} is missing")
            file = File(path.read_bytes())
            need(file.kind in ((DELTA,) if self.files else (EXACT_SET, FILTER)), f"the kind of {path.name}")
            is_same = bytes.fromhex(file.digest()) == digest and len(file.data) == length
            need(is_same, f"{path.name} is not the file that the chain was made of")
            self.files.append(file)
        self.base, deltas = self.files[0], self.files[1:]
        groups = 1 if self.base.kind == FILTER else len(self.base.exact.numbers)
        state, number, n = self.base_digest(), 1, self.base.n
        for file in deltas:
            delta = file.delta
            need(delta.base == self.base_digest() and delta.number == number and delta.before == state, "a delta does not follow")
            need((file.seed, file.function) == (self.base.seed, self.base.function), "the hash of a delta")
            if self.base.kind == FILTER:
                need(delta.of_filter and delta.members[-1] == n + file.n, "a delta of a filter")
            else:
                is_like = (delta.of_filter, delta.grouped, delta.groups) == (False, self.base.exact.grouped, groups)
                need(is_like, "the groups of a delta")
                self.base.exact.follow(delta)
            state, number = delta.after(bytes.fromhex(file.digest())), number + len(delta.lists)
            groups, n = delta.groups_after, delta.members[-1]
        need(state == chain.links.state and n == chain.n, "the state of the chain")
        self.kind, self.n, self.digest = self.base.kind, n, chain.digest
        self.layers = [layer for file in deltas for layer in file.layers]

    def covers(self, name, value):
        """Of an exact set: whether the base or a delta covers that epoch, or the base does not say what it covers."""
        covered = self.base.covered()
        covered += [one for file in self.files[1:] for one in file.covered()] if covered else []
        return any(one == name and low <= value <= high for one, low, high in covered) or not covered

    def group(self, name):
        return self.base.group(name)

    def lookup(self, key):
        """As the base's; of a filter also what its layers may hold."""
        found = self.base.lookup(key)
        if found is not None or self.kind != FILTER:
            return found
        hi, lo = hash_key(self.base.function, self.base.seed, key)
        return True if any(layer.contains(hi, lo) for layer in self.layers) else None

    def base_digest(self):
        return bytes.fromhex(self.base.digest())

    def verify(self):
        self.chain.verify()
        for file in self.files:
            file.verify()


class LinkedLayers:
    """A chain of layers, which stand by themselves: what such chains of any kind share."""

    def __init__(self, chain, folder, kind):
        self.chain, self.files, self.kind, self.n, self.digest = chain, [], kind, chain.n, chain.digest
        state = None
        for digest, length, name in chain.links.files:
            path = folder / name.decode("utf-8", "surrogateescape")
            need(path.exists(), f"{path.name} is missing")
            file = File(path.read_bytes())
            need(file.kind == kind and (file.seed, file.function) == (chain.seed, chain.function), f"the kind of {path.name}")
            own = bytes.fromhex(file.digest())
            need(own == digest and len(file.data) == length, f"{path.name} is not the file that the chain was made of")
            state = hashlib.sha256(state + own).digest() if state else own
            self.files.append(file)
        self.firsts = [0]
        for file in self.files:
            self.firsts.append(self.firsts[-1] + len(self.names(file)))
        names, removed = self.firsts[-1], chain.section(REMOVED_NAMES)
        need(len(removed) == 8 + ceil_div(names, 8) and u64(removed, 0) == names, "the removed names")
        self.removed = int.from_bytes(removed[8:], "little")
        need(self.removed >> names == 0 and state == chain.links.state and len(self.files) <= 64, "the state of the chain")
        need(chain.n == sum(file.n for file in self.files), "n of the chain")

    def verify(self):
        self.chain.verify()
        for file in self.files:
            file.verify()


class LinkedRows(LinkedLayers):
    """A chain of indexes of rows (rows.md)."""

    def __init__(self, chain, folder):
        super().__init__(chain, folder, ROWS)

    @staticmethod
    def names(file):
        return file.row_files.names

    def lookup(self, key):
        """The places in files that were not removed, those of the newest layer first."""
        all_places = []
        for first, file in reversed([*zip(self.firsts, self.files)]):
            numbers = (n for n in file.row_numbers(key) if n < file.row_files.rows)
            all_places += file.row_files.places(n for n in numbers if not self.removed >> first + file.row_files.file_of(n) & 1)
        return all_places or None


class LinkedFilterSets(LinkedLayers):
    """A chain of filter sets (filterset.md)."""

    def __init__(self, chain, folder):
        super().__init__(chain, folder, FILTER_SET)
        forms = {file.section(FILTER_GROUPS)[:24] for file in self.files}
        need(len(forms) == 1, "the form of a layer")
        self.groups = {}
        for first, file in zip(self.firsts, self.files):
            for number, name in enumerate(self.names(file)):
                if not self.removed >> first + number & 1:
                    need(name not in self.groups, "a group in two layers")
                    self.groups[name] = (file.filters, number)

    @staticmethod
    def names(file):
        return file.filters.names

    def lookup(self, key):
        """The groups that were not removed and may hold the key."""
        hi, _ = hash_key(self.chain.function, self.chain.seed, key)
        return [name for name in sorted(self.groups) if self.groups[name][0].contains(self.groups[name][1], hi)] or None


# The container: crivo-1.md --------------------------------------------------------------------------------------------

MPHF, FILTER, MAP, STORE = 1, 2, 3, 4  # indexes
PART, KEYS, TOTALS, RECORDS = 5, 6, 7, 8  # of a sharded build (parts.md), and beside an index
MANIFEST, EXACT_SET, DELTA, CHAIN = 9, 10, 11, 12
DICTIONARY, FILTER_SET, ROWS = 13, 14, 15
INDEXES = (MPHF, FILTER, MAP, STORE, EXACT_SET, DICTIONARY, FILTER_SET, ROWS)
UNSIGNED, SIGNED, DECIMAL = 1, 2, 3
EXACT = decimal.Context(prec=40)
MPHFS = {16: WholePhast, 17: Consensus, 18: Mwhc, 19: Fch, 20: Bmz, 21: Bdz}
FILTERS = {
    32: lambda data: Ribbon(data, True),
    33: lambda data: Fuse(data, True),
    34: SplitBlock,
    35: lambda data: Bloom(data, False),
    36: lambda data: Bloom(data, True),
    37: Cuckoo,
    38: HashCompaction,
    39: Range,
}
CUCKOO = 37
FUNCTIONS = {33: lambda data: Fuse(data, False), 48: lambda data: Ribbon(data, False), 49: Coded, 50: MwhcFunction}
SIGNATURES, LEAVES, DIRECTORY, PAGE_SUMS, ENVIRONMENT, CODEC, SLOTS, UNITS, METADATA = 1, 2, 3, 4, 64, 65, 66, 67, 0x80000001
NOTES, BUMPED_RECORDS, GROUPS, FLIPS, LINKS, HASHED_IDS = 106, 115, 72, 120, 121, 86
FILTER_GROUPS, FILTERS_OF_GROUPS, ROW_FILES, ROW_STAMPS, REMOVED_NAMES, ROW_LISTS = 116, 117, 128, 129, 130, 131
TAGS = {(EXACT_SET, 32): 65, (FILTER, CUCKOO): 16, (DELTA, 32): 1000}  # of sections that may be there more than once
SECTIONS = {
    MPHF: {SIGNATURES, LEAVES, PAGE_SUMS, *MPHFS},
    FILTER: {LEAVES, PAGE_SUMS, DIRECTORY, *FILTERS},
    MAP: {32, LEAVES, PAGE_SUMS, DIRECTORY, *FUNCTIONS},
    STORE: {SIGNATURES, LEAVES, PAGE_SUMS, ENVIRONMENT, CODEC, SLOTS, 80, 81, 82, 83, 84, *MPHFS},
    EXACT_SET: {32, 48, LEAVES, PAGE_SUMS, GROUPS},
    DELTA: {32, LEAVES, PAGE_SUMS, FLIPS},
    CHAIN: {LEAVES, PAGE_SUMS, LINKS, REMOVED_NAMES},
    RECORDS: {LEAVES, UNITS},
    DICTIONARY: {LEAVES, PAGE_SUMS, 16, 80, 81, 82, 83, 84, 85, HASHED_IDS},
    FILTER_SET: {LEAVES, PAGE_SUMS, FILTER_GROUPS, FILTERS_OF_GROUPS},
    ROWS: {32, 48, LEAVES, PAGE_SUMS, ROW_FILES, ROW_STAMPS, ROW_LISTS},
    KEYS: {101, 96, 97},
    TOTALS: {98, 100},
    MANIFEST: {LEAVES, PAGE_SUMS, UNITS, NOTES, 107, 112, 113, 114, BUMPED_RECORDS},
}
SECTIONS[PART] = {104, 105, 106, 107}.union(*SECTIONS.values())
SECTIONS_AHEAD = {
    **dict.fromkeys(range(73, 80), "exact set"),
    **dict.fromkeys(range(87, 96), "dictionary"),
    **dict.fromkeys(range(118, 120), "filter set"),
    **dict.fromkeys(range(122, 128), "delta or chain"),
}
HEADER, ENTRY, FOOTER, CHUNK, PIECE, PAGE = 192, 96, 40, 65536, 4096, 4096
OF_CONTAINER = (LEAVES, DIRECTORY, PAGE_SUMS)  # sections about the others


def named(what, number, names):
    """By its name where the number is set aside."""
    return f"{what} {number} ({names[number]})" if number in names else f"{what} {number}"


# "Hash tree"


def tree_lists(data):
    """The lists of a section's bytes; its hash is that of the last."""
    lists, unit = [], CHUNK
    while not lists or len(data) > PIECE:
        data = b"".join(hashlib.sha256(data[at : at + unit]).digest() for at in range(0, len(data), unit))
        lists.append(data)
        unit = PIECE
    return lists


def leaves_length(length):
    """The bytes that section 2 has of a section of this length."""
    size = 32 * ceil_div(length, CHUNK) if length > CHUNK else 0
    total = size
    while size > PIECE:
        size = 32 * ceil_div(size, PIECE)
        total += size
    return total


def page_lists(end):
    """The lengths of the lists of page sums, of sections that end there."""
    first = 4 * ceil_div(end, PAGE)
    return [first] if first <= PAGE else [first, 4 * ceil_div(first, PAGE)]


class Signatures:
    """Section 1."""

    def __init__(self, data):
        self.data, self.w, self.n = data, u32(data, 0), u64(data, 8)
        need(self.w in (8, 16, 32), "the bits of a signature")
        zero(data, 4, 8)
        zero(data, 16, 64)
        need(len(data) == 64 + self.n * self.w // 8, "the length")

    def has(self, rank, _, lo):
        return le(self.data, 64 + rank * self.w // 8, self.w // 8) == lo >> 64 - self.w


class Section:
    """An entry of the table."""

    def __init__(self, data, entry):
        self.type, flags, self.offset, self.length = (
            u32(data, entry), u32(data, entry + 4), u64(data, entry + 8), u64(data, entry + 16)
        )
        self.alignment, self.checksum, self.tag = u32(data, entry + 24), u64(data, entry + 32), u64(data, entry + 40)
        self.list_check = u64(data, entry + 48)
        need(flags == 0, "flags")
        need(self.alignment in (64, 4096), "an alignment")
        self.hash = data[entry + 64 : entry + 96]
        zero(data, entry + 28, entry + 32)
        need(self.type == PAGE_SUMS or self.list_check == 0, "the check of page sums")

    def chunks(self):
        return ceil_div(self.length, CHUNK)


class File:
    """An open file: one key at a time with `lookup` (None: absent; True: maybe; else its rank, value or record)."""

    def __init__(self, data):
        self.data = data
        self.ordered = False
        self.hashed = None
        self._header()
        self._footer()
        self._kind()
        self._table()
        if self.kind <= STORE or self.kind == ROWS:
            self._structures()
        if self.kind == EXACT_SET:
            need((GROUPS, 0) in self.sections, "no groups")
            filters = {tag: self.section(kind, tag) for kind, tag in self.sections if kind == 32}
            bit = self.section(48) if (48, 0) in self.sections else None
            self.exact = Exact(self.section(GROUPS), bit, filters)
            need(self.exact.n == self.n, "n of a section")
            self._check_covers(self.metadata().get(b"crivo.covers", b""))
        if self.kind == DELTA:
            need((FLIPS, 0) in self.sections, "no flips")
            self.delta = Delta(self.section(FLIPS))
            tags = range(len(self.delta.lists) if self.delta.of_filter else 0)
            need({tag for kind, tag in self.sections if kind == 32} == set(tags), "the layers of a delta")
            self.layers = [FILTERS[32](self.section(32, tag)) for tag in tags]
            members = self.delta.members
            need(all(members[i - 1] + self.layers[i].n == members[i] for i in tags[1:]), "the keys of a layer")
            n = sum(layer.n for layer in self.layers) if self.delta.of_filter else self.delta.flips
            need(n == self.n, "n of the flips or layers")
        if self.kind == FILTER_SET:
            need(all((kind, 0) in self.sections for kind in (FILTER_GROUPS, FILTERS_OF_GROUPS)), "the sections of a filter set")
            need(self.value_type == 0 and self.function in (1, 6), "the hash function")
            self.filters = FilterSet.open(self.section(FILTER_GROUPS), self.section(FILTERS_OF_GROUPS))
        if self.kind == CHAIN:
            need((LINKS, 0) in self.sections, "no links")
            self.links = Links(self.section(LINKS))
        if self.kind == DICTIONARY:
            need(all((kind, 0) in self.sections for kind in range(80, 85)), "a section of the dictionary")
            valued = (85, 0) in self.sections
            need((self.value_type != 0) == valued and self.function in (1, 6), "the header of a dictionary")
            self.dictionary = Dictionary(*map(self.section, range(80, 86 if valued else 85)))
            need(self.dictionary.n == self.n, "n of the dictionary")
            hashed = (HASHED_IDS, 0) in self.sections
            need(((16, 0) in self.sections) == hashed, "an MPHF or hashed ids alone")
            if hashed:
                self.hashed = HashedIds(WholePhast(self.section(16)), self.section(HASHED_IDS))
                need(self.hashed.n == self.n, "n of the hashed ids")

    def _header(self):
        data = self.data
        if data[:8] != b"\xc3CRV\r\n\x1a\n":
            raise Refused("foreign", "no Crivo file")
        need(len(data) >= HEADER + FOOTER, "truncated")
        major, minor = u16(data, 8), u16(data, 10)
        if (major, minor) == (1, 0):
            raise Refused("too old", "version 1.0 is that of a draft; build it again")
        know(major == 0, f"major version {major}")
        if u32(data, 12) < HEADER:
            raise Refused("too old", "the header's length")
        know(u64(data, 16) == 0, "an incompatible feature")
        need(u32(data, 12) == HEADER, "the length of the header")
        need(u64(data, 32) == len(data), "truncated, or longer than it says")
        self.count = u32(data, 48)
        need(self.count <= 1024, "the number of sections")
        self.table = u64(data, 40)
        need(self.table == len(data) - FOOTER - ENTRY * self.count and self.table >= HEADER, "the offset of the table")
        zero(data, 116, 152)

    def _footer(self):
        data, end = self.data, len(self.data)
        zero(data, end - FOOTER, end - 32)
        need(u64(data, end - 24) == end, "the footer's length of the file")
        need(data[end - 16 : end - 8] == data[184:192], "the footer's header checksum")
        need(data[end - 8 :] == bytes(byte ^ 0xFF for byte in data[:8]), "the footer's magic")
        need(xxh3_64(data[:184] + data[self.table : end - 24]) == u64(data, 184), "the header checksum")

    def _kind(self):
        data = self.data
        self.kind, self.n, self.seed, self.function = u32(data, 52), u64(data, 56), u64(data, 64), u32(data, 72)
        self.value_type, self.scale, self.tree = u16(data, 76), u16(data, 78), u32(data, 112)
        know(self.kind in SECTIONS, f"kind {self.kind}")
        know(1 <= self.function <= 8, f"hash function {self.function}")
        know(self.tree <= 1, f"hash tree {self.tree}")
        know(self.value_type <= DECIMAL, f"values of type {self.value_type}")
        need(self.scale <= (18 if self.value_type == DECIMAL else 0), "a scale")
        need(self.tree == 0 or LEAVES in SECTIONS[self.kind], "a hash tree of keys or totals")
        if self.kind in (EXACT_SET, DELTA, CHAIN):
            need(self.value_type == 0 and self.function in (1, 6), "the hash function")
        if self.kind <= STORE or self.kind == ROWS:
            need((self.value_type != 0) == (self.kind == MAP), "the type of values")
            need(self.function in {MPHF: (1, 3, 4, 5, 6), FILTER: (1, 2, 6, 7, 8), MAP: (1, 6), STORE: (1, 3, 4, 5, 6), ROWS: (1, 6)}[
                self.kind
            ], "the hash function")

    def _table(self):
        at, chunks, self.sections = HEADER, 0, {}
        for i in range(self.count):
            section = Section(self.data, self.table + ENTRY * i)
            need(section.offset == round_up(at, section.alignment), "a section is not where it should be")
            at = section.offset + section.length
            chunks += section.chunks()
            need(at <= self.table, "a section is past the table")
            need((section.type, section.tag) not in self.sections, "two sections of one type and tag")
            self.sections[section.type, section.tag] = section
            if section.type < 0x80000000:
                know(section.type in SECTIONS[PART], named("section", section.type, SECTIONS_AHEAD))
                tags = TAGS.get((self.kind, section.type), 1)
                know(section.tag < tags or self.kind == PART, f"section {section.type} with a tag")
                need(section.type in SECTIONS[self.kind], f"section {section.type} in its kind")
        self.checksums = round_up(at, 64)
        need(self.checksums + 8 * chunks == self.table, "the checksums")
        self._leaves()
        self._page_sums()

    def _page_sums(self):
        """Section 4 has a sum for each page up to the end of the section before it."""
        sections = list(self.sections.values())
        at = [section.type for section in sections].index(PAGE_SUMS) if (PAGE_SUMS, 0) in self.sections else None
        self.summed = at and sections[at - 1].offset + sections[at - 1].length
        if at is not None:
            need(at > 0 and self.summed > CHUNK, "the place of page sums")
            need(all((section.type in OF_CONTAINER) == (i >= at) for i, section in enumerate(sections)), "the place of page sums")
            lists = page_lists(self.summed)
            need(sections[at].length == sum(lists) and sections[at].alignment >= (64 if len(lists) == 1 else PAGE), "the number of page sums")

    def _leaves(self):
        """Section 2 is there where it should be, and hashes are zero where they should be."""
        length = 0
        for section in self.sections.values():
            if self.tree and section.type != LEAVES:
                length += leaves_length(section.length)
            else:
                need(not any(section.hash), "a hash where there is none")
        found = [(section.tag, section.length) for section in self.sections.values() if section.type == LEAVES]
        need(found == ([(0, length)] if length else []), "the leaves")
        need(self.tree or (DIRECTORY, 0) not in self.sections, "a directory without a hash tree")

    def section(self, kind, tag=0):
        section = self.sections[kind, tag]
        return self.data[section.offset : section.offset + section.length]

    def _open(self, types, needed=True):
        """The one structure of these types."""
        present = [kind for kind in types if (kind, 0) in self.sections]
        need(len(present) == 1 or not present and not needed, "the number of its structures")
        if not present:
            return None
        structure = types[present[0]](self.section(present[0]))
        need(structure.n == self.n, "n of a section")
        need((self.function == 2) == isinstance(structure, SplitBlock), "the hash function of a section")
        need((self.function in (7, 8)) == isinstance(structure, Range), "the hash function of a section")
        return structure

    def _structures(self):
        self.ordered = self.kind == STORE and (80, 0) in self.sections
        if self.ordered:
            need(all((kind, 0) in self.sections for kind in range(80, 85)), "a section of the dictionary")
            need(not any((kind, 0) in self.sections for kind in (*MPHFS, SIGNATURES)), "a function and a dictionary")
            need(self.function in (1, 6) and (SLOTS, 0) in self.sections, "the sections of an ordered store")
            self.dictionary, self.signatures = Dictionary(*map(self.section, range(80, 85))), None
            need(self.dictionary.n == self.n, "n of the dictionary")
            self._store()
        elif self.kind in (MPHF, STORE):
            self.mphf = self._open(MPHFS)
            need(self.function in (1, 6) or isinstance(self.mphf, Graph), "the hash function of a section")
            self.signatures = self._open({SIGNATURES: Signatures}, needed=False)
            if self.kind == STORE:
                self._store()
        elif self.kind == FILTER:
            layers = [tag for kind, tag in self.sections if kind == CUCKOO]
            self.filter = self._layers(layers) if any(layers) else self._open(FILTERS)
        else:
            lists = self.kind == ROWS and (ROW_LISTS, 0) in self.sections
            need(not lists or not {(32, 0), (48, 0)} & set(self.sections), "row lists beside a function")
            self.lists = RowLists(self.section(ROW_LISTS)) if lists else None
            need(not lists or self.lists.n == self.n, "n of the row lists")
            if not lists:
                self.map = self._open(FUNCTIONS)
                self.filter = self._open({32: FILTERS[32]}, needed=False)
                need(self.filter is None or self.filter.width in (8, 16, 32), "the bits of signatures")
            if self.kind == ROWS:
                need((ROW_FILES, 0) in self.sections and self.function in (1, 6), "no row files")
                self.row_files = RowFiles(self.section(ROW_FILES))
                stamps = (ROW_STAMPS, 0) in self.sections
                need(not stamps or len(self.section(ROW_STAMPS)) == 32 * len(self.row_files.names), "row stamps")

    def _layers(self, tags):
        need(sorted(tags) == list(range(len(tags))), "the layers of a filter")
        need(not any((kind, 0) in self.sections for kind in FILTERS if kind != CUCKOO), "the number of its structures")
        need(self.function in (1, 6), "the hash function of a section")
        layers = Layers([FILTERS[CUCKOO](self.section(CUCKOO, tag)) for tag in range(len(tags))])
        need(layers.n == self.n, "n of a section")
        return layers

    def _store(self):
        self.is_flat = (SLOTS, 0) in self.sections
        need(self.is_flat != ((ENVIRONMENT, 0) in self.sections), "the sections of a store")
        need((CODEC, 0) in self.sections and not (self.is_flat and self.signatures), "the sections of a store")
        self.codec = Codec(self.section(CODEC))
        if self.is_flat:
            self.signatures = Slots(self.section(SLOTS), self.n)
        self.records = None

    def lookup(self, key):
        if self.kind == DICTIONARY:
            number = self.dictionary.id(key)
            return number if number is None or self.value_type == 0 else (number, self.value(number))
        if self.kind == EXACT_SET and self.exact.grouped:
            group, tab, key = key.partition(b"\t")
            hashes = (hash_key(self.function, self.seed, text) for text in (key, group))
            (hi, lo), group = hashes
            return self.exact.answer(hi, lo, group) if tab else b"outside"
        if self.kind == FILTER and isinstance(self.filter, Range):
            ends = key.split(b"\t", 1)
            if len(ends) == 2:
                if max(map(len, ends)) > 8:
                    raise ValueError("the ends of a range are numbers of at most 8 bytes")
                return True if self.contains_range(*(int.from_bytes(end, "big") for end in ends)) else None
            if len(key) > 8:
                return None
        hi, lo = hash_key(self.function, self.seed, key)
        if self.kind == EXACT_SET:
            return self.exact.answer(hi, lo)
        if self.kind == FILTER_SET:
            return self.filters.groups_of(hi) or None
        if self.kind == MPHF:
            return self._rank(hi, lo)
        if self.kind == FILTER:
            return True if self.filter.contains(hi, lo) else None
        if self.kind == STORE:
            rank = self.dictionary.id(key) if self.ordered else self._rank(hi, lo)
            found = None if rank is None else self.records.pair(rank, self.codec)
            if not (found and found[0] == key):  # a key that the build did not have?
                rank = self.records.added_rank(hi, lo) if isinstance(self.records, Updated) else None
                found = None if rank is None else self.records.pair(rank, self.codec)
            return found[1] if found and found[0] == key else None
        if self.kind == ROWS:
            return self.row_files.places(self._numbers(hi, lo)) or None
        if self.kind == MAP:
            value = self._number(hi, lo)
            return None if value is None else self._value(value)
        raise Refused("corrupt", "a part of a sharded build has no keys to ask for, nor the bytes of a manifest")

    def _number(self, hi, lo):
        refuses = self.n == 0 or self.filter and not self.filter.contains(hi, lo)
        return None if refuses else self.map.value(hi, lo)

    def _numbers(self, hi, lo):
        if self.lists:
            return self.lists.numbers(hi, lo)
        number = self._number(hi, lo)
        return [] if number is None else [number]

    def row_numbers(self, key):
        """Of a key in an index of rows: the numbers of its rows among those of all files."""
        return self._numbers(*hash_key(self.function, self.seed, key))

    def contains_range(self, low, high):
        """Whether a filter over numbers may have one from `low` to `high`."""
        if high - low >= 2**24 or low > high:
            return low <= high
        for first in range(low & -4096, high + 1, 4096):
            hi, _ = number_hash(self.function, first, self.seed)
            if self.filter.contains_run(hi, max(low, first), min(high, first + 4095)):
                return True
        return False

    def covered(self):
        """(name, low, high) of what an exact set or a delta says that it covers."""
        text = self.metadata().get(b"crivo.covers", b"").decode()
        entries = [re.fullmatch(r"([^=,]+)=(\d+):(\d+)", one) for one in text.split(",")] if text else []
        need(all(entries), "what it covers")
        return [(one[1], int(one[2]), int(one[3])) for one in entries]

    def covers(self, name, value):
        """Whether an exact set covers that epoch, or does not say what it covers."""
        covered = self.covered()
        return any(one == name and low <= value <= high for one, low, high in covered) or not covered

    def group(self, name):
        """A function that answers for keys of one group of an exact set, each asked for in the form of a list."""
        of = hash_key(self.function, self.seed, name)
        return lambda keys: [self.exact.answer(*hash_key(self.function, self.seed, key), of) for key in keys]

    def hashed_id(self, key):
        """The id of a key of a dictionary with hashed ids; of one in 256 other texts some id, of the rest None."""
        return self.hashed.id(*hash_key(self.function, self.seed, key))

    def value(self, number):
        """Of an id of a dictionary with values."""
        return self._value(self.dictionary.value(number))

    def _value(self, kept):
        """An int, or a Decimal ("Values of maps")."""
        if self.value_type == UNSIGNED:
            return kept
        value = ~(kept >> 1) if kept & 1 else kept >> 1
        return value if self.value_type == SIGNED else decimal.Decimal(value).scaleb(-self.scale, EXACT)

    def rank(self, key):
        """Of a store or an MPHF."""
        if self.ordered:
            return self.dictionary.id(key)
        return self._rank(*hash_key(self.function, self.seed, key))

    def _rank(self, hi, lo):
        if self.n == 0:
            return None
        rank = self.mphf.rank(hi, lo)
        return rank if not self.signatures or self.signatures.has(rank, hi, lo) else None

    def digest(self):
        return hashlib.sha256(self.data[:HEADER] + self.data[self.table :]).hexdigest()

    @staticmethod
    def _check_covers(text):
        """What an exact set covers: exact.md, "Coverage"."""
        for one in text.split(b",") if text else ():
            parts = re.fullmatch(rb"[^=]+=([0-9]+):([0-9]+)", one)
            need(parts is not None and int(parts[1]) <= int(parts[2]) <= MASK, "what it covers")

    def metadata(self):
        """Names and values, as bytes."""
        entries = {}
        if (METADATA, 0) in self.sections:
            data = self.section(METADATA)
            need(len(data) <= 2**20, "the metadata's length")
            at, last = 4, None
            for _ in range(u32(data, 0)):
                lengths = u32(data, at), u32(data, at + 4)
                name, value = data[at + 8 :][: lengths[0]], data[at + 8 + lengths[0] :][: lengths[1]]
                at += 8 + sum(lengths)
                need(at <= len(data) and (last is None or last < name), "the metadata")
                for text in (name, value):
                    try:
                        text.decode()
                    except UnicodeDecodeError:
                        raise Refused("corrupt", "metadata that is not UTF-8") from None
                entries[name] = value
                last = name
            need(at == len(data), "the metadata's length")
        return entries

    def _verify_directory(self, data):
        sections, at, last = list(self.sections.values()), 0, -1
        while at < len(data):
            number, head, tail = u64(data, at), u64(data, at + 8), u64(data, at + 16)
            need(last < number < len(sections) and sections[number].type != DIRECTORY, "a section of the directory")
            body = self.section(sections[number].type, sections[number].tag)
            need(head + tail <= len(body), "the ends of a section")
            need(data[at + 24 : at + 24 + head + tail] == body[:head] + body[len(body) - tail :], "the directory")
            at, last = at + 24 + head + tail, number
        need(at == len(data), "the directory's length")

    def _verify_page_sums(self, sums, check):
        """Page sums: those of the pages, which are all but those of records alone, and those of their pieces."""
        lists = page_lists(self.summed)
        need(xxh3_64(sums[-lists[-1] :]) == check, "the check of page sums")
        for piece in range(lists[1] // 4 if len(lists) > 1 else 0):
            begin = piece * PAGE
            need(unit_check(sums[begin : min(begin + PAGE, lists[0])], piece) == u32(sums, lists[0] + 4 * piece), "a piece of page sums")
        records = [(s.offset, s.offset + s.length) for s in self.sections.values() if s.type == UNITS]
        for page in range(lists[0] // 4):
            begin, end = page * PAGE, (page + 1) * PAGE
            if not any(first <= begin and end <= last for first, last in records):
                need(unit_check(self.data[begin or HEADER : min(end, self.summed)], page) == u32(sums, 4 * page), "a page")

    def verify(self):
        """Compares what opening does not read."""
        at, checksum, leaves = HEADER, self.checksums, b""
        for section in self.sections.values():
            zero(self.data, at, section.offset)
            at = section.offset + section.length
            sums = self.data[checksum : checksum + 8 * section.chunks()]
            need(xxh3_64(sums) == section.checksum, "the checksums of a section")
            for chunk in range(section.offset, at, CHUNK):
                need(xxh3_64(self.data[chunk : min(chunk + CHUNK, at)]) == u64(self.data, checksum), "a chunk")
                checksum += 8
            if self.tree and section.type != LEAVES:
                lists = tree_lists(self.data[section.offset : at])
                need(hashlib.sha256(lists[-1]).digest() == section.hash, "the hash of a section")
                leaves += b"".join(lists) if section.chunks() > 1 else b""
        need(not leaves or leaves == self.section(LEAVES), "the leaves")
        zero(self.data, at, self.checksums)
        if (DIRECTORY, 0) in self.sections:
            self._verify_directory(self.section(DIRECTORY))
        if self.summed:
            self._verify_page_sums(self.section(PAGE_SUMS), self.sections[PAGE_SUMS, 0].list_check)
        self.metadata()
        if self.kind == STORE and self.records:
            self.records.verify(self)
        if self.kind == DICTIONARY or self.ordered:
            self.dictionary.verify()
            for number in range(self.n if self.hashed else 0):
                need(self.hashed_id(self.dictionary.key(number)) == number, "a hashed id")

    def attach(self, data):
        """Takes the data file of a store."""
        self.codec.require_decoder()
        self.records = Flat(data, self) if self.is_flat else Environment(data, self)


def bumped_of(data, at, count, n, rank):
    """The number of the bumped key that has a rank, by the begins of blocks and the ranks in them; None if there is none."""
    low = at + 8 * ((n >> 16) + 2)
    begin, end = (min(u64(data, at + 8 * ((rank >> 16) + i)), count) for i in (0, 1))
    return next((i for i in range(begin, end) if u16(data, low + 2 * i) == rank % 65536), None)


class PartRecords:
    """Sections 66 and 67 of each part, its notes, and section 115 (manifest.md)."""

    def __init__(self, sections, n, parts):
        def by_tag(kind):
            return {tag: data for (some, tag), data in sections.items() if some == kind}

        self.bumped, self.n = sections[BUMPED_RECORDS, 0], n
        self.count, self.end = u64(self.bumped, 8), u64(self.bumped, 16)
        need(u64(self.bumped, 0) == n and n - self.end <= self.count <= n >= self.end, "the number of bumped keys")
        self.at = 24 + 8 * ((n >> 16) + 2) + 2 * self.count
        need(len(self.bumped) == self.at + 16 * self.count, "the length of the bumped keys")
        self.notes, slots, units = by_tag(NOTES), by_tag(SLOTS), by_tag(UNITS)
        firsts = sorted(slots)
        need(all(part < parts for part in self.notes) and slots.keys() == units.keys(), "the sections of parts")
        need(firsts[:1] == ([0] if self.end else []) and all(first < self.end for first in firsts), "the first ranks of parts")
        self.runs = [
            (first, end, SlottedUnits(Slots(slots[first], end - first), units[first]))
            for first, end in zip(firsts, [*firsts[1:], self.end])
        ]

    def _find(self, rank):
        """The bumped key's number, the part's first rank, its units: of the first, or of the others."""
        first, _, units = next((run for run in self.runs if run[0] <= rank < run[1]), (0, 0, None))
        number = None
        if units is None or units.slots.has(rank - first, 0, 0):
            number = bumped_of(self.bumped, 24, self.count, self.n, rank)
        need(units is not None or number is not None, "a rank without a record")
        return number, first, units

    def has(self, rank, hi, lo):
        number, first, units = self._find(rank)
        return number is not None or units.slots.has(rank - first, hi, lo)

    def pair(self, rank, codec):
        number, first, units = self._find(rank)
        if number is None:
            return units.pair(rank - first, codec, True)
        begin, part = u64(self.bumped, self.at + 8 * number), u32(self.bumped, self.at + 8 * self.count + 4 * number)
        notes = self.notes.get(part, b"")
        key, at = varint(notes, begin)
        record, at = varint(notes, at)
        end = at + key + record
        need(end <= len(notes), "the record of a bumped key")
        check = u32(self.bumped, self.at + 12 * self.count + 4 * number)
        need(unit_check(notes[begin:end], rank) == check, "the check of a bumped key")
        return notes[at : at + key], notes[at + key : end]


class PartSignatures:
    """Sections 107, from their first ranks on, and 114 (manifest.md)."""

    def __init__(self, runs, bumped, n):
        self.runs, self.bumped = sorted(runs.items()), bumped
        self.w, self.n, self.count = u32(bumped, 0), u64(bumped, 8), u64(bumped, 16)
        need(self.w in (8, 16, 32) and self.n == n, "the signatures of parts")
        zero(bumped, 4, 8)
        self.low = 24 + 8 * ((n >> 16) + 2)
        need(len(bumped) == self.low + self.count * (2 + self.w // 8), "the length of the bumped keys")
        end = 0
        for first, data in self.runs:
            need(first == end and len(data) % (self.w // 8) == 0, "a run of signatures")
            end += len(data) * 8 // self.w
        need(end <= n, "a run of signatures")

    def _signature(self, rank):
        size = self.w // 8
        for first, data in self.runs:
            if first <= rank < first + len(data) // size:
                kept = le(data, (rank - first) * size, size)
                if kept:
                    return kept
        number = bumped_of(self.bumped, 24, self.count, self.n, rank)
        return 0 if number is None else le(self.bumped, self.low + 2 * self.count + number * size, size)

    def has(self, rank, _, lo):
        return self._signature(rank) == lo >> 64 - self.w


class Served(File):
    """A manifest with its parts (manifest.md)."""


    def __init__(self, manifest, folder):  # pylint: disable=super-init-not-called
        self.manifest, self.n, self.seed = manifest, manifest.n, manifest.seed
        self.function, self.value_type, self.scale = manifest.function, manifest.value_type, manifest.scale
        table = manifest.section(112)
        self.kind, parts, count = u32(table, 0), u64(table, 8), u64(table, 16)
        need(self.kind in (MPHF, FILTER, MAP, STORE) and 0 < parts <= len(table) // 48, "the manifest")
        need((self.value_type != 0) == (self.kind == MAP), "the type of values")
        zero(table, 4, 8)
        at = 24 + 48 * parts
        described = []
        for _ in range(count):
            runs = u64(table, at + 24)
            need(runs <= len(table) // 24, "runs")
            zero(table, at + 4, at + 8)
            described.append((u32(table, at), u64(table, at + 8), u64(table, at + 16), at + 32, runs))
            at += 32 + 24 * runs
        self.parts, names = [], set()
        for part in range(parts):
            entry = 24 + 48 * part
            length = u64(table, entry + 40)
            need(at + length <= len(table), "a name")
            name = table[at : at + length]
            at += length
            need(self.leads_below(name) and name not in names, "a name")
            names.add(name)
            self.parts.append(self._part(folder, name.decode("utf-8", "surrogateescape"), table, entry))
        need(at == len(table), "the length of the manifest")
        own = manifest.sections[113, 0]
        need(own.offset % PAGE == 0, "its own pages")
        sources = [None, manifest.section(113), *(part.data for part in self.parts)]
        self.sections = {}
        for kind, tag, length, at, runs in described:
            need((kind, tag) not in self.sections, "two sections of one type and tag")
            self.sections[kind, tag] = b"".join(self._pages(table, at + 24 * i, sources) for i in range(runs))
            need(ceil_div(length, PAGE) * PAGE == len(self.sections[kind, tag]), "the pages of a section")
            self.sections[kind, tag] = self.sections[kind, tag][:length]
        self._structures()
        if self.kind in (MPHF, STORE) and (114, 0) in self.sections:
            runs = {tag: data for (kind, tag), data in self.sections.items() if kind == 107}
            self.signatures = PartSignatures(runs, self.section(114), self.n)

    def _store(self):
        need({(CODEC, 0), (BUMPED_RECORDS, 0)} <= self.sections.keys(), "the sections of a store")
        self.codec = Codec(self.section(CODEC))
        self.codec.require_decoder()
        self.records = self.signatures = PartRecords(self.sections, self.n, len(self.parts))

    @staticmethod
    def leads_below(name):
        odd = any(byte < 0x20 or byte == ord("\\") for byte in name)
        return len(name) <= 4096 and not odd and all(some not in (b"", b".", b"..") for some in name.split(b"/"))

    def _part(self, folder, name, table, entry):
        path = folder / name
        need(path.exists(), f"{name} is missing")
        part = File(path.read_bytes())
        need(part.kind == PART, f"{name} is no part")
        need(part.data[96:112] == self.manifest.data[96:112], f"{name} belongs to another build")
        need(part.tree or not self.manifest.tree, f"{name} has no hash tree")
        is_same = bytes.fromhex(part.digest()) == table[entry : entry + 32] and len(part.data) == u64(table, entry + 32)
        need(is_same, f"{name} is not the part that the manifest was made of")
        return part

    def _pages(self, table, run, sources):
        source, first, pages = u32(table, run), u64(table, run + 8), u64(table, run + 16)
        zero(table, run + 4, run + 8)
        need(source < len(sources) and pages > 0, "a run")
        if source == 0:
            need(first == 0 and pages <= 64, "a run of zeros")
            return bytes(pages * PAGE)
        need((first + pages) * PAGE <= len(sources[source]), "pages that are in no file")
        return sources[source][first * PAGE : (first + pages) * PAGE]

    def section(self, kind, tag=0):
        return self.sections[kind, 0]

    def digest(self):
        return self.manifest.digest()

    def verify(self):
        self.manifest.verify()
        for part in self.parts:
            part.verify()
        self.metadata()
        for rank in range(self.n if self.kind == STORE else 0):
            need(self.rank(self.records.pair(rank, self.codec)[0]) == rank, "a key at another's rank")


def open(path):  # pylint: disable=redefined-builtin
    """The file of that path (a manifest with its parts, a chain with its base and deltas), or the store of that directory,
    which nobody changes meanwhile."""
    path = pathlib.Path(path)
    if not path.is_dir():
        file = File(path.read_bytes())
        if file.kind == CHAIN:
            base = path.parent / file.links.files[0][2].decode("utf-8", "surrogateescape")
            kind = File(base.read_bytes()).kind if base.exists() else None
            return {ROWS: LinkedRows, FILTER_SET: LinkedFilterSets}.get(kind, Linked)(file, path.parent)
        return Served(file, path.parent) if file.kind == MANIFEST else file
    file = File((path / "index.crv").read_bytes())
    need(file.kind == STORE, "the index of a directory is no store's")
    generation = file.digest()[:16]
    file.attach((path / f"data-{generation}.{'crv' if file.is_flat else 'mdb'}").read_bytes())
    updates = path / f"updates-{generation}.log"
    if updates.exists():
        file.records = Updated(file.records, updates.read_bytes())
    return file


# Signatures ---------------------------------------------------------------------------------------------------------

# Ed25519 (RFC 8032): points (x, y, 1, xy) times any number, on -x^2 + y^2 = 1 + D x^2 y^2 modulo PRIME.
PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, PRIME) % PRIME


def _add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % PRIME, (p[1] + p[0]) * (q[1] + q[0]) % PRIME
    c, d = 2 * p[3] * q[3] * D % PRIME, 2 * p[2] * q[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _times(number, p):
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = _add(total, p)
        p, number = _add(p, p), number >> 1
    return total


def _point(data):
    """The point of 32 bytes; None for none."""
    number = int.from_bytes(data, "little")
    y, odd = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if y >= PRIME or (x * x - square) % PRIME or (x == 0 and odd):
        return None
    x = x if x & 1 == odd else PRIME - x
    return x, y, 1, x * y % PRIME


BASE_POINT = _point((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))


def is_signed(message, signature, key):
    """Whether the owner of a key of 32 bytes signed the message."""
    owner, r, s = _point(key), _point(signature[:32]), int.from_bytes(signature[32:], "little")
    if owner is None or r is None or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left, right = _times(s, BASE_POINT), _add(r, _times(k, owner))
    return all((left[i] * right[2] - right[i] * left[2]) % PRIME == 0 for i in (0, 1))


def from_base64(text, size):
    """The bytes that are so written, and not in another way."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    need(len(data) == size and base64.b64encode(data) == text, "the base64")
    return data


def public_key(line):
    """(number, key) of the line of a public key."""
    data = from_base64(line.encode(), 42)
    need(data[:2] == b"Ed", "the algorithm of a key")
    owner = _point(data[10:])
    need(owner is not None and _times(8, owner)[0] % PRIME, "a key of small order, by which anybody can sign")
    return data[2:10], data[10:]


FIELDS = {
    "root": "[0-9a-f]{64}", "records": "[0-9a-f]{64}", "bytes": "0|[1-9][0-9]{0,19}", "sequence": "0|[1-9][0-9]{0,19}",
    "expires": r"[0-9]{4}(?:-[0-9]{2}){2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?Z)?",
}  # fmt: skip


def statement(comment):
    """The fields of a trusted comment; None if it is not one of Crivo's."""
    if not comment.startswith(b"crivo "):
        return None
    version, *words = comment.decode("latin-1").split(" ")[1:]
    know(version == "1", "the version of the comment")
    fields = {}
    for word in words:
        name, _, value = word.partition("=")
        know(name in FIELDS, "a field of the comment")
        need(name not in fields and re.fullmatch(FIELDS[name], value), "the " + name)
        fields[name] = value
    need(all(int(fields.get(name, 0)) <= MASK for name in ("bytes", "sequence")), "a number of the comment")
    need("bytes" in fields, "the length in the comment")
    return fields


def time_of(text):
    """A time of the field `expires`."""
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%MZ", "%Y-%m-%d"):
        try:
            return datetime.datetime.strptime(text, form).replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            pass
    raise Refused("corrupt", "the time in the comment")


def check_signature(path, keys, now=None, minimum_sequence=0, is_newest=True):
    """What the owner of one of the `keys`, as public_key() has them, said of the file: (its BLAKE2b-512 is signed by this key,
    the fields of the comment or None). Expiry and sequence are none unless `is_newest`: another signature says how new it is."""
    path = pathlib.Path(f"{path}.minisig")
    need(path.exists(), "there is no signature")
    lines = path.read_bytes().split(b"\n")
    need(len(lines) == 5 and lines[4] == b"", "the lines of the signature")
    untrusted, first, trusted, second = (line[:-1] if line.endswith(b"\r") else line for line in lines[:4])
    need(untrusted.startswith(b"untrusted comment: ") and trusted.startswith(b"trusted comment: "), "the comments")
    comment = trusted[len(b"trusted comment: ") :]
    need(len(comment) <= 8192, "the length of the comment")
    data, second = from_base64(first, 74), from_base64(second, 64)
    need(data[:2] != b"Ed", "a legacy signature (Ed)")
    need(data[:2] == b"ED", "the algorithm of the signature")
    named = [key for number, key in keys if number == data[2:10]]
    need(named, "a signature by a key that is not trusted")
    owners = [key for key in named if is_signed(data[10:] + comment, second, key)]
    need(owners, "the signature of the comment")
    fields = statement(comment)
    if not is_newest:
        return (lambda hashed: is_signed(hashed, data[10:], owners[0])), fields
    now = now or datetime.datetime.now(datetime.timezone.utc)
    need(not fields or "expires" not in fields or now < time_of(fields["expires"]), "it expired")
    need(int((fields or {}).get("sequence", 0)) >= minimum_sequence, "it is too old")
    return (lambda hashed: is_signed(hashed, data[10:], owners[0])), fields


def check_signed(said, opened):
    """What check_signature() returned, against the length and the root of the file, or all of its bytes."""
    is_hash, fields = said
    data = getattr(opened, "manifest", opened).data
    need(fields is None or len(data) == int(fields["bytes"]), "the length")
    if fields and "root" in fields:
        need(opened.digest() == fields["root"], "the root")
        need(data[112:116] == bytes([1, 0, 0, 0]), "a root, and no hash tree")
    else:
        need(is_hash(hashlib.blake2b(data).digest()), "the signature of the file")


def check_chain(path, chain, keys, *age):
    """The signature of a chain, where one lies beside it, is of all its files; without one each must be signed, and the last
    one says how new the chain is."""
    is_whole = pathlib.Path(f"{path}.minisig").exists()
    if is_whole:
        check_signed(check_signature(path, keys, *age), chain.chain)
    for number, (file, (_, _, name)) in enumerate(zip(chain.files, chain.chain.links.files), 1):
        of = path.parent / name.decode("utf-8", "surrogateescape")
        if is_whole and not pathlib.Path(f"{of}.minisig").exists():
            need(file.data[112:116] == bytes([1, 0, 0, 0]), "no hash tree, by which the chain's signature would cover it")
        else:
            is_newest = not is_whole and number == len(chain.files)
            check_signed(check_signature(of, keys, *age, is_newest=is_newest), file)


def open_signed(path, keys, now=None, minimum_sequence=0):
    """open() of what the owner of one of the keys signed, verified to its last byte. `keys` are lines in base64. Of a chain
    it is the chain itself, or else the base and the deltas."""
    path, keys = pathlib.Path(path), [public_key(key) for key in keys]
    opened = open(path) if path.is_file() and path.read_bytes()[52:56] == bytes([CHAIN, 0, 0, 0]) else None
    if opened is not None:
        check_chain(path, opened, keys, now, minimum_sequence)
        opened.verify()
        return opened
    said = check_signature(path / "index.crv" if path.is_dir() else path, keys, now, minimum_sequence)
    opened = open(path)
    check_signed(said, opened)
    if path.is_dir():
        fields = said[1]
        if not isinstance(opened.records, Flat):
            raise Refused("unsupported", "a store whose records no signature covers")
        need(fields and opened.records.file.digest() == fields.get("records"), "the root of the records")
    opened.verify()
    return opened


def asked_key(file, text):
    """The key that a text stands for: itself, or where keys are numbers (rows.md) the 8 bytes of its own."""
    layers = [file.chain, *file.files] if isinstance(file, LinkedLayers) else [file]
    if not any(layer.metadata().get(b"crivo.fixed") == b"8" for layer in layers):
        return text
    if not re.fullmatch(rb"-?[0-9]+", text) or not -(2**63) <= int(text) < 2**64:
        raise ValueError(f"{text.decode(errors='backslashreplace')}: is no 64-bit number, as the keys of the file are")
    return (int(text) % 2**64).to_bytes(8, "little")


def answer_line(answer):
    """What `crivo query` prints behind the key; of a filter set or of rows in its first line."""
    if isinstance(answer, list):
        answer = answer[0]
    if answer is None:
        return b"-"
    if isinstance(answer, decimal.Decimal):
        return f"{answer:f}".encode()
    if isinstance(answer, tuple):
        return b"\t".join(map(answer_line, answer))
    return b"maybe" if answer is True else answer if isinstance(answer, bytes) else b"%d" % answer


def main(args):
    keys = None
    if args[:1] == ["--public-key"]:
        keys, args = args[1:2], args[2:]
    if len(args) not in (1, 2):
        sys.exit(__doc__)
    try:
        file = open(args[0]) if keys is None else open_signed(args[0], keys)
        file.verify()
        if len(args) == 1:
            print(file.digest())
            return
        with builtins.open(0 if args[1] == "-" else args[1], "rb") as keys:
            for line in keys:
                key = line.rstrip(b"\n")
                found = file.lookup(asked_key(file, key))
                for answer in found if isinstance(found, list) else [found]:  # the groups of a filter set, or rows, a line each
                    sys.stdout.buffer.write(key + b"\t" + answer_line(answer) + b"\n")
    except (Refused, ValueError) as refused:
        sys.exit(f"reader.py: {args[0]}: {refused}")


if __name__ == "__main__":
    main(sys.argv[1:])
