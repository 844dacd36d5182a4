# SPDX-License-Identifier: Apache-2.0
"""Golden files that were changed and whose checksums and hashes fit again, so that every reader gets to see the change."""

import hashlib
import random
import struct
import sys
from dataclasses import dataclass, field, replace

import golden

sys.path.insert(0, str(golden.FORMATS))
import reader

HEADER, ENTRY, FOOTER, CHUNK, PIECE = 192, 96, 40, 65_536, 4096
LEAVES, NOBODYS = 2, 0x80000002  # types of sections
LONGEST = 5600  # of the golden files that are changed: their checksums are computed in Python
TYPES = (1, 2, 3, *range(16, 22), *range(32, 40), 48, 49, 50, 64, 65, 66, 67, 72, 96, 98, 104, 112, 114, 127)
STRUCTURES = (range(16, 22), range(32, 40), (33, 48, 49, 50), (64, 66))  # of which a file has one
NUMBERS = (0, 1, 2, 7, 8, 63, 64, 65, 255, 2**16, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1)


@dataclass
class Section:
    data: bytes
    type: int
    flags: int = 0
    alignment: int = 64
    spare: int = 0
    tag: int = 0
    reserved: int = 0
    unused: int = 0
    hash: bytes = None  # the right one

    def lists(self):
        """Of the hash tree, from the leaves on."""
        lists = [hashes(self.data)]
        while len(lists[-1]) > PIECE:
            lists.append(hashes(lists[-1], PIECE))
        return lists


def chunks_of(data, unit=CHUNK):
    return [data[at : at + unit] for at in range(0, len(data), unit)]


def hashes(data, unit=CHUNK):
    return b"".join(hashlib.sha256(chunk).digest() for chunk in chunks_of(data, unit))


@dataclass
class Parts:
    """A file's header and footer, of which lengths and checksums are computed, and its sections but the leaves."""

    header: bytearray
    sections: list = field(default_factory=list)
    footer: bytearray = field(default_factory=lambda: bytearray(16))
    adds_leaves: bool = True

    @staticmethod
    def of(data):
        count = reader.u32(data, 48)
        sections = []
        for at in range(len(data) - FOOTER - ENTRY * count, len(data) - FOOTER, ENTRY):
            kind, flags, begin, length, alignment, spare, _, tag, reserved, unused = struct.unpack_from("<2I2Q2I4Q", data, at)
            if kind == LEAVES:
                continue
            sections.append(Section(data[begin : begin + length], kind, flags, alignment, spare, tag, reserved, unused))
        return Parts(bytearray(data[:HEADER]), sections, bytearray(data[-FOOTER:][:16]))

    def leaves(self):
        """Section 2; none where no section has several chunks."""
        several = [section for section in self.sections if section.type != LEAVES and len(section.data) > CHUNK]
        return [Section(b"".join(b"".join(section.lists()) for section in several), LEAVES)] if several else []

    def sealed(self):
        has_tree = any(self.header[112:116])
        body, sums, table = bytearray(), b"", b""
        sections = self.sections + (self.leaves() if has_tree and self.adds_leaves else [])
        for section in sections:
            unit = section.alignment if section.alignment in (64, 4096) else 64
            body += bytes(-(HEADER + len(body)) % unit)
            own = b"".join(struct.pack("<Q", reader.xxh3_64(chunk)) for chunk in chunks_of(section.data))
            table += struct.pack(
                "<2I2Q2I4Q",
                section.type,
                section.flags,
                HEADER + len(body),
                len(section.data),
                section.alignment,
                section.spare,
                reader.xxh3_64(own),
                section.tag,
                section.reserved,
                section.unused,
            )
            right = hashlib.sha256(section.lists()[-1]).digest() if has_tree and section.type != LEAVES else bytes(32)
            table += right if section.hash is None else section.hash
            body += section.data
            sums += own
        body += bytes(-len(body) % 64) + sums
        length = HEADER + len(body) + len(table) + FOOTER
        header = self.header
        struct.pack_into("<QQI", header, 32, length, HEADER + len(body), len(sections))
        sealed = bytes(header[:184]) + table + bytes(self.footer)
        check = struct.pack("<Q", reader.xxh3_64(sealed))
        header[184:] = check
        inverted = bytes(byte ^ 0xFF for byte in header[:8])
        return bytes(header + body) + table + bytes(self.footer) + struct.pack("<Q", length) + check + inverted


def write_part_without_tree(folder):
    """A manifest with a hash tree, of a part that has none; returns its path."""
    served = golden.GOLDEN / "served"
    part = Parts.of((served / "part-0.crv").read_bytes())
    struct.pack_into("<I", part.header, 112, 0)
    sealed = part.sealed()
    (folder / "part-0.crv").write_bytes(sealed)
    (folder / "part-1.crv").write_bytes((served / "part-1.crv").read_bytes())
    manifest = Parts.of((served / "manifest.crv").read_bytes())
    table = next(section for section in manifest.sections if section.type == 112)
    digest = bytes.fromhex(reader.File(sealed).digest())
    table.data = table.data[:24] + digest + struct.pack("<Q", len(sealed)) + table.data[64:]
    (folder / "manifest.crv").write_bytes(manifest.sealed())
    return folder / "manifest.crv"


def put(data, at, byte):
    """The same bytes, but for that one."""
    data = bytearray(data)
    data[at] = byte
    return bytes(data)


def changed(name, kind, change, what):
    """A golden file with one section as change() makes it."""
    path = golden.GOLDEN / f"{name}.crv"
    parts = Parts.of(path.read_bytes())
    section = next(section for section in parts.sections if section.type == kind)
    section.data = change(section.data)
    return path, what, parts.sealed()


def chosen():
    """Mutants of which readers have said different things, and that are drawn too seldom."""
    path = golden.GOLDEN / "cuckoo-0.crv"
    parts = Parts.of(path.read_bytes())
    data = parts.sections[0].data
    parts.sections[0].data = data[:64] + b"\xff" + data[65:]
    yield path, "a slot in use of a filter of no keys", parts.sealed()
    path = golden.GOLDEN / "mphf-300.crv"
    parts = Parts.of(path.read_bytes())
    struct.pack_into("<I", parts.header, 72, 3)
    yield path, "hash function 3, of another MPHF", parts.sealed()
    for name, kind, at in (
        ("hash-compaction-3000", 38, -17),
        ("cuckoo-3000-semi-sorted", 37, -33),
        ("map-1000-mwhc2", 50, -17),
        ("map-1000-mwhc2", 50, -1),
    ):
        yield changed(name, kind, lambda data, at=at: put(data, at, data[at] ^ 0x80), "a bit after the last field")
    for name in ("store-500", "store-500-flat"):
        path = golden.GOLDEN / name / "index.crv"
        parts = Parts.of(path.read_bytes())
        codec = next(section for section in parts.sections if section.type == 65)
        body = struct.pack("<Q", reader.u64(codec.data, 16) + 1) + codec.data[24:]
        codec.data = codec.data[:8] + struct.pack("<Q", reader.xxh3_64(body)) + body
        yield path, "a longer longest unit, so the records' content id is another", parts.sealed()
    parts = Parts.of(path.read_bytes())
    slots = next(section for section in parts.sections if section.type == 66)
    slots.data = slots.data[:-1] + b"\1"
    yield path, "the fingerprint of a slot without a record", parts.sealed()
    yield changed("store-500-ordered/index", 83, lambda data: put(data, 76, 255), "where a tail of a node ends")
    yield changed("dictionary-1000", 83, lambda data: put(data, 51, 255), "where a rest of a node ends")
    yield changed("exact-500", 72, lambda data: b"", "no groups")
    yield changed("exact-500", reader.METADATA, lambda data: data.replace(b"1:20", b"1:2/"), "what it covers")
    path = golden.GOLDEN / "rows-1000.crv"
    parts = Parts.of(path.read_bytes())
    struct.pack_into("<H", parts.header, 76, 1)
    yield path, "the type of values that there are not", parts.sealed()
    yield changed("rows-1000", 128, lambda data: put(data, data.index(b".parquet"), 255), "a name that is no UTF-8")
    yield changed("rows-0", 32, lambda data: put(data, 0, 1), "signatures of one bit")
    yield changed("range-0", 39, lambda data: put(data, 68, 255), "keys longer than numbers are in no set")


class Mutator:
    """Draws the same mutants for the same seed."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        paths = [path for path in golden.containers() if path.parent == golden.GOLDEN]
        paths += [store / "index.crv" for store in golden.stores()]
        self.files = [(path, Parts.of(path.read_bytes())) for path in paths if path.stat().st_size <= LONGEST or path.name == "index.crv"]
        self.spares = [section for _, parts in self.files for section in parts.sections if len(section.data) < 2048]

    def mutants(self, count):
        """(path of the golden file, what was done, bytes)"""
        for i in range(count):
            path, parts = self.files[i % len(self.files)]
            parts = Parts(bytearray(parts.header), [replace(section) for section in parts.sections], bytearray(parts.footer))
            changes = (self.header, self.entry, self.sections, self.head, self.head, self.body) * 3
            change = self.rng.choice((*changes, self.hash, self.leaves))
            done = change(parts)
            yield path, done, parts.sealed()

    def number(self, old, size):
        """Another number of so many bytes."""
        new = self.rng.choice((old + 1, old - 1, old ^ 1 << self.rng.randrange(8 * size), self.rng.choice(NUMBERS)))
        return new % (1 << 8 * size)

    def field(self, data, at, size):
        """Changes a number in place, where there are so many bytes."""
        size = min(size, len(data) - at)
        old = int.from_bytes(data[at : at + size], "little")
        new = self.number(old, size)
        data[at : at + size] = new.to_bytes(size, "little")
        return f"{old} -> {new} in {size} bytes at {at}"

    def header(self, parts):
        fields = ((8, 2), (10, 2), (12, 4), (16, 8), (24, 8), (52, 4), (56, 8), (64, 8), (72, 4), (76, 2), (78, 2), (80, 8))
        at, size = self.rng.choice((*fields, (112, 4), (116, 8), (144, 8), (152, 8), (176, 8)))
        if self.rng.random() < 0.1:
            return "footer: " + self.field(parts.footer, self.rng.choice((0, 8)), 8)
        return "header: " + self.field(parts.header, at, size)

    def entry(self, parts):
        section = self.rng.choice(parts.sections)
        name, size = self.rng.choice(
            (("type", 4), ("type", 4), ("flags", 4), ("alignment", 4), ("spare", 4), ("tag", 8), ("reserved", 8), ("unused", 8))
        )
        old = getattr(section, name)
        new = self.rng.choice(TYPES) if name == "type" and self.rng.random() < 0.7 else self.number(old, size)
        if name == "alignment" and self.rng.random() < 0.5:
            new = 4096
        setattr(section, name, new)
        return f"section {section.type}: {name} {old} -> {new}"

    def hash(self, parts):
        section = self.rng.choice(parts.sections)
        section.hash = self.rng.choice((bytes(32), self.rng.randbytes(32)))
        if self.rng.random() < 0.5:
            parts.header[112:116] = bytes(4)
        return f"section {section.type}: hash {section.hash.hex()}, hash tree {parts.header[112]}"

    def leaves(self, parts):
        """A section of several chunks, and its leaves, right or not."""
        several = Section(bytes(self.rng.choice((CHUNK + 1, 2 * CHUNK + 64))), NOBODYS)
        parts.sections.insert(self.rng.randrange(len(parts.sections) + 1), several)
        what = self.rng.choice(("right", "first", "missing", "cut", "longer", "changed", "tag", "hash", "twice"))
        (leaves,) = parts.leaves()
        parts.adds_leaves = False
        if what == "cut":
            leaves.data = leaves.data[: self.rng.choice((0, 32, -1))]
        elif what == "longer":
            leaves.data += bytes(self.rng.choice((1, 32)))
        elif what == "changed":
            at = self.rng.randrange(len(leaves.data))
            leaves.data = leaves.data[:at] + bytes((leaves.data[at] ^ 1,)) + leaves.data[at + 1 :]
        elif what == "tag":
            leaves.tag = 1
        elif what == "hash":
            leaves.hash = hashlib.sha256(leaves.data).digest()
        elif what == "twice":
            parts.sections.append(replace(leaves, tag=1))
        if what != "missing":
            parts.sections.insert(0 if what == "first" else len(parts.sections), leaves)
        return f"leaves: {what}"

    def sections(self, parts):
        """One more, one less, or in another order."""
        at = self.rng.randrange(len(parts.sections))
        what = self.rng.choice(("two structures", "two structures", "another's", "removed", "order", "empty", "cut", "longer"))
        section = parts.sections[at]
        if what == "two structures":
            own = [types for types in STRUCTURES if any(other.type in types for other in parts.sections)]
            kind = self.rng.choice(self.rng.choice(own or [TYPES]))
            like = [spare for spare in self.spares if spare.type == kind] or [section]
            parts.sections.insert(at, replace(self.rng.choice(like), type=kind))
        elif what == "another's":
            parts.sections.insert(at, replace(self.rng.choice(self.spares)))
        elif what == "removed":
            del parts.sections[at]
        elif what == "order":
            self.rng.shuffle(parts.sections)
        elif what == "empty":
            section.data = b""
        elif what == "cut":
            section.data = section.data[: self.rng.choice((-1, -8, -64, self.rng.randrange(len(section.data) + 1)))]
        else:
            section.data += bytes(self.rng.choice((1, 8, 64)))
        return f"sections: {what} at {at}: {[section.type for section in parts.sections]}"

    def head(self, parts):
        """A field of the front of a section."""
        return self.bytes_of(parts, 88)

    def body(self, parts):
        return self.bytes_of(parts, 10**9)

    def bytes_of(self, parts, most):
        section = self.rng.choice([section for section in parts.sections if section.data])
        data = bytearray(section.data)
        size = self.rng.choice((1, 1, 2, 4, 8))
        at = self.rng.randrange(min(len(data), most)) // size * size
        done = self.field(data, at, size)
        section.data = bytes(data)
        return f"section {section.type}: {done}"
