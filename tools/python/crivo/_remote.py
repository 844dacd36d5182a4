# SPDX-License-Identifier: Apache-2.0
"""Lookups in files of web servers."""

from __future__ import annotations

import errno
import os
import struct
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

from ._errors import check
from ._handle import Handle, held
from ._http import Client, Reply, Request, beside, fail, shown, web_url
from ._index import Info, Row, info_of, kind_of, refuse_untold
from ._keys import Key, KeyArray, Keys, is_number, key_bytes
from ._native import ffi, lib
from ._resources import Progress, resources
from ._show import rows_of_info, table
from ._texts import Path, c_path, c_text, seconds, whole
from ._trust import Signature, Trust, signature_of, trust_struct

#: Of an answer: which key's, what it is, and the sizes of key, text and value.
_HEAD = struct.Struct("=5Q")
#: Kinds that give any key something unless they have signatures: their classes, and what they give.
_UNTOLD = {"mphf": ("Mphf", "rank"), "map": ("Map", "number"), "rows": ("Rows", "row")}


class _Files:
    """A file of a server and those beside it, as crivo_source asks for them: on the thread that made the call, so that Ctrl-C
    ends what it waits for."""

    def __init__(self, client: Client, url: str):
        self.client, self.url = client, url
        self.calls: Optional[resources] = None  #: what is under way
        self._seen: Dict[str, Tuple[int, str]] = {}  # the length and version of each file

    def ask(self, function: Callable[[], int]) -> int:
        return self.calls.ask(function) if self.calls is not None else errno.ECANCELED

    def _url(self, name: Any) -> str:
        return self.url if name == ffi.NULL else beside(self.url, ffi.string(name))

    def read_ends(self, name: Any, ends: Any) -> int:
        url = self._url(name)
        head, tail = ends.head_size, ends.tail_size
        requests = [Request(url, f"0-{head - 1}", head), Request(url, f"-{tail}", tail, or_nothing=True)]
        if ends.signature_room:
            requests.append(Request(f"{url}.minisig", "", ends.signature_room))
        first, last, *signature = self.client.get(requests)
        if not first.found or not last.found:
            return errno.ENOENT
        self._seen[url] = first.length, first.version
        self._put(url, first, 0, min(head, first.length), ends.head)
        begin = first.length - min(tail, first.length)
        if not last.body and begin != first.length:  # a server, as some object stores, that counts ranges from the beginning alone
            (last,) = self.client.get([Request(url, f"{begin}-{first.length - 1}", tail)])
        self._put(url, last, begin, first.length - begin, ends.tail)
        ends.length = first.length
        if signature and signature[0].found:
            ffi.memmove(ends.signature, signature[0].body, len(signature[0].body))
            ends.signature_size = len(signature[0].body)
        return 0

    def read_ranges(self, name: Any, ranges: Any, count: int) -> int:
        url = self._url(name)
        asked = [(ranges[i].offset, ranges[i].length, ranges[i].data) for i in range(count)]
        replies = self.client.get([Request(url, f"{begin}-{begin + size - 1}", size) for begin, size, _ in asked])
        for reply, (begin, size, to) in zip(replies, asked):
            self._put(url, reply, begin, size, to)
        return 0

    def _put(self, url: str, reply: Reply, begin: int, size: int, to: Any) -> None:
        """Where the library wants it, if it is what was asked for."""
        if not reply.found or (reply.length, reply.version) != self._seen[url]:
            fail(url, "was changed while it was read; open it again")
        if reply.begin != begin or len(reply.body) != size:
            fail(url, "the server sent another range than it was asked for")
        ffi.memmove(to, reply.body, size)


@ffi.def_extern(error=errno.ECANCELED)
def crivo_py_read_ends(context: Any, name: Any, ends: Any) -> int:
    """Called on a thread of the library's call."""
    files = ffi.from_handle(context)
    return files.ask(lambda: files.read_ends(name, ends))


@ffi.def_extern(error=errno.ECANCELED)
def crivo_py_read_ranges(context: Any, name: Any, ranges: Any, count: int) -> int:
    """Called on a thread of the library's call."""
    files = ffi.from_handle(context)
    return files.ask(lambda: files.read_ranges(name, ranges, count))


class Remote(Handle):
    """An index of any kind, a chain or a flat store on a web server, of which only what lookups touch is read: each byte is checked
    by the file's hash tree before it is used, and with `trust` up to what was signed. It answers as the class of its kind does,
    one key by :meth:`get` and many, in as few round trips, by :meth:`get_many`.

    >>> seen = crivo.Remote("https://a.example/seen.crv", trust=crivo.Trust(["publisher.pub"]))  # doctest: +SKIP
    >>> seen.get("ape"), seen.get_many(["ape", "bee"]), "cat" in seen  # doctest: +SKIP
    (True, [True, True], False)
    """

    __iter__: Any = None  # else Python would ask for the keys 0, 1, 2, ...

    def __init__(self, url: str, *, trust: Optional[Trust], timeout: float = 30, retries: int = 2, cache_bytes: int = 64 << 20,
                 cache_folder: Optional[Path] = None, cache_folder_bytes: int = 1 << 30):
        """`url` is that of a file, or of a store's directory. `trust` says who must have signed it; None only if you trust the
        server. A server that needs longer than `timeout` seconds to connect or to say anything, or sends less than 1,000 bytes a
        second, is given up; one that cannot be reached or is busy is asked `retries` times again. About `cache_bytes` of each file
        are kept in memory; on disk at most `cache_folder_bytes` in `cache_folder`, if it is given, for all processes. What that
        has is checked as what the server sends is."""
        self._made_of = (url, trust, timeout, retries, cache_bytes, cache_folder, cache_folder_bytes)
        self._lock, self._asking = threading.Lock(), 0  # the thread that asks
        url = web_url(url)
        client = Client(seconds(timeout, "timeout"), whole(retries, "retries", 20))
        trusted, _kept = (ffi.NULL, None) if trust is None else trust_struct(trust)
        folder = None if cache_folder is None else c_path(cache_folder)
        options = ffi.new("crivo_remote_options*", {
            "struct_size": ffi.sizeof("crivo_remote_options"), "trust": trusted, "cache_bytes": max(whole(cache_bytes, "cache_bytes"), 1),
            "cache_folder": ffi.NULL if folder is None else folder,
            "cache_folder_bytes": max(whole(cache_folder_bytes, "cache_folder_bytes"), 1)})
        name = c_text(shown(url), "url")
        try:
            self._open_at(f"{url}index.crv" if url.endswith("/") else url, client, name, options)
        except FileNotFoundError as missing:
            if url.endswith("/"):
                raise
            try:
                self._open_at(f"{url}/index.crv", client, name, options)
            except FileNotFoundError:
                raise missing from None  # it is no store, either
        self._info = info = self.info
        self._kind = kind_of(info)
        self._is_told = self._kind not in _UNTOLD or info.signature_bits != 0

    def _open_at(self, url: str, client: Client, name: Any, options: Any) -> None:
        self._files = _Files(client, url)
        context = ffi.new_handle(self._files)
        source = ffi.new("crivo_source*", {
            "struct_size": ffi.sizeof("crivo_source"), "read_ends": ffi.addressof(lib, "crivo_py_ask_ends"),
            "read_ranges": ffi.addressof(lib, "crivo_py_ask_ranges"), "context": context})
        opened = ffi.new("crivo_remote**")
        self._run(lambda given: lib.crivo_remote_open(name, source, options, opened))
        self._handle = held(opened[0], lib.crivo_remote_close, context)

    def _run(self, call: Callable[[Any], int], progress: Optional[Callable[[Progress], Any]] = None) -> None:
        """Makes a call that may read, with its crivo_resources; one at a time."""
        if self._asking == threading.get_ident():
            raise RuntimeError("the Remote is asked by a function that its own call waits for")
        with resources(progress=progress) as given, self._lock:
            try:
                self._asking, self._files.calls = threading.get_ident(), given
                given.run(lambda: call(given.struct))
            finally:
                self._asking, self._files.calls = 0, None

    def __reduce__(self) -> Any:
        return (_open_again, self._made_of) if self._open else None

    def __len__(self) -> int:
        """The number of keys."""
        return self._info.keys if self._open else 0

    @property
    def info(self) -> Info:
        """What the file holds."""
        opened = self._open

        def fill(info: Any) -> int:
            self._run(lambda given: lib.crivo_remote_info(opened, info))
            return lib.CRIVO_STATUS_OK

        return info_of(fill)

    @property
    def signature(self) -> Optional[Signature]:
        """What the signature says; None without `trust`."""
        answer = ffi.new("crivo_signature*", {"struct_size": ffi.sizeof("crivo_signature")})
        opened = self._open
        if self._made_of[1] is None:
            return None
        check(lib.crivo_remote_signature(opened, answer))
        return signature_of(answer)

    def verify(self, *, progress: Optional[Callable[[Progress], Any]] = None) -> None:
        """Reads every byte and checks it; raises :class:`CorruptError`."""
        opened = self._open
        self._run(lambda given: lib.crivo_remote_verify(opened, given), progress)

    def get(self, key: Key, default: Any = None) -> Any:
        """What the class of the kind has for a key: the rank, number, id, record or :class:`Row`, or `default` if it is surely not in
        the set; of an exact set one of :data:`ANSWERS`; of a filter whether it has the key; of a filter set the names of the groups
        that may have it. In an exact set with groups a key is the name of its group, a TAB and the key."""
        found = self._answers([_one(key)])[0]
        return default if found is None else found

    def get_many(self, keys: Keys) -> List[Any]:
        """A list of what :meth:`get` has for many keys, None for absent ones, in as few round trips as it takes for one."""
        return self._answers(keys)

    def __getitem__(self, key: Key) -> Any:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: Key) -> bool:
        if not self._is_told:
            refuse_untold(*_UNTOLD[self._kind])
        found = self.get(key)
        return found == "member" if self._kind == "exact" else found is not None and found is not False and found != []

    def all(self, key: Key) -> List[Any]:
        """All answers for a key: of an index of rows each row that it may be in, the newest layer's first."""
        return [self._converted(text) for _, text, _ in self._found([_one(key)]) if text is not None]

    def value(self, key: Key) -> Optional[int]:
        """The number beside a key of a dictionary (of decimals, the integer over 10^scale), or None where there is none."""
        value = self._found([_one(key)])[0][2]
        return _number(value) if value else None

    def _answers(self, keys: Keys) -> List[Any]:
        answers: List[Any] = []
        for number, text, _ in self._found(keys):
            found = [] if text is None else [self._converted(text)]
            if number < len(answers):
                answers[number] += found
            else:
                answers.append(found)
        if self._kind == "filterset":
            return answers
        return [(found[0] if found else None) if self._kind != "filter" else bool(found) for found in answers]

    def _converted(self, text: bytes) -> Any:
        """What the class of the kind answers."""
        if self._kind in ("mphf", "map", "dictionary"):
            return _number(text)
        if self._kind == "rows":
            file, *group, row = text.rsplit(b"\t", 2)
            return Row(os.fsdecode(file), int(group[0]) if group else None, int(row))
        if self._kind == "filterset":
            return os.fsdecode(text)
        return text if self._kind == "store" else text.decode()

    def query(self, query: str, /, *values: Union[Key, int], limit: Optional[int] = None) -> List[Tuple[bytes, Any]]:
        """The keys of a dictionary or an ordered store that a query is about, each with what :meth:`get` has for it, at most `limit`.
        `query` is "prefix", "range" (two values: from the first on, below the second) or "lower-bound"; of a dictionary, too,
        "longest-prefix" and "prefixes-of" (keys that a text begins with), "fuzzy" (the number of edits, 0 to 2, and a text), "ids"
        and "from-id" (numbers)."""
        most = 2**64 - 1 if limit is None else whole(limit, "limit")
        if most == 0:
            return []
        name = c_text(query, "query")
        texts = KeyArray([str(value).encode() if is_number(value) else key_bytes(value) for value in values])
        told = self._told(lambda opened, answers: lib.crivo_py_query_remote(opened, name, texts.struct, answers), most)
        return [(key, None if text is None else self._converted(text)) for _, key, text, _ in told]

    def _found(self, keys: Any) -> List[Tuple[int, Optional[bytes], bytes]]:
        """The number of the key, the text and the value of each answer, in order; no text for what is absent."""
        array = KeyArray(keys)
        told = self._told(lambda opened, answers: lib.crivo_py_find_remote(opened, array.struct, answers))
        return [(number, text, value) for number, _, text, value in told]

    def _told(self, call: Callable[[Any, Any], int], most: int = 0) -> Iterator[Tuple[int, bytes, Optional[bytes], bytes]]:
        """The number, key, text and value of each answer."""
        opened, answers = self._open, ffi.new("crivo_py_answers*", {"most": most})
        try:
            self._run(lambda given: call(opened, answers))
            told = ffi.buffer(answers.bytes, answers.size)[:] if answers.size else b""
        finally:
            lib.free(answers.bytes)
        at = 0
        while at < len(told):
            number, answer, *sizes = _HEAD.unpack_from(told, at)
            at += _HEAD.size
            parts = []
            for size in sizes:
                parts.append(told[at : at + size])
                at += size
            key, text, value = parts
            yield number, key, text if text or answer == lib.CRIVO_ANSWER_FOUND else None, value

    def __repr__(self) -> str:
        try:
            return f"<crivo.Remote: {self._kind} of {len(self)} keys>"
        except ValueError:
            return "<crivo.Remote: closed>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return table("crivo.Remote", rows_of_info(self._info)) if self._handle != ffi.NULL else table(repr(self), [])


def _open_again(
    url: str, trust: Optional[Trust], timeout: float, retries: int, cache_bytes: int, cache_folder: Optional[Path], cache_folder_bytes: int,
) -> Remote:
    return Remote(
        url, trust=trust, timeout=timeout, retries=retries, cache_bytes=cache_bytes, cache_folder=cache_folder,
        cache_folder_bytes=cache_folder_bytes,
    )


def _one(key: Key) -> Key:
    """A key as arrays of keys have it."""
    return key if is_number(key) else key_bytes(key)


def _number(text: bytes) -> int:
    """Of its digits; of a decimal, the integer over 10^scale."""
    return int(text.replace(b".", b""))
