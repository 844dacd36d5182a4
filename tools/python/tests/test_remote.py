# SPDX-License-Identifier: Apache-2.0
"""Lookups in files of a web server, that tells the truth or not."""

import os
import pathlib
import pickle
import re
import shutil
import signal
import sys
import threading
import time

import numpy as np
import pytest

import crivo

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "cli"))
import minisign  # pylint: disable=wrong-import-position
import web  # pylint: disable=wrong-import-position

KEYS = [f"http://{i % 97}.example/{i}" for i in range(20_000)]  # of which a map is longer than what comes when it is opened
NUMBERS = [i * i for i in range(len(KEYS))]
ASKED = [*KEYS[::40], *(f"absent {i}" for i in range(50))]


@pytest.fixture(autouse=True)
def without_proxies(monkeypatch):
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(name="site")
def folder_of_a_server(tmp_path):
    path = tmp_path / "site"
    path.mkdir()
    return path


@pytest.fixture(name="file")
def map_on_a_server(site):
    path = site / "file.crv"
    crivo.build_map(KEYS, path, values=NUMBERS, signature_bits=32)
    return path


def signed(path):
    """Signs a file; the key."""
    key = minisign.Key(1)
    secret = path.parent.parent / "key"
    secret.write_bytes(key.secret_file())
    secret.chmod(0o600)
    crivo.sign(path, secret, sequence=3, replace=True)
    return key


def build_all(site):
    """A file of each kind, and how its class answers many keys as Remote does."""
    lines = site.parent / "lines"

    def files(texts, **more):
        lines.write_text("".join(f"{key}\t{text}\n" for key, text in zip(KEYS, texts)), encoding="utf-8")
        return crivo.Files(lines, **more)

    def one_by_one(index):
        return [index.get(key) for key in ASKED]

    crivo.build_mphf(KEYS, site / "mphf", signature_bits=32)
    yield "mphf", one_by_one
    crivo.build_filter(KEYS, site / "filter", fpr=1e-6)
    yield "filter", lambda index: [key in index for key in ASKED]
    crivo.build_filter(KEYS, site / "fuse", type="fuse")
    yield "fuse", lambda index: [key in index for key in ASKED]
    crivo.build_map(KEYS, site / "map", values=NUMBERS, signature_bits=32)
    yield "map", one_by_one
    crivo.build_map(files(f"{number // 7 - 300}.{number % 100:02}" for number in NUMBERS), site / "decimals", values=True,
                    value_type="decimal", scale=2, signature_bits=32)
    yield "decimals", one_by_one
    crivo.build_dictionary(KEYS, site / "dictionary", values=NUMBERS)
    yield "dictionary", one_by_one
    crivo.build_store(KEYS, site / "store", records=[key[::-1] * (i % 3) for i, key in enumerate(KEYS)], backend="flat")
    yield "store", one_by_one
    crivo.build_exact(KEYS[::5], KEYS, site / "exact")
    yield "exact", one_by_one
    crivo.build_rows(files(f"part-{i % 5}\t{i}" for i in range(len(KEYS))), site / "rows")
    yield "rows", one_by_one
    crivo.build_filterset(files((f"group {i % 5}" for i in range(len(KEYS))), column=1, value_column=2), site / "filterset")
    yield "filterset", lambda index: [index.groups_of(key) for key in ASKED]


def test_every_kind_answers_as_here(site):
    with web.liar(site) as (url, _):
        for name, answers_of in build_all(site):
            with crivo.open(site / name) as here, crivo.Remote(f"{url}/{name}", trust=None) as there:
                right = answers_of(here)
                assert there.get_many(ASKED) == right, name
                assert [there.get(key) for key in ASKED[-60:]] == right[-60:], name
                assert [key in there for key in ASKED[-60:]] == [key in here for key in ASKED[-60:]] if name != "filterset" else True
                assert (there.info, len(there)) == (here.info, len(here)), name
                assert there.signature is None
                there.verify()
    with pytest.raises(ValueError, match="is closed"):
        there.get("a")
    assert repr(there) == "<crivo.Remote: closed>"


def test_what_stands_beside_a_key(site):
    crivo.build_dictionary(["a", "b"], site / "words", values=[7, 2**40])
    (site / "lines").write_text("a\tx\t1\na\ty\t2\nb\tx\t3\n", encoding="utf-8")
    crivo.build_rows(crivo.Files(site / "lines"), site / "rows", many=True)
    crivo.build_map(KEYS, site / "any", values=NUMBERS)
    crivo.build_filter([3, 9, 2**50], site / "numbers", type="range")
    with web.liar(site) as (url, _):
        with crivo.Remote(f"{url}/words", trust=None) as words:
            assert (words["a"], words.value("a"), words.value("b"), words.value("c"), words.get("c", 5)) == (0, 7, 2**40, None, 5)
            assert repr(words) == "<crivo.Remote: dictionary of 2 keys>" and "dictionary" in words._repr_html_()
            with pytest.raises(KeyError):
                _ = words["c"]
        with crivo.Remote(f"{url}/rows", trust=None) as rows:
            assert rows.all("a") == [crivo.Row("x", None, 1), crivo.Row("y", None, 2)] and rows.all("c") == []
            assert rows["a"] == rows.all("a")[0]
        with crivo.Remote(f"{url}/any", trust=None) as any_key, pytest.raises(crivo.UsageError, match="build it with signature_bits"):
            assert "a" in any_key
        with crivo.Remote(f"{url}/numbers", trust=None) as numbers:
            assert numbers.get_many([3, 4, 2**50]) == numbers.get_many(np.array([3, 4, 2**50])) == [True, False, True]
            assert 9 in numbers and 8 not in numbers
        for wrong in (None, 1.5, ["a"]):
            with pytest.raises(TypeError), crivo.Remote(f"{url}/words", trust=None) as words:
                words.get(wrong)


def test_chains_and_directories_of_stores(site):
    crivo.build_exact(KEYS[::5], KEYS, site / "set")
    crivo.build_delta(site / "set", KEYS[::6], KEYS, site / "day 1")
    crivo.apply_deltas(site / "set", [site / "day 1"], site / "chain")
    crivo.build_store({"a": "1"}, site / "store", backend="flat")
    crivo.build_store({"a": "1"}, site / "lmdb")
    with web.liar(site) as (url, _), crivo.open(site / "chain") as here:
        with crivo.Remote(f"{url}/chain", trust=None) as chain:
            assert chain.get_many(ASKED) == [here.get(key) for key in ASKED] and "absent" not in chain
        for end in ("", "/", "/index.crv"):
            assert crivo.Remote(f"{url}/store{end}", trust=None)["a"] == b"1"
        with pytest.raises(crivo.UsageError, match="backend flat"):
            crivo.Remote(f"{url}/lmdb", trust=None)
        with pytest.raises(FileNotFoundError, match="there is no such file") as missing:
            crivo.Remote(f"{url}/none", trust=None)
        assert missing.value.filename == f"{url}/none"


def test_who_is_trusted(file):
    key = signed(file)
    with web.liar(file.parent) as (url, server):
        trust = crivo.Trust([key.line])
        with crivo.Remote(f"{url}/file.crv", trust=trust) as there:
            assert len(server.requests) >= 3 and there.signature == crivo.Signature(key.id_text, 3, None)
            assert there[KEYS[7]] == 49
        for problem, refused in (("is not trusted", crivo.Trust([minisign.Key(2).line])),
                                 ("too old", crivo.Trust([key.line], minimum_sequence=4))):
            with pytest.raises(crivo.CorruptError, match=problem):
                crivo.Remote(f"{url}/file.crv", trust=refused)
        file.with_name("file.crv.minisig").unlink()
        with pytest.raises(crivo.CorruptError, match="file.crv.minisig: is missing, but the file must be signed"):
            crivo.Remote(f"{url}/file.crv", trust=trust)
    with pytest.raises(TypeError, match="trust"):
        crivo.Remote("http://a.example/")  # type: ignore[call-arg]  # pylint: disable=missing-kwoa


def test_a_batch_takes_as_few_round_trips_as_a_key(file):
    with web.liar(file.parent) as (url, server):
        there = crivo.Remote(f"{url}/file.crv", trust=None)
        assert there.get_many(KEYS) == NUMBERS
        asked = len(server.requests)
        assert asked < 12 and there.get_many(KEYS) == NUMBERS and len(server.requests) == asked
        assert pickle.loads(pickle.dumps(there))[KEYS[5]] == 25
        answers = []
        threads = [threading.Thread(target=lambda i=i: answers.append(there[KEYS[i]])) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answers) == NUMBERS[:8]


def test_what_was_fetched_is_kept_in_a_folder(file, tmp_path):
    with web.liar(file.parent) as (url, server):
        for fresh in (True, False):
            before = len(server.requests)
            there = crivo.Remote(f"{url}/file.crv", trust=None, cache_folder=tmp_path / "cache", cache_folder_bytes=1 << 24)
            assert there.get_many(KEYS) == NUMBERS
            assert (len(server.requests) - before > 2) == fresh
        assert pickle.loads(pickle.dumps(there))[KEYS[5]] == 25
        with pytest.raises(OSError):
            crivo.Remote(f"{url}/file.crv", trust=None, cache_folder=file)


def test_queries(tmp_path):
    words = sorted({b"a%d" % (i * i % 977) for i in range(500)})
    crivo.build_dictionary(words, tmp_path / "ids.crv")
    crivo.build_store(words, tmp_path / "store", records=[word[::-1] for word in words], backend="flat", ordered=True)
    with web.liar(tmp_path) as (url, _):
        ids, store = crivo.Remote(f"{url}/ids.crv", trust=None), crivo.Remote(f"{url}/store", trust=None)
        numbered = list(zip(words, range(len(words))))
        assert ids.query("prefix", "a1") == [pair for pair in numbered if pair[0].startswith(b"a1")]
        assert ids.query("range", b"a3", b"a5") == [pair for pair in numbered if b"a3" <= pair[0] < b"a5"]
        assert ids.query("lower-bound", b"a9", limit=3) == [pair for pair in numbered if pair[0] >= b"a9"][:3]
        assert ids.query("ids", 0, 7) == [numbered[0], numbered[7]] and ids.query("from-id", len(words) - 1) == numbered[-1:]
        assert ids.query("longest-prefix", words[9] + b"/more") == [numbered[9]]
        assert (words[9], 9) in ids.query("fuzzy", 1, words[9] + b"x") and ids.query("prefix", "a", limit=0) == []
        assert store.query("prefix", b"a1") == [(word, word[::-1]) for word in words if word.startswith(b"a1")]
        for wrong in (("range", b"a"), ("nonesuch", b"a"), ("ids",)):
            with pytest.raises(ValueError):
                ids.query(*wrong)
        with pytest.raises(ValueError):
            store.query("ids", 1)


def test_a_child_asks_over_connections_of_its_own(file):
    seen = []
    with web.liar(file.parent, lambda handler, _: seen.append(handler.client_address)) as (url, _):
        there = crivo.Remote(f"{url}/file.crv", trust=None, cache_bytes=1)
        parents = set(seen)
        seen.clear()
        child = os.fork()
        if child == 0:
            os._exit(0 if there[KEYS[9]] == 81 and there[KEYS[3000]] == 9_000_000 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert seen and not parents & set(seen)
        assert there[KEYS[3000]] == 9_000_000 and parents & set(seen)


def test_kept_connections_may_have_been_closed(file):
    def only_once(handler, _):
        was_asked, handler.was_asked = getattr(handler, "was_asked", False), True
        return not was_asked

    with web.liar(file.parent, only_once) as (url, _):
        there = crivo.Remote(f"{url}/file.crv", trust=None, retries=0)
        assert there.get_many(KEYS) == NUMBERS


@pytest.mark.parametrize("when", ["open", "ask", "verify"])
def test_ctrl_c_while_a_server_is_waited_for(file, when):
    silent, released, once = threading.Event(), threading.Event(), threading.Lock()

    def wait(handler, reply):
        if silent.is_set():
            if once.acquire(blocking=False):  # pylint: disable=consider-using-with
                os.kill(os.getpid(), signal.SIGINT)
            released.wait(20)

    with web.liar(file.parent, wait) as (url, _):
        try:
            there = crivo.Remote(f"{url}/file.crv", trust=None, cache_bytes=1) if when != "open" else None
            silent.set()
            with pytest.raises(KeyboardInterrupt):
                if when == "open":
                    crivo.Remote(f"{url}/file.crv", trust=None)
                elif when == "ask":
                    there.get_many(KEYS)
                else:
                    there.verify()
            waiting = [thread for thread in threading.enumerate() if thread.name == "crivo.Remote"]
            for thread in waiting:
                thread.join(10)
            assert not any(thread.is_alive() for thread in waiting)
        finally:
            silent.clear()
            released.set()
        if there is not None:
            assert there[KEYS[3]] == 9
            there.verify()


def test_functions_of_the_program_end_a_verification(file):
    with web.liar(file.parent) as (url, _), crivo.Remote(f"{url}/file.crv", trust=None) as there:
        seen = []
        there.verify(progress=seen.append)
        assert seen[-1].phase == "verify" and seen[-1].fraction > 0.9

        def asks(_):
            there.get("a")

        with pytest.raises(RuntimeError, match="its own call waits"):
            there.verify(progress=asks)
        assert there[KEYS[3]] == 9
    with web.liar(file.parent) as (url, server), crivo.Remote(f"{url}/file.crv", trust=None) as there:
        server.lie = lambda *_: time.sleep(0.25)  # meanwhile it is told how far it is
        with pytest.raises(crivo.CancelledError):
            there.verify(progress=lambda state: True)


def changed(status=None, body=None, **fields):
    """A lie in each answer: another status, body or field; None leaves a field out."""
    def lie(_, reply):
        reply.status = status or reply.status
        reply.body = reply.body if body is None else body(reply.body)
        for name, value in fields.items():
            reply.headers.pop(name.replace("_", "-"), None)
            if value is not None:
                reply.headers[name.replace("_", "-")] = value
    return lie


def shifted(_, reply):
    begin, end, length = map(int, re.match(r"bytes (\d+)-(\d+)/(\d+)", reply.headers["Content-Range"]).groups())
    if begin:
        reply.headers["Content-Range"] = f"bytes {begin - 1}-{end - 1}/{length}"


def endless(handler, reply):
    handler.send_response(reply.status)
    handler.send_header("Content-Range", reply.headers["Content-Range"])
    handler.end_headers()
    while True:
        handler.wfile.write(bytes(65536))


def endless_header(handler, reply):
    handler.send_response(reply.status)
    handler.flush_headers()
    while True:
        handler.wfile.write(b"X: " + b"x" * 50_000 + b"\r\n")


def endless_interim(handler, _):
    while True:
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\nX: x\r\n\r\n" * 1000)


def silent_server(handler, _):
    handler.server.released.wait(20)
    return False


def drips(handler, reply):
    handler.send_response(reply.status)
    handler.send_header("Content-Range", reply.headers["Content-Range"])
    handler.send_header("Content-Length", str(len(reply.body)))
    handler.end_headers()
    for byte in reply.body:
        handler.wfile.write(bytes([byte]))
        if handler.server.released.wait(0.05):
            break
    return False


def hangs_up(handler, _):
    return False


def flips(_, reply):
    middle = len(reply.body) // 2
    reply.body = reply.body[:middle] + bytes([reply.body[middle] ^ 1]) + reply.body[middle + 1 :]


@pytest.mark.parametrize("lie,because", [
    (changed(status=200), "sends no ranges"), (changed(status=500), "the status 500"), (changed(status=204), "the status 204"),
    (changed(status=503), "the status 503"), (changed(status=302, Location=None), "the status 302"),
    (changed(Content_Range=None), "does not say which range"), (changed(Content_Range="bytes 5-3/2"), "does not say which range"),
    (changed(Content_Range="bytes 0-9999999999999999999999/3"), "does not say which range"), (shifted, "another range"),
    (changed(body=lambda body: body[:-1]), "bytes, not"), (changed(body=lambda body: body + b"x"), "more than the"),
    (changed(Content_Length="1"), "bytes, not"), (changed(Content_Length="99999999"), "http://"),
    (changed(status=302, body=lambda body: b"", Location="/file.crv"), "redirects more than 5"),
    (changed(status=302, body=lambda body: b"", Location="file:///etc/passwd"), "not followed"),
    (changed(status=302, body=lambda body: b"", Location="http://[::1"), "not followed"),
    (endless, "more than the"), (endless_header, "http://"), (endless_interim, "more than the"), (silent_server, "sends nothing"),
    (drips, "less than"), (hangs_up, "http://"),
])
def test_lies(file, lie, because):
    """An error that begins with the URL, and no answer."""
    with web.liar(file.parent, lie) as (url, server):
        server.released = threading.Event()
        with pytest.raises(crivo.ResourceError, match=because) as raised:
            crivo.Remote(f"{url}/file.crv", trust=None, timeout=0.4, retries=1)
        assert str(raised.value).startswith(f"{url}/file.crv: ") and raised.value.filename == f"{url}/file.crv"
        server.released.set()


def test_what_is_changed_on_the_way(file):
    with web.liar(file.parent) as (url, server):
        there = crivo.Remote(f"{url}/file.crv", trust=None)
        server.lie = flips
        with pytest.raises(crivo.CorruptError, match="hash tree"):
            there.get_many(KEYS)
        server.lie = changed(ETag='"new"')
        with pytest.raises(crivo.ResourceError, match="was changed while it was read"):
            there.get_many(KEYS)
        server.lie = None
        assert there.get_many(KEYS) == NUMBERS


def test_busy_servers_are_asked_again(file):
    left = [3]

    def busy(_, reply):
        left[0] -= 1
        if left[0] >= 0:
            reply.status, reply.body, reply.headers = 429, b"later", {}
        return left[0] != -1  # that one ends the connection instead

    with web.liar(file.parent, busy) as (url, _):
        assert crivo.Remote(f"{url}/file.crv", trust=None, retries=4)[KEYS[4]] == 16


def test_passwords_go_to_their_server_alone(file):
    seen = []

    def note(handler, reply):
        seen.append(handler.headers.get("Authorization"))

    with web.liar(file.parent, note) as (other, _):
        def away(handler, reply):
            assert handler.headers["Authorization"] == "Basic dXNlcjpzZUBjcmV0"
            reply.status, reply.body, reply.headers = 302, b"", {"Location": f"{other}{handler.path}"}

        with web.liar(file.parent, away) as (url, server):
            url = url.replace("http://", "http://user:se%40cret@") + "/file.crv"
            assert crivo.Remote(url, trust=None)[KEYS[4]] == 16 and set(seen) == {None}
            file.unlink()
            with pytest.raises(FileNotFoundError) as missing:
                crivo.Remote(url, trust=None)
            assert "se%40" not in str(missing.value) and server.requests
    for wrong in ("http:///file.crv", "ftp://a.example/x", "file.crv", "http://user:secret@/x", "http://[::1", "http://a.example:x/"):
        with pytest.raises(crivo.UsageError, match="names a host") as refused:
            crivo.Remote(wrong, trust=None)
        assert "secret" not in str(refused.value)
    with pytest.raises(crivo.UsageError, match="crivo.Remote"):
        crivo.open("https://a.example/file.crv")


def test_through_a_proxy(file, monkeypatch):
    """That is told the whole URL; names in no_proxy are asked themselves."""
    place = file.parent / "http:" / "a.example"
    place.mkdir(parents=True)
    file.rename(place / "file.crv")
    with web.liar(file.parent) as (proxy, server):
        monkeypatch.setenv("http_proxy", proxy)
        assert crivo.Remote("http://a.example/file.crv", trust=None)[KEYS[4]] == 16
        assert {path for path, _ in server.requests} == {"http://a.example/file.crv"}
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        with pytest.raises(FileNotFoundError):
            crivo.Remote(f"{proxy}/other.crv", trust=None)


def test_a_certificate_is_checked(file, tmp_path, monkeypatch):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    pem = web.certificate(tmp_path)
    with web.liar(file.parent, pem=pem) as (url, server), web.liar(file.parent) as (plain, _):
        with pytest.raises(crivo.ResourceError, match="certificate is not trusted"):
            crivo.Remote(f"{url}/file.crv", trust=None)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.crt"))
        assert crivo.Remote(f"{url}/file.crv", trust=None)[KEYS[4]] == 16
        server.lie = changed(status=302, body=lambda body: b"", Location=f"{plain}/file.crv")
        with pytest.raises(crivo.ResourceError, match="from https to https alone"):
            crivo.Remote(f"{url}/file.crv", trust=None)
