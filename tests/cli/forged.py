# SPDX-License-Identifier: Apache-2.0
"""Files that are not what was signed: flips, cuts, swaps and splices of files, stores, chains, manifests and signatures, of
which the XXH3 sums fit. No reader may take one for signed."""

import ctypes
import hashlib
import pathlib
import random
import tempfile

import minisign


def xxh3(data, library=ctypes.CDLL("libxxhash.so.0")):
    library.XXH3_64bits.restype = ctypes.c_uint64
    return library.XXH3_64bits(data, ctypes.c_size_t(len(data)))


def mended(data, layout=None):
    """The bytes of a container with XXH3 sums that fit them, as formats/crivo-1.md has them; `layout` has their sections."""
    data, layout = bytearray(data), layout or data
    table = int.from_bytes(layout[40:48], "little")
    count = int.from_bytes(layout[48:52], "little")
    entries = [table + 96 * i for i in range(count)]
    lengths = [int.from_bytes(layout[entry + 16 : entry + 24], "little") for entry in entries]
    at = table - 8 * sum(-(-length // 65536) for length in lengths)
    for entry, length in zip(entries, lengths, strict=True):
        offset, first = int.from_bytes(layout[entry + 8 : entry + 16], "little"), at
        for begin in range(0, length, 65536):
            chunk = data[offset + begin : offset + min(begin + 65536, length)]
            data[at : at + 8], at = xxh3(bytes(chunk)).to_bytes(8, "little"), at + 8
        data[entry + 32 : entry + 40] = xxh3(bytes(data[first:at])).to_bytes(8, "little")
    checksum = xxh3(bytes(data[:184] + data[table:-24])).to_bytes(8, "little")
    data[184:192] = data[-16:-8] = checksum
    return bytes(data)


def accepted_signatures(key, data, root):
    """Of a file that the readers take, and its root."""
    good = b"crivo 1 root=%s bytes=%d" % (root, len(data))
    yield key.signature(data, good)
    yield key.signature(data, good).replace(b"\n", b"\r\n")  # as minisign writes it on Windows
    yield key.signature(b"", good)  # a root that is not the file's own, of a file that is: the root decides
    yield key.signature(data)
    yield key.signature(data, good + b" sequence=18446744073709551615 expires=2999-12-07T04:40:01Z")


def refused_signatures(key, data, root):
    """Pairs of a part of the sentence, by which every reader refuses it, and a signature of `file.crv`."""
    sign, size, other = key.signature, len(data), minisign.Key(2)
    good = b"crivo 1 root=%s bytes=%d" % (root, size)
    algorithm, key_id, first, _, second = minisign.parts(sign(data, good))
    cases = {
        "legacy signature (Ed)": (sign(data, good, legacy=True),),
        f"by key {other.id_text}, which is not trusted": (other.signature(data, good),),
        "the signature of its trusted comment is wrong": (
            minisign.Key(3, id_of=key).signature(data, good),
            minisign.minisig(algorithm, key_id, first, good + b" sequence=9", second),
            minisign.minisig(algorithm, key_id, first[:-1] + b"x", good, second),
        ),
        "expired at 2001-09-09T01:46:40Z": (sign(data, good + b" expires=2001-09-09T01:46:40Z"),),
        "is another file than": (
            sign(data, b"crivo 1 root=%s bytes=%d" % (b"0" * 64, size)),
            sign(data + b"x"),
            sign(data + b"x", b"crivo 1 bytes=%d" % size),
        ),
        "file.crv.minisig is of a file of": (sign(data, good + b"0"),),
        "does not know": (
            sign(data, b"crivo 2" + good[7:]),
            sign(data, good + b" name=x"),
            sign(data, good + b"  sequence=1"),
            sign(data, good + b" "),
        ),
        "has a comment with": (
            sign(data, good + b" bytes=%d" % size),
            sign(data, good.replace(root, root.upper())),
            sign(data, good + b" sequence=01"),
            sign(data, good + b" sequence=18446744073709551616"),
            sign(data, good + b" expires=2999-02-30"),
            sign(data, good + b" expires=2999-02-03T24:00Z"),
            sign(data, b"crivo 1"),
        ),
        "is not a signature of minisign": (
            b"", data, key.public_file, sign(data, good)[:-1], sign(data, good) + b"x",
            sign(data, good).replace(b"=\n", b"\n"), minisign.minisig(b"Xd", key_id, first, good, second),
        ),
        "too long": (sign(data, b"x" * 8193), sign(data, b"x" * 20000)),
    }  # fmt: skip
    for because, signatures in cases.items():
        for signature in signatures:
            yield because, signature


class Specimen:
    """What was signed: the bytes of each file of a directory, which is opened by `name`; `other` has another version, signed
    by the same key. The file of a chain itself may not be signed."""

    def __init__(self, name, files, other, share):
        self.name, self.files, self.other, self.share = name, files, other, share
        self.roles = [role for role in files if role != "chain.crv" or "chain.crv.minisig" in files]


class Forger:
    """Changes specimens, the same ways for the same seed."""

    def __init__(self, specimens, seed=30):
        self.specimens, self.rng = specimens, random.Random(seed)

    def forgeries(self, directory, count):
        """So many, one at a time: yields what was done and the path to open, at which it is until the next is asked for."""
        places = {specimen: pathlib.Path(directory) / str(number) for number, specimen in enumerate(self.specimens)}
        for specimen, place in places.items():
            for name, data in specimen.files.items():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(data)
        made = 0
        while made < count:
            (specimen,) = self.rng.choices(self.specimens, [each.share for each in self.specimens])
            role = self.rng.choice(specimen.roles)
            forged, what = self.change(role, specimen.files[role], specimen.other.get(role, b""))
            if self.says_the_same(role, forged, specimen.files[role]):
                continue
            path = places[specimen] / role
            self.replace(path, forged)
            made += 1
            yield f"{specimen.name}: {role}: {what}", places[specimen] / specimen.name
            self.replace(path, specimen.files[role])

    @staticmethod
    def replace(path, data):
        path.unlink()  # a reader may have the old one mapped
        path.write_bytes(data)

    @staticmethod
    def says_the_same(role, forged, data):
        """The first line of a signature is not signed, and lines may end with CR LF."""
        if not role.endswith(".minisig"):
            return forged == data
        first, _, rest = forged.partition(b"\n")
        return first.startswith(b"untrusted comment: ") and rest.replace(b"\r\n", b"\n") == data.partition(b"\n")[2]

    def change(self, role, data, other):
        rng = self.rng
        at, length = rng.randrange(len(data)), 1 + rng.randrange(24)
        to = rng.randrange(len(data))
        done, what = rng.choice((
            (data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :], f"a bit of byte {at}"),
            (data[:at], f"cut at {at}"),
            (data[:at] + data[at + length :], f"{length} bytes from {at} left out"),
            (data[:at] + rng.randbytes(length) + data[at:], f"{length} bytes inserted at {at}"),
            (self.swapped(data, at, to, length), f"{length} bytes at {at} and {to} swapped"),
            (data[:at] + other[at : at + length] + data[at + length :], f"{length} bytes at {at} of another"),
            (data[:at] + other[at:], f"another's from {at} on"),
            (other, "another's"),
        ))  # fmt: skip
        if role.endswith(".crv") and rng.random() < 0.6:
            try:
                return mended(done.ljust(len(data), b"\0")[: len(data)] if rng.random() < 0.5 else done, data), what + ", mended"
            except (IndexError, ValueError):
                pass
        return done, what

    @staticmethod
    def swapped(data, one, two, length):
        data, length = bytearray(data), min(length, len(data) - one, len(data) - two)
        data[one : one + length], data[two : two + length] = data[two : two + length], data[one : one + length]
        return bytes(data)


def header_table_footer(data):
    return data[:192] + data[int.from_bytes(data[40:48], "little") :]


class Maker:
    """Builds specimens; `run` is told the arguments of crivo."""

    def __init__(self, directory, run):
        self.directory, self.run, self.key = pathlib.Path(directory), run, minisign.Key(1)

    def sign(self, path, records=None):
        data, named = path.read_bytes(), b""
        if records is not None:
            named = b" records=" + hashlib.sha256(header_table_footer(records)).hexdigest().encode()
        root = hashlib.sha256(header_table_footer(data)).hexdigest().encode()
        comment = b"crivo 1 root=%s%s bytes=%d sequence=5" % (root, named, len(data))
        path.with_name(path.name + ".minisig").write_bytes(self.key.signature(data, comment))

    @staticmethod
    def write(path, lines):
        path.write_bytes(b"".join(line + b"\n" for line in lines))

    def filter(self, folder, count, *options):
        self.write(folder / "keys.txt", [b"key %d" % i for i in range(count)])
        self.run("build", "filter", folder / "keys.txt", "-o", folder / "file.crv", "-q", *options)
        self.sign(folder / "file.crv")
        return "file.crv"

    def store(self, folder, count):
        self.write(folder / "keys.txt", [b"key %d\trecord %d" % (i, i) for i in range(count)])
        store = folder / "store"
        self.run("build", "store", folder / "keys.txt", "-o", store, "--backend", "flat", "-q")
        (records,) = store.glob("data-*")
        self.sign(store / "index.crv", records.read_bytes())
        return "store"

    def chain(self, folder, step, signed=("set.crv", "1.crv", "2.crv")):
        universe = [b"key %d" % i for i in range(600)]
        self.write(folder / "universe.txt", universe)
        self.write(folder / "members.txt", universe[::step])
        inputs = ("--members", folder / "members.txt", "--universe", folder / "universe.txt")
        self.run("build", "exact", *inputs, "-o", folder / "set.crv", "-q")
        for delta, before, output in (("1.crv", "set.crv", ("-o", folder / "chain.crv")), ("2.crv", "chain.crv", ())):
            self.write(folder / "members.txt", universe[int(delta[0]) :: step])
            self.run("diff", folder / before, *inputs, "-o", folder / delta, "-q")
            self.run("apply", folder / before, folder / delta, *output, "-q")
        for name in signed:
            self.sign(folder / name)
        return "chain.crv"

    def signed_chain(self, folder, step):
        return self.chain(folder, step, ("chain.crv",))

    def manifest(self, folder, count):
        self.write(folder / "keys.txt", [b"key %d" % i for i in range(count)])
        with tempfile.TemporaryDirectory() as dealt:
            self.run("partition", folder / "keys.txt", "--shards", "2", "-o", f"{dealt}/keys", "-q")
            parts = [folder / f"part-{i}.crv" for i in range(2)]
            for i, part in enumerate(parts):
                self.run("build", "filter", f"{dealt}/keys", "--shard", f"{i}/2", "-o", part, "-q")
        self.run("manifest", *parts, "-o", folder / "manifest.crv", "-q")
        self.sign(folder / "manifest.crv")
        return "manifest.crv"

    def specimens(self):
        """A small filter, one with leaves and a directory, a flat store, a chain whose files are signed, one that is signed itself, and a
        manifest, each in two versions."""
        kinds = ((self.filter, (40,), (41,), 10), (self.filter, (20500, "--bits", 28), (20501, "--bits", 28), 1),
                 (self.store, (30,), (31,), 10), (self.chain, (20,), (21,), 10),
                 (self.signed_chain, (20,), (21,), 10), (self.manifest, (60,), (61,), 5))  # fmt: skip
        for make, first, second, share in kinds:
            versions = []
            for arguments in (first, second):
                folder = self.directory / f"{make.__name__}-{arguments[0]}"
                folder.mkdir(parents=True)
                name = make(folder, *arguments)
                files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".txt")
                versions.append({str(file.relative_to(folder)): file.read_bytes() for file in files})
            yield Specimen(name, *versions, share)
