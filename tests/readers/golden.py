# SPDX-License-Identifier: Apache-2.0
"""The golden files of formats/golden, and damaged copies of them, for readers of the format."""

import pathlib
import random

FORMATS = pathlib.Path(__file__).resolve().parents[2] / "formats"
GOLDEN = FORMATS / "golden"
ABSENT = 200  # keys behind those of the set, which are asked for too
DAMAGED = 10_000


def manifest(path):
    """The entries of a manifest: a name, then indented lines of a field's name and its value."""
    for stanza in path.read_text().rstrip("\n").split("\n\n"):
        name, *fields = stanza.split("\n")
        yield name, dict(field.split(maxsplit=1) for field in fields)


def files():
    """(name, its entry of the manifest, the keys to ask for, the answers) of each golden file."""
    for name, entry in manifest(GOLDEN / "manifest.txt"):
        count, text = entry["keys"].split()[2:]
        asked = (GOLDEN / text).read_bytes().splitlines()[: int(count) + ABSENT]
        yield name, entry, asked, (GOLDEN / "answers" / f"{name}.txt").read_bytes().splitlines()


def forms(entry):
    """What the programs of tests/bindings are told of the keys: that they are numbers, as those of `crivo build rows --fixed 8`."""
    return ["numbers"] if "--fixed" in entry["command"] else []


def chain_keys():
    """(line, answer) of each key of the universe of the golden chains, and of one group that they lack."""
    words = (GOLDEN / "words.txt").read_bytes().splitlines()[:3000]
    for number, word in enumerate(words, 1):
        group = number % (9 if number > 2000 else 5)
        yield b"group%d\t%s" % (group, word), b"other" if number % 23 else b"member"
    yield b"group9\t" + words[0], b"outside"


UPDATED = ("tokens12", "zstd", "flat", "ordered")  # the last by zstd, too


def updated_records():
    """(key, record or None) of the golden stores that were updated."""
    words = (GOLDEN / "words.txt").read_bytes().splitlines()[: 2600 + ABSENT]
    for number, word in enumerate(words, 1):
        turns = [turn for turn in (7, 5, 3) if number % turn == 0]
        text = b"a word of turn %d, and its number is %d" % (turns[0], number) if turns else b"a word, and its number is %d" % number
        is_there = number <= 2000 or turns and number <= 2600  # those after 2000 were added
        yield word, text if is_there and number % 11 else None


def chain_files():
    """The bases, the deltas and the chains, of an exact set and of a filter; and the layers of an index of rows and a filter set."""
    return [path for folder in ("chain", "added", "layers", "groups") for path in sorted((GOLDEN / folder).iterdir())]


def added_keys():
    """The keys of the golden filter and of its deltas, and words that none has."""
    words, urls = ((GOLDEN / name).read_bytes().splitlines() for name in ("words.txt", "urls.txt"))
    return words[:1400] + urls[:6000], words[1400:3400]


def layered_rows():
    """(key, its rows, the newest layer's first) of the golden chain of an index of rows, and words that it lacks."""
    words = (GOLDEN / "words.txt").read_bytes().splitlines()[: 900 + ABSENT]
    for number, word in enumerate(words, 1):
        layers = ((b"c", 700, 900), (b"b", 400, 700), (b"a", 0, 500))
        places = [(name, number - before) for name, before, last in layers if before < number <= last]
        rows = [b"%s-%d.parquet\t%d" % (name, row % 3, row) for name, row in places]
        yield word, [row for row in rows if not row.startswith(b"a-1.")]


def layered_groups():
    """(key, the groups it is in) of the golden chain of a filter set, and words that it lacks."""
    words = (GOLDEN / "words.txt").read_bytes().splitlines()[: 900 + ABSENT]
    for number, word in enumerate(words, 1):
        layers = ((b"a", 700, 900, (0, 1)), (b"b", 400, 700, (0, 2)), (b"a", 0, 500, (2,)))
        places = [(name, (number - before) % 3, kept) for name, before, last, kept in layers if before < number <= last]
        yield word, sorted(b"%s-%d" % (name, group) for name, group, kept in places if group in kept)


def why_refused(error):
    """The sort of a damaged golden file's error, of those that crivo-1.md tells apart ("Versions")."""
    if "not a Crivo file" in error:
        return "foreign"
    if "newer" in error or "a later" in error:
        return "too new"
    return "too old" if "older" in error or "draft" in error else "corrupt"


def containers():
    """Each golden file; of a store, its index."""
    for name, _ in manifest(GOLDEN / "manifest.txt"):
        yield GOLDEN / name if name.endswith(".crv") else GOLDEN / name / "index.crv"


def stores():
    """The directory of each golden store."""
    for name, _ in manifest(GOLDEN / "manifest.txt"):
        if not name.endswith(".crv"):
            yield GOLDEN / name


def damaged(paths, count=DAMAGED, seed=1):
    """(path, bytes) `count` times: the files in turn, cut, or a byte of all, of the front or of the end changed."""
    rng = random.Random(seed)
    paths = list(paths)
    for i in range(count):
        path = paths[i % len(paths)]
        data = bytearray(path.read_bytes())
        if i // len(paths) % 6 == 0:
            del data[rng.randrange(len(data)) :]
        else:
            begin, end = rng.choice(((0, len(data)), (0, 280), (len(data) - 180, len(data))))
            data[rng.randrange(begin, end)] ^= rng.choice((1 << rng.randrange(8), rng.randrange(1, 256)))
        yield path, bytes(data)
