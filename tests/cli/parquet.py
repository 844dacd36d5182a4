# SPDX-License-Identifier: Apache-2.0
"""Small Parquet files, written and read by no code of Crivo's: parquet.thrift's structures as dictionaries by field number."""

import struct
import zlib

INT32, INT64, DOUBLE, BYTE_ARRAY, FIXED = 1, 2, 5, 6, 7
PLAIN, RLE, RLE_DICTIONARY, DELTA_BYTE_ARRAY = 0, 3, 8, 7
CODECS = {"none": 0, "snappy": 1, "gzip": 2, "brotli": 4}
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def encode(kind, value):
    if kind in (I32, I64):
        return varint(value << 1 ^ value >> 63)
    if kind == BINARY:
        return varint(len(value)) + value
    if kind == LIST:
        of, values = value
        head = bytes([len(values) << 4 | of]) if len(values) < 15 else bytes([0xF0 | of]) + varint(len(values))
        return head + b"".join(encode(of, each) for each in values)
    return structure(value)


def structure(fields):
    """Of {number: (type, value)}; a value True or False is a flag."""
    out, before = b"", 0
    for number, field in sorted(fields.items()):
        kind, value = (1 if field else 2, None) if isinstance(field, bool) else field
        step = number - before
        out += bytes([step << 4 | kind]) if step < 16 else bytes([kind]) + varint(number << 1)
        out += b"" if value is None else encode(kind, value)
        before = number
    return out + b"\0"


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def value(self, kind):
        if kind in (4, I32, I64):
            n = self.varint()
            return n >> 1 ^ -(n & 1)
        if kind == BINARY:
            size = self.varint()
            self.at += size
            return self.data[self.at - size : self.at]
        if kind == LIST:
            head = self.byte()
            count = head >> 4 if head < 0xF0 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        if kind == STRUCT:
            return self.structure()
        raise ValueError(kind)

    def structure(self):
        fields, number = {}, 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.value(I32)
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self.value(kind)
        return fields


def footer(data):
    assert data[:4] == data[-4:] == b"PAR1"
    size = struct.unpack("<I", data[-8:-4])[0]
    return Reader(data[-8 - size : -8]).structure()


def filter_of(data, group, column):
    """The header and the blocks of a filter, or None."""
    meta = footer(data)[4][group][1][column][3]
    if 14 not in meta:
        return None
    reader = Reader(data, meta[14])
    header = reader.structure()
    blocks = data[reader.at : reader.at + header[1]]
    assert meta[15] == reader.at - meta[14] + header[1] == reader.at - meta[14] + len(blocks)
    return header, blocks


def snappy(data):
    """Literals, and copies of all three kinds where the data repeats itself."""
    out, at = varint(len(data)), 0
    while at < len(data):
        for back in (8, 300, 70_000):
            size = min(11, len(data) - at)
            if at >= back and size >= 4 and all(data[at + i] == data[at + i - back] for i in range(size)):
                if back < 2048:
                    out += bytes([1 | size - 4 << 2 | back >> 8 << 5, back & 255])
                elif back < 1 << 16:
                    out += bytes([2 | size - 1 << 2]) + struct.pack("<H", back)
                else:
                    out += bytes([3 | size - 1 << 2]) + struct.pack("<I", back)
                at += size
                break
        else:
            size = min(100 if at % 3 else 37, len(data) - at)
            out += (bytes([size - 1 << 2]) if size <= 60 else bytes([60 << 2, size - 1])) + data[at : at + size]
            at += size
    return out


def pack(codec, data):
    if codec == "gzip":
        packer = zlib.compressobj(wbits=31)
        return packer.compress(data) + packer.flush()
    return snappy(data) if codec == "snappy" else data


def plain(kind, values):
    if kind == BYTE_ARRAY:
        return b"".join(struct.pack("<I", len(value)) + value for value in values)
    return b"".join(values)


def page(kind, header, data, codec, before=b"", with_sum=True):
    """A page whose levels `before` the values are not compressed."""
    packed = before + pack(codec, data)
    fields = {1: (I32, kind), 2: (I32, len(before) + len(data)), 3: (I32, len(packed)), {0: 5, 2: 7, 3: 8}[kind]: (STRUCT, header)}
    if with_sum:
        crc = zlib.crc32(packed)
        fields[4] = (I32, crc - (crc >> 31 << 32))
    return structure(fields) + packed


def levels(values):
    """Whether each is there, as a run for each."""
    return b"".join(varint(1 << 1) + bytes([value is not None]) for value in values)


def chunk(kind, values, codec="none", optional=False, dictionary=False, version=1, page_values=100, encoding=PLAIN, decimal=False, lost=0):  # pylint: disable=unused-argument
    """The pages of a column: bytes of values, or None for nulls; and the size of the first, of a dictionary. Of those so many are lost."""
    out, first = b"", 0
    there = sorted({value for value in values if value is not None})
    if dictionary:
        out = page(2, {1: (I32, len(there)), 2: (I32, PLAIN)}, plain(kind, there[lost:]), codec)
        first = len(out)
    for at in range(0, len(values), page_values):
        some = values[at : at + page_values]
        marks = levels(some) if optional else b""
        data = b"\x08" + bytes(len(some)) if dictionary else plain(kind, [value for value in some if value is not None][lost:])
        how = RLE_DICTIONARY if dictionary else encoding
        if version == 1:
            if optional:
                data = struct.pack("<I", len(marks)) + marks + data
            out += page(0, {1: (I32, len(some)), 2: (I32, how), 3: (I32, RLE), 4: (I32, RLE)}, data, codec)
        else:
            nulls = some.count(None)
            out += page(3, {1: (I32, len(some)), 2: (I32, nulls), 3: (I32, len(some)), 4: (I32, how), 5: (I32, len(marks)), 6: (I32, 0),
                            7: codec != "none"}, data, codec, marks)  # fmt: skip
    return out, first


def write(columns, groups):
    """A file. columns: (name, type, width or 0, keywords of chunk()); groups: lists of values by column."""
    out, row_groups = b"PAR1", []
    for group in groups:
        chunks = []
        for (name, kind, _, how), values in zip(columns, group):
            pages, first = chunk(kind, values, **how)
            meta = {1: (I32, kind), 2: (LIST, (I32, [PLAIN])), 3: (LIST, (BINARY, [name.encode()])), 4: (I32, CODECS[how.get("codec", "none")]),
                    5: (I64, len(values)), 6: (I64, len(pages)), 7: (I64, len(pages)), 9: (I64, len(out) + first), 16: (STRUCT, {1: (I64, 7)})}  # fmt: skip
            if first:
                meta[11] = (I64, len(out))
            chunks.append({2: (I64, len(out)), 3: (STRUCT, meta)})
            out += pages
        row_groups.append({1: (LIST, (STRUCT, chunks)), 2: (I64, 1), 3: (I64, len(group[0]))})
    schema = [{4: (BINARY, b"root"), 5: (I32, len(columns))}]
    for name, kind, width, how in columns:
        element = {1: (I32, kind), 3: (I32, int(how.get("optional", False))), 4: (BINARY, name.encode())}
        if kind == BYTE_ARRAY:
            element[6] = (I32, 5 if how.get("decimal") else 0)  # DECIMAL or UTF8
        if width:
            element[2] = (I32, width)
        schema.append(element)
    tail = structure({1: (I32, 2), 2: (LIST, (STRUCT, schema)), 3: (I64, sum(len(group[0]) for group in groups)), 4: (LIST, (STRUCT, row_groups)),
                      6: (BINARY, b"a test")})  # fmt: skip
    return out + tail + struct.pack("<I", len(tail)) + b"PAR1"
