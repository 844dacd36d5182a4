# SPDX-License-Identifier: Apache-2.0
"""What a loss of power can leave of a directory, from the record of what a program did to it (recorder.c).

Of a file, what was written since its last fsync is there or not, each piece of it by itself and in any order, and so is
its length: a length may be there without the data, then with zeros or with what stood on the disk before. Of a directory,
each name that was given or taken away since its last fsync is there or not; renaming within a directory is one step, and
into another one two. That is less than any file system of Linux promises, and all that POSIX does. A 512-byte sector is
written whole or not at all.
"""

import os
import stat
import struct
from dataclasses import dataclass, field

FILE_MADE, FOLDER_MADE, NAMED, UNNAMED, RENAMED, WRITTEN, CUT, SYNCED, ALL_SYNCED, WRITTEN_THROUGH, MAPPED = range(1, 12)
HEAD = struct.Struct("=5Q")
SECTOR = 512
STALE = b"\xa5"  # what stood on the disk before


def read_record(path):
    """The events: (what, inode, a, b, data)."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        what, inode, a, b, size = HEAD.unpack_from(data, at)
        at += HEAD.size
        yield what, inode, a, b, data[at : at + size]
        at += size


@dataclass
class Write:
    """Data at an offset; without any, a new length."""

    offset: int
    data: bytes | None

    def end(self, file_end):
        """Where it ends: a new length has zeros up to the end of the file."""
        return file_end if self.data is None else self.offset + len(self.data)

    def put(self, content, begin, end):
        """What it has from `begin` to `end` goes into the content."""
        if self.data is None:
            content[begin:end] = bytes(end - begin)
        else:
            content[begin:end] = self.data[begin - self.offset : end - self.offset]

    def without(self, begin, end):
        """What it has before and behind a place."""
        before = Write(self.offset, self.data[: max(0, begin - self.offset)])
        behind = Write(max(self.offset, end), self.data[max(0, end - self.offset) :])
        return [some for some in (before, behind) if some.data]


@dataclass(eq=False)
class File:
    durable: bytes = b""
    pending: list = field(default_factory=list)

    def sync(self):
        self.durable = self.survived(ALL)
        self.pending = []

    def write_through(self, write):
        """Durable by itself, with the sectors that it is in: what else was written before it need not be."""
        self.pending.append(write)
        written = self.survived(ALL)
        begin = write.offset // SECTOR * SECTOR
        end = min(-(-write.end(0) // SECTOR) * SECTOR, len(written))
        content = bytearray(self.durable)
        content += bytes(max(0, end - len(content)))
        content[begin:end] = written[begin:end]
        self.durable = bytes(content)
        self.pending = [
            some
            for other in self.pending
            for some in ([other] if other.data is None else other.without(begin, end))
        ]

    def survived(self, choice):
        """What is left of it; `choice` says which of the pending writes are."""
        if not self.pending or choice.files == "none":
            return self.durable
        lengths = [len(self.durable)]
        for write in self.pending:
            lengths.append(write.offset if write.data is None else max(lengths[-1], write.end(0)))
        content = bytearray(self.durable)
        content += bytes(max(lengths) - len(content))
        if choice.files == "all":
            for write in self.pending:
                write.put(content, write.offset, write.end(len(content)))
            return bytes(content[: lengths[-1]])
        if choice.stale:
            for write in self.pending:
                begin = max(write.offset, len(self.durable))
                end = max(write.end(0), begin)
                content[begin:end] = STALE * (end - begin)
        self.put_some(content, choice)
        return bytes(content[: choice.random.choice(lengths)])

    def put_some(self, content, choice):
        """Of the writes to each piece of the file the first few, as many as it is drawn."""
        drawn = {}
        unit = choice.unit
        for number, write in enumerate(self.pending):
            end = write.end(len(content))
            for piece in range(write.offset // unit, -(-end // unit)):
                if piece not in drawn:
                    drawn[piece] = choice.random.randrange(len(self.pending) + 1)
                if number < drawn[piece]:
                    write.put(content, max(write.offset, piece * unit), min(end, (piece + 1) * unit))


@dataclass(eq=False)
class Folder:
    durable: dict = field(default_factory=dict)
    pending: list = field(default_factory=list)  # steps: what becomes of which names, File, Folder or None

    def sync(self):
        for step in self.pending:
            self.durable.update(step)
        self.durable = {name: node for name, node in self.durable.items() if node is not None}
        self.pending = []

    def survived(self, choice):
        names = dict(self.durable)
        for step in self.pending:
            if choice.has(step):
                names.update(step)
        return {name: node for name, node in names.items() if node is not None}


class Choice:
    """What survives: of the writes to files none, all, or some in pieces of `unit` bytes; of the steps of directories
    those for which `has` says so."""

    def __init__(self, files, has, random=None, unit=512, stale=False):
        self.files, self.has, self.random, self.unit, self.stale = files, has, random, unit, stale


ALL = Choice("all", lambda step: True)
NONE = Choice("none", lambda step: False)


class Disk:
    """A directory, its temporary one and what is below them, durable as they are when it is made."""

    def __init__(self, root):
        self.nodes = {}
        self.mapped = []
        self.root = self.read(root)

    def read(self, path):
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            node = Folder({name: self.read(os.path.join(path, name)) for name in os.listdir(path)})
        else:
            with open(path, "rb") as file:
                node = File(file.read())
        self.nodes[status.st_ino] = node
        return node

    def apply(self, event):
        """One event. What is outside of the directory is passed over."""
        what, inode, a, b, data = event
        node = self.nodes.get(inode)
        if what in (FILE_MADE, FOLDER_MADE):
            self.nodes[inode] = File() if what == FILE_MADE else Folder()
        elif what == ALL_SYNCED:
            for every in self.nodes.values():
                every.sync()
        elif what == RENAMED:
            self.rename(node, self.nodes.get(a), os.fsdecode(data[:b]), os.fsdecode(data[b:]))
        elif node is None:
            return
        elif what == NAMED:
            node.pending.append({os.fsdecode(data): self.nodes[a]})
        elif what == UNNAMED:
            node.pending.append({os.fsdecode(data): None})
        elif what == WRITTEN:
            node.pending.append(Write(a, data))
        elif what == CUT:
            node.pending.append(Write(a, None))
        elif what == SYNCED:
            node.sync()
        elif what == WRITTEN_THROUGH:
            node.write_through(Write(a, data))
        elif what == MAPPED:
            self.mapped.append(self.name_of(node))

    @staticmethod
    def rename(old, new, name, new_name):
        moved = old.survived(ALL)[name]
        if old is new:
            old.pending.append({name: None, new_name: moved})
        else:
            new.pending.append({new_name: moved})
            old.pending.append({name: None})

    def name_of(self, wanted):
        for folder in self.reachable():
            if isinstance(folder, Folder):
                for name, node in folder.survived(ALL).items():
                    if node is wanted:
                        return name
        return "a file without a name"

    def mapped_names(self):
        """Of the files that were mapped to be written to, as they were called then."""
        return set(self.mapped)

    def steps(self):
        """What is pending of directories."""
        return [step for node in self.reachable() if isinstance(node, Folder) for step in node.pending]

    def reachable(self):
        """What has a name, or may have one."""
        found, left = {}, [self.root]
        while left:
            node = left.pop()
            if node is None or id(node) in found:
                continue
            found[id(node)] = node
            if isinstance(node, Folder):
                left += node.durable.values()
                left += [other for step in node.pending for other in step.values()]
        return found.values()

    def tree(self, choice):
        """What the directory holds after a loss of power: bytes, or the same of a directory, by name."""

        def tree_of(node):
            if isinstance(node, File):
                return node.survived(choice)
            return {name: tree_of(below) for name, below in node.survived(choice).items()}

        return tree_of(self.root)

    def trees(self, random, draws):
        """What may be left at this moment: the extremes, each step of directories alone and missing, and `draws` at
        random."""
        steps = self.steps()
        choices = [NONE, ALL, Choice("none", ALL.has), Choice("all", NONE.has)]
        for one in steps:
            for files in ("none", "all"):
                choices.append(Choice(files, lambda step, one=one: step is one))
                choices.append(Choice(files, lambda step, one=one: step is not one))
        for i in range(draws):
            kept = {id(step) for step in steps if random.random() < 0.5}
            has = (lambda step, kept=kept: id(step) in kept) if i % 3 else ALL.has
            choices.append(Choice("some", has, random, random.choice((512, 4096)), random.random() < 0.5))
        for choice in choices:
            yield self.tree(choice)


def read_tree(path):
    """The same of what is there."""
    if not path.is_dir():
        return path.read_bytes()
    return {child.name: read_tree(child) for child in path.iterdir()}


def write_tree(tree, path):
    if isinstance(tree, bytes):
        path.write_bytes(tree)
        return
    path.mkdir()
    for name, below in tree.items():
        write_tree(below, path / name)
