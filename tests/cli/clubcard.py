# SPDX-License-Identifier: Apache-2.0
"""Reads clubcards: after C2SP's upki-revocation (version 4, and version 1 of its index) and Schanck's paper alone."""

import hashlib
import struct


class Clubcard:
    """What a file has; `revoked(issuer, serial)` is None for an issuer that is not enrolled."""

    def __init__(self, data):
        self._data, self._at = data, 0
        if self._take(2) != b"\x04\x00":
            raise ValueError("not version 4")
        self.coverage = {self._take(32): self._fields(">QQ") for _ in range(self._fields(">H")[0])}
        self.blocks = {}
        for _ in range(self._fields(">I")[0]):
            issuer, shape = self._take(32), self._fields(">IBIIIB")
            exceptions = [self._take(self._take(1)[0]) for _ in range(self._fields(">H")[0])]
            if self.blocks and issuer <= max(self.blocks):
                raise ValueError("issuers are not in order")
            self.blocks[issuer] = (*shape, exceptions)
        self.columns = [self._column() for _ in range(self._take(1)[0])]
        self.exact = self._column()
        if self._at != len(data):
            raise ValueError("trailing bytes")

    def _take(self, size):
        piece = self._data[self._at : self._at + size]
        if len(piece) != size:
            raise ValueError("cut short")
        self._at += size
        return piece

    def _fields(self, form):
        return struct.unpack(form, self._take(struct.calcsize(form)))

    def _column(self):
        """A number whose bit i is that of row i."""
        words = self._take(8 * self._fields(">I")[0])
        return int.from_bytes(b"".join(words[i : i + 8][::-1] for i in range(0, len(words), 8)), "little")

    def covers(self, log, time):
        low, high = self.coverage.get(log, (1, 0))
        return low <= time <= high

    def revoked(self, issuer, serial):
        if issuer not in self.blocks:
            return None
        rows, rank, offset, exact_rows, exact_offset, inverted, exceptions = self.blocks[issuer]
        digest = hashlib.sha256(issuer + serial).digest()
        equation = int.from_bytes(digest, "little") | 1
        last = int.from_bytes(digest[24:], "little")

        def solves(column, row):
            return bin((column >> row) & equation & ((1 << 256) - 1)).count("1") % 2 == 0

        passes = (
            rows != 0
            and all(solves(column, offset + last % rows) for column in self.columns[:rank])
            and solves(self.exact, exact_offset + last % max(exact_rows, 1))
            and serial not in exceptions
        )
        return passes != bool(inverted)


def read_index(data):
    """The clubcards' names, and for each log its (name, low, high)."""
    magic, names, logs = struct.unpack_from(">8sHI", data)
    if magic != b"upkiidx1":
        raise ValueError("not version 1")
    all_names = [data[14 + 32 * i : 46 + 32 * i].rstrip(b"\0").decode() for i in range(names)]
    found = {}
    for i in range(logs):
        log, offset, count = struct.unpack_from(">32sQH", data, 14 + 32 * names + 42 * i)
        entries = [struct.unpack_from(">HQQ", data, offset + 18 * j) for j in range(count)]
        found[log] = [(all_names[number], low, high) for number, low, high in entries]
    return all_names, found
