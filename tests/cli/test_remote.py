# SPDX-License-Identifier: Apache-2.0
"""`crivo query URL`: lookups in files of a web server, of which ranges are read; nginx, and servers that lie."""

import gzip
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import time
import unittest

import minisign
import web
from harness import CRIVO, ENVIRONMENT, LONG, CrivoTest, lines, urls

EXAMPLE = os.path.join(os.path.dirname(CRIVO), "crivo-example-remote")
KEYS = [b"key %d" % i for i in range(300_000)]


class RemoteFile(CrivoTest):
    key = minisign.Key(1)

    def setUp(self):
        super().setUp()
        without = self.run_crivo("query", "http://127.0.0.1:9/x", "--unsigned", "-k", "x")
        if b"without libcurl" in without.err:
            self.assertEqual(without.code, 2)
            self.skipTest("crivo was built without libcurl")
        self.write("key", self.key.secret_file())
        os.chmod(self.dir / "key", 0o600)
        self.write("key.pub", self.key.public_file)
        self.site = self.dir / "site"
        self.site.mkdir()

    def publish(self, kind="filter", *options, keys=KEYS, name="site/file.crv"):
        self.write("keys", lines(keys))
        self.crivo("build", kind, "keys", "-o", name, "-q", "--force", *options)
        self.crivo("sign", name, "--secret-key", "key", "--sequence", "3", "--force", "-q")

    def ask(self, url, *options, keys=(KEYS[7], b"absent"), code=0):
        return self.crivo("query", url, *options, stdin=lines(keys), code=code)


class EveryKind(RemoteFile):
    """Each is asked at a URL and here: the answers are the same, and so is what is told of the file."""

    def setUp(self):
        super().setUp()
        self.keys = sorted(urls(20_000))
        self.asked = random.Random(57).sample(self.keys, 400) + urls(100, salt=9)
        self.write("keys", lines(self.keys))

    def same(self, name, *queries, command="query"):
        """Asks the file or store of the site for some keys, and more; returns the requests of the first."""
        self.crivo("sign", f"site/{name}", "--secret-key", "key", "--sequence", "3", "--force", "-q")
        with web.liar(self.site) as (url, server):
            url = f"{url}/{name}"
            here = self.ask(f"site/{name}", keys=self.asked)
            self.assertEqual(self.ask(url, "--public-key", "key.pub", keys=self.asked).out, here.out)
            first = len(server.requests)
            self.assertEqual(self.ask(url, "--unsigned", keys=[]).out, b"")
            for query in queries:
                here = self.crivo(command, f"site/{name}", *query)
                self.assertEqual(self.crivo(command, url, *query, "--unsigned").out, here.out)
            self.assertIn(b"signed", self.crivo("verify", url, "--public-key", "key.pub").err)
            told = [json.loads(self.crivo("info", at, "--json", *more).out)
                    for at, more in ((f"site/{name}", ()), (url, ("--unsigned",)))]
            self.assertEqual(*told)
        return first

    def test_files(self):
        numbered = lines(b"%s\t%d" % (key, i * i) for i, key in enumerate(self.keys))
        self.write("values", numbered)
        self.write("rows.tsv", lines(b"%s\tfile %d\t%d" % (key, i % 7, i) for i, key in enumerate(self.keys)))
        self.write("grouped", lines(b"group %d\t%s" % (i % 5, key) for i, key in enumerate(self.keys)))
        self.write("members", lines(self.keys[::20]))
        for name, options in (
            ("mphf", ("mphf", "keys", "--signature", "16")),
            ("compact", ("mphf", "keys", "--algorithm", "compact")),
            ("ribbon", ("filter", "keys", "--fpr", "0.0001")),
            ("fuse", ("filter", "keys", "--type", "fuse")),
            ("map", ("map", "values", "--signature", "16")),
            ("compressed", ("map", "values", "--compress")),
            ("rows", ("rows", "rows.tsv")),
            ("filterset", ("filterset", "grouped")),
            ("exact", ("exact", "--members", "members", "--universe", "keys")),
        ):
            with self.subTest(name=name):
                self.crivo("build", *options, "-o", f"site/{name}", "-q")
                self.same(name)

    def test_dictionaries(self):
        self.write("values", lines(b"%s\t%d" % (key, i) for i, key in enumerate(self.keys)))
        prefix = self.keys[7][:22].decode()
        for name, source, options in (("plain", "keys", ()), ("valued", "values", ("--values",)), ("hashed", "keys", ("--hashed",))):
            with self.subTest(name=name):
                self.crivo("build", "dictionary", source, "-o", f"site/{name}", "-q", *options)
                self.same(name, ("--prefix", prefix), ("--prefix", "https://", "--limit", "30"), ("--from-id", "19000"),
                          ("--ids", "3", "--ids", "19999"), ("--longest-prefix", self.keys[9].decode() + "/more"),
                          ("--range", self.keys[5].decode(), self.keys[2000].decode()), ("--fuzzy", "1", self.keys[6].decode()))

    def test_stores(self):
        self.write("pairs", lines(b"%s\t%s" % (key, key[::-1] * (i % 9)) for i, key in enumerate(self.keys)))
        prefix = self.keys[7][:22].decode()
        for name, options in (("flat", ()), ("ordered", ("--ordered",)), ("size", ("--goal", "size")), ("zstd", ("--codec", "zstd"))):
            with self.subTest(name=name):
                self.crivo("build", "store", "pairs", "--backend", "flat", "-o", f"site/{name}", "-q", *options)
                gets = [(self.keys[11].decode(),), (self.keys[19_999].decode(), self.keys[0].decode())]
                if name in ("ordered", "size"):
                    gets += [("--prefix", prefix), ("--lower-bound", self.keys[-3000].decode())]
                self.same(name, *gets, command="get")
        self.crivo("build", "store", "pairs", "-o", "site/lmdb", "-q")
        with web.liar(self.site) as (url, _):
            self.assertIn(b"backend flat", self.ask(f"{url}/lmdb", "--unsigned", code=2).err)
            self.assertEqual(self.crivo("get", f"{url}/flat/", self.keys[11].decode(), "--unsigned").out, self.keys[11][::-1] * 2)
            self.write("new", b"a new key\tand its record\n")
            self.crivo("store", "set", "site/flat", "new", "--drop-signature", "-q")
            self.assertIn(b"has updates", self.ask(f"{url}/flat", "--unsigned", code=2).err)
            data = next((self.dir / "site/zstd").glob("data-*.crv"))
            os.rename(data, self.dir / "kept")
            self.assertIn(b"is not there", self.ask(f"{url}/zstd", "--unsigned", code=4).err)
            shutil.copy(next((self.dir / "site/ordered").glob("data-*.crv")), data)
            self.ask(f"{url}/zstd", "--unsigned", code=4)

    def test_chains(self):
        sets = [self.keys[::20], self.keys[::25], self.keys[5::30]]
        for i, members in enumerate(sets):
            self.write(f"members{i}", lines(members))
        self.crivo("build", "exact", "--members", "members0", "--universe", "keys", "-o", "site/set.crv", "-q")
        at = "site/set.crv"
        for i in (1, 2):
            self.crivo("diff", at, "--members", f"members{i}", "--universe", "keys", "-o", f"site/day {i}", "-q")
            self.crivo("apply", at, f"site/day {i}", "-o", "site/chain.crv", "-f", "-q")
            at = "site/chain.crv"
        self.same("chain.crv")
        self.write("rows.tsv", lines(b"%s\tone\t%d" % (key, i) for i, key in enumerate(self.keys)))
        self.write("more.tsv", lines(b"%s\ttwo\t%d" % (key, i) for i, key in enumerate(self.asked[400:])))
        self.crivo("build", "rows", "rows.tsv", "-o", "site/table", "-q")
        self.crivo("rows", "add", "site/table", "more.tsv", "-o", "site/tables", "-q")
        self.same("tables")
        self.write("grouped", lines(b"group %d\t%s" % (i % 5, key) for i, key in enumerate(self.keys)))
        self.write("more grouped", lines(b"more %d\t%s" % (i % 3, key) for i, key in enumerate(self.asked[400:])))
        self.crivo("build", "filterset", "grouped", "-o", "site/groups", "-q")
        self.crivo("filterset", "add", "site/groups", "more grouped", "-o", "site/allgroups", "-q")
        self.same("allgroups")

    def test_little_is_read(self):
        """Of a large file only what is looked at is asked for, and what does not depend on each other at once."""
        self.write("many", lines(sorted(urls(300_000))))
        self.crivo("build", "dictionary", "many", "-o", "site/terms", "-q")
        size = (self.dir / "site/terms").stat().st_size
        with web.liar(self.site) as (url, server):
            self.ask(f"{url}/terms", "--unsigned")
            self.assertLess(server.sent, min(size / 4, 700_000))
            self.assertLess(len(server.requests), 16)


    def test_a_cache_on_disk(self):
        """What was fetched is not asked for again, but both ends, by whichever process; a damaged cache is of no use, and no harm."""
        self.write("many", lines(sorted(urls(300_000))))
        self.crivo("build", "dictionary", "many", "-o", "site/terms", "-q")
        with web.liar(self.site) as (url, server):
            asked = f"{url}/terms", "--unsigned"
            here = self.ask("site/terms").out
            cached = "--cache", "cache", "--cache-size", "16M"

            def requests():
                before = len(server.requests)
                self.assertEqual(self.ask(*asked, *cached).out, here)
                return len(server.requests) - before

            self.assertGreater(requests(), 2)
            self.assertEqual(requests(), 2)
            for path in (self.dir / "cache").iterdir():
                path.write_bytes(os.urandom(path.stat().st_size))
            self.assertGreater(requests(), 2)
            self.assertEqual(requests(), 2)
            self.crivo("verify", *asked, *cached)
            self.assertIn(b"--cache needs a URL", self.ask("site/terms", *cached, code=2).err)
            self.ask(*asked, "--cache-size", "16M", code=2)
            self.assertIn(b"many", self.ask(*asked, "--cache", "many", code=5).err)


class Signed(RemoteFile):
    def test_answers_as_here(self):
        asked = [*random.Random(30).sample(KEYS, 3000), *urls(3000)]
        for kind, options in (("filter", ()), ("filter", ("--type", "fuse")), ("map", ("--signature", "16"))):
            with self.subTest(kind=kind, options=options), web.liar(self.site) as (url, _):
                self.publish(kind, *options)
                here = self.ask("site/file.crv", keys=asked)
                for trust in (("--unsigned",), ("--public-key", "key.pub")):
                    self.assertEqual(self.ask(f"{url}/file.crv", *trust, keys=asked).out, here.out)
                here = self.ask("site/file.crv", "--json", keys=asked[:5])
                self.assertEqual(self.ask(f"{url}/file.crv", "--unsigned", "--json", keys=asked[:5]).out, here.out)

    def test_who_is_trusted(self):
        self.publish()
        with web.liar(self.site) as (url, _):
            url += "/file.crv"
            refused = self.ask(url, code=2)
            self.assertIn(b"--unsigned", refused.err)
            self.ask(url, "--unsigned", "--public-key", "key.pub", code=2)
            self.ask("site/file.crv", "--unsigned", code=2)
            self.ask(url, "--unsigned", "--open", "copy", code=2)
            self.ask(url, "--unsigned", "--prefix", "x", code=2)
            other = self.ask(url, "--public-key", minisign.Key(2).line, code=4)
            self.assertIn(b"is not trusted", other.err)
            self.ask(url, "--public-key", "key.pub", "--state", "state")
            self.assertIn(b"3\tfile.crv\n", (self.dir / "state").read_bytes())
            self.crivo("sign", "site/file.crv", "--secret-key", "key", "--sequence", "2", "--force", "-q")
            self.assertIn(b"older", self.ask(url, "--public-key", "key.pub", "--state", "state", code=4).err)
            (self.site / "file.crv.minisig").unlink()
            self.assertIn(b"is missing", self.ask(url, "--public-key", "key.pub", code=4).err)
            self.assertIn(b"no such file", self.ask(url + "x", "--unsigned", code=5).err)
        self.assertEqual(self.ask(url, "--unsigned", code=5).err.count(b"\n"), 1)

    def test_forms_of_urls(self):
        self.publish()
        with web.liar(self.site) as (url, _):
            here = self.ask("site/file.crv").out
            self.assertEqual(self.ask(url.replace("http", "HtTp") + "/file.crv", "--unsigned").out, here)
        for none in ("http:///file.crv", "HTTP://", "http://:80/file.crv", "https://user:secret@/file.crv", "http://?x"):
            error = self.ask(none, "--unsigned", code=2).err
            self.assertIn(b"names no host", error)
            self.assertNotIn(b"secret", error)
        for other in ("HTTPS://a.example/file.crv", "http://a.example/file.crv"):
            self.assertIn(b"query, get, info and verify", self.crivo("dump", other, code=2).err)

    @unittest.skipUnless(web.NGINX, "nginx is not here (Debian's package nginx-light)")
    def test_nginx(self):
        """One round trip for both ends and the signature, one for the key's partition, over connections that are kept."""
        self.publish("filter", "--fpr", "1e-9")
        length = (self.site / "file.crv").stat().st_size
        self.assertGreater(length, 1_000_000)
        with web.nginx(self.site, self.dir) as (url, log):
            self.assertEqual(self.ask(f"{url}/file.crv", "--public-key", "key.pub").out, KEYS[7] + b"\tmaybe\nabsent\t-\n")
            done = subprocess.run([EXAMPLE, f"{url}/file.crv", "key.pub", KEYS[7]],
                                  cwd=self.dir, env=ENVIRONMENT, capture_output=True, timeout=60, check=True)  # fmt: skip
            self.assertEqual(done.stdout, KEYS[7] + b"\tmaybe\n")
            said = re.fullmatch(rb"2 round trips, (\d+) requests over ([123]) connections, (\d+) bytes\n", done.stderr)
            self.assertTrue(said, done.stderr)
            self.assertLess(int(said[3]), length * 2 // 3)
            rows = [row.split(" ", 4) for row in log.read_text().splitlines()]
        self.assertTrue(all(row[1] == ("200" if row[3].endswith(".minisig") else "206") for row in rows), rows)
        self.assertLess(len({row[0] for row in rows}), len(rows))


    @unittest.skipUnless(web.S3RVER.exists(), "there is no S3 server: tools/setup gets s3rver from npm")
    def test_s3(self):
        """An object store, which counts ranges from the beginning alone."""
        self.publish("filter", "--fpr", "1e-9")
        with web.s3(self.site, self.dir / "s3") as url:
            asked = [*random.Random(3).sample(KEYS, 300), *urls(300)]
            here = self.ask("site/file.crv", keys=asked)
            self.assertEqual(self.ask(f"{url}/file.crv", "--public-key", "key.pub", keys=asked).out, here.out)
            self.assertIn(b"no such file", self.ask(f"{url}/none.crv", "--unsigned", code=5).err)


class Lies(RemoteFile):
    """Servers that do not tell the truth: an error, and no wrong answer."""

    def setUp(self):
        super().setUp()
        self.publish("filter", "--fpr", "1e-9")

    def refused(self, lie, because, code=5, *options):
        with web.liar(self.site, lie) as (url, server):
            begin = time.monotonic()
            result = self.ask(f"{url}/file.crv", "--unsigned", "--timeout", "2", *options, code=code)
            self.assertIn(because, result.err, str(result))
            self.assertEqual((result.out, result.err.count(b"\n")), (b"", 1), str(result))
            return server.requests, time.monotonic() - begin

    def test_ignores_ranges(self):
        def lie(_, reply):
            data = (self.site / "file.crv").read_bytes()
            reply.status, reply.body, reply.headers = 200, data, {}

        self.refused(lie, b"sends no ranges")

    def test_other_ranges(self):
        def shifted(_, reply):
            found = re.match(r"bytes (\d+)-(\d+)/(\d+)", reply.headers["Content-Range"])
            begin, end, length = map(int, found.groups())
            if begin:
                reply.headers["Content-Range"] = f"bytes {begin - 1}-{end - 1}/{length}"

        def unsaid(_, reply):
            del reply.headers["Content-Range"]

        def nonsense(_, reply):
            reply.headers["Content-Range"] = "bytes 5-3/2"

        def huge(_, reply):
            reply.headers["Content-Range"] = re.sub(r"/.*", f"/{1 << 62}", reply.headers["Content-Range"])

        self.refused(shifted, b"another range")
        self.refused(unsaid, b"does not say which range")
        self.refused(nonsense, b"does not say which range")
        self.refused(huge, b"does not say which range")  # at the end that it claims

    def test_cuts(self):
        def short(_, reply):
            reply.body = reply.body[:-1]

        def torn(handler, reply):
            handler.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(reply.body[:1000])
            return False

        self.refused(short, b"bytes")
        self.refused(torn, b"http://")

    def test_more_than_asked(self):
        def longer(_, reply):
            reply.body += b"x"

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
                handler.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")

        def endless_signature(handler, reply):
            if handler.path.endswith(".minisig"):
                handler.send_response(200)
                handler.end_headers()
                while True:
                    handler.wfile.write(bytes(65536))

        def circle(handler, reply):
            reply.status, reply.body, reply.headers = 302, b"", {"Location": handler.path}

        self.refused(longer, b"more than the")
        self.refused(endless, b"more than the")
        self.refused(endless_header, b"endless header")
        self.refused(circle, b"redirect")
        with web.liar(self.site, endless_signature) as (url, _):
            result = self.ask(f"{url}/file.crv", "--public-key", "key.pub", code=5)
            self.assertIn(b"more than the 18432 bytes", result.err)

    def test_lengths_that_lie(self):
        """Of the header, of chunks, and of what was compressed on the way."""

        def raw(*fields, body=None):
            def lie(handler, reply):
                handler.wfile.write(b"HTTP/1.1 206 Partial Content\r\nContent-Range: " + reply.headers["Content-Range"].encode() + b"\r\n")
                handler.wfile.write("".join(f"{field}\r\n" for field in fields).format(len(reply.body)).encode() + b"\r\n")
                handler.wfile.write(reply.body if body is None else body(reply.body))
                return False

            return lie

        def encoded(_, reply):
            reply.body = gzip.compress(reply.body)
            reply.headers["Content-Encoding"] = "gzip"

        def multipart(_, reply):
            reply.body = b"--x\r\nContent-Range: " + reply.headers.pop("Content-Range").encode() + b"\r\n\r\n" + reply.body + b"\r\n--x--"
            reply.headers["Content-Type"] = "multipart/byteranges; boundary=x"

        self.refused(encoded, b"bytes")
        self.refused(multipart, b"http://")
        for fields, body in (
            (["Content-Length: 9{}"], None),
            (["Content-Length: 1"], None),
            (["Content-Length: -1"], None),
            (["Content-Length: {}", "Content-Length: 1"], None),
            (["Transfer-Encoding: chunked"], lambda text: b"FFFFFFFFFFFFFFFF\r\n" + text),
            (["Transfer-Encoding: chunked"], lambda text: b"10\r\n" + text),
            (["Transfer-Encoding: gzip, chunked"], lambda text: b"%x\r\n%s\r\n0\r\n\r\n" % (len(text), text)),
        ):
            with self.subTest(fields=fields):
                self.refused(raw(*fields, body=body), b"http://")

    def test_answers_that_are_none(self):
        def status(number, **fields):
            def lie(_, reply):
                reply.status, reply.body, reply.headers = number, b"", fields

            return lie

        def further(handler, reply):
            number = int(handler.path.rpartition("n")[2] or 0) if "?" in handler.path else 0
            reply.status, reply.body, reply.headers = 302, b"", {"Location": f"/file.crv?n{number + 1}"}

        def endless_interim(handler, _):
            while True:
                handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 1000)

        for number in (204, 206, 302, 304, 401, 416, 500):
            self.refused(status(number), b"http://")
        requests, _ = self.refused(status(503), b"the status 503", 5, "--retry", "1")
        self.assertEqual(len(requests), 4)  # both ends, each of them twice
        for place in ("ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "data:text/plain,x", "javascript:x", "http://", "http://[::1"):
            self.refused(status(302, Location=place), b"http://")
        requests, _ = self.refused(further, b"redirect")
        self.assertLess(len(requests), 100)
        self.refused(endless_interim, b"http://")

    def test_busy_servers_are_asked_again(self):
        left = [3]

        def busy(handler, reply):
            left[0] -= 1
            if left[0] % 2 == 0 and left[0] > -4:
                reply.status, reply.body, reply.headers = 429, b"later", {}
            return left[0] != -1  # that one ends the connection instead

        self.publish()
        with web.liar(self.site, busy) as (url, server):
            self.assertEqual(self.ask(f"{url}/file.crv", "--unsigned", "--retry", "5").out, self.ask("site/file.crv").out)
            self.assertGreater(len(server.requests), 5)

    def test_too_slow(self):
        def silent(_handler, _reply):
            time.sleep(20)
            return False

        def drips(handler, reply):
            handler.send_response(reply.status)
            handler.send_header("Content-Length", str(len(reply.body)))
            handler.send_header("Content-Range", reply.headers["Content-Range"])
            handler.end_headers()
            for byte in reply.body[:200]:
                handler.wfile.write(bytes([byte]))
                time.sleep(0.1)
            return False

        for lie in (silent, drips):
            self.refused(lie, b"http://")

    def test_redirections_are_followed_to_the_web_alone(self):
        def home(_, reply):
            reply.status, reply.body, reply.headers = 302, b"", {"Location": f"file://{self.site}/file.crv"}

        self.refused(home, b"http://")
        (self.site / "there").mkdir()
        os.link(self.site / "file.crv", self.site / "there/file.crv")

        def moved(handler, reply):
            if not handler.path.startswith("/there/"):
                reply.status, reply.body, reply.headers = 302, b"x" * 10, {"Location": "/there/file.crv"}

        with web.liar(self.site, moved) as (url, _):
            self.assertEqual(self.ask(f"{url}/file.crv", "--unsigned").out, KEYS[7] + b"\tmaybe\nabsent\t-\n")

    def test_messages_name_the_other_host_and_no_password(self):
        def missing(_, reply):
            reply.status, reply.body = 500, b""

        with web.liar(self.site, missing) as (other, _):

            def away(handler, reply):
                seen.append(handler.headers.get("Authorization"))
                reply.status, reply.body, reply.headers = 302, b"", {"Location": f"{other}/file.crv"}

            seen = []
            with web.liar(self.site, away) as (url, _):
                url = url.replace("http://", "http://user:secret@")
                for command in (("query", f"{url}/file.crv", "--key", "x", "--unsigned"),
                                ("query", f"{url}/file.crv", "--key", "x", "--public-key", "key.pub"),
                                ("fetch", url, "-o", "there", "--public-key", "key.pub")):  # fmt: skip
                    said = self.crivo(*command, code=5).err
                    self.assertIn(b"led to " + other.split("//")[1].encode(), said)
                    self.assertNotIn(b"secret", said)
            self.assertTrue(all(seen), seen)
        self.assertNotIn(b"secret", self.crivo("query", "http://user:secret@x/y", "--key", "x", code=2).err)

    @unittest.skipUnless(shutil.which("openssl"), "no openssl")
    def test_https_does_not_lead_to_http(self):
        """In a namespace of mounts, where a certificate of the test stands for those of the system."""
        pem = web.certificate(self.dir)
        trusting = ["unshare", "-m", "sh", "-c", 'mount --bind server.crt /etc/ssl/certs/ca-certificates.crt && exec "$0" "$@"']

        def run(*args):
            command = [*trusting, self.program, "query", *args, "--key", KEYS[7], "--unsigned"]
            return subprocess.run(command, cwd=self.dir, env=ENVIRONMENT, capture_output=True, check=False)

        with web.liar(self.site) as (plain, _), web.liar(self.site, pem=pem) as (safe, server):
            result = run(f"{safe}/file.crv")
            if b"unshare" in result.stderr or b"mount" in result.stderr:
                self.skipTest("no namespace of mounts")
            self.assertEqual((result.returncode, result.stdout), (0, KEYS[7] + b"\tmaybe\n"), result.stderr)

            def lead(to):
                def lie(handler, reply):
                    if handler.path != "/there.crv":
                        reply.status, reply.body, reply.headers = 302, b"", {"Location": f"{to}/there.crv"}

                return lie

            os.link(self.site / "file.crv", self.site / "there.crv")
            server.lie = lead(safe)
            self.assertEqual(run(f"{safe}/file.crv").returncode, 0)
            server.lie = lead(plain)
            result = run(f"{safe}/file.crv")
            self.assertEqual(result.returncode, 5, result.stderr)
            self.assertIn(b"from https to https alone", result.stderr)

    def test_changes_in_between(self):
        """After the ends were read the server has another file, of the same length or not."""
        self.publish("filter", "--fpr", "1e-9", keys=[b"other %d" % i for i in range(len(KEYS))], name="site/new.crv")

        def says_so(_, reply):
            if said["requests"] >= 2:
                reply.headers["ETag"] = '"new"'
            said["requests"] += 1

        def hides_it(handler, reply):
            if said["requests"] >= 2:
                begin = int(re.match(r"bytes (\d+)", reply.headers["Content-Range"])[1])
                reply.body = (self.site / "new.crv").read_bytes()[begin : begin + len(reply.body)].ljust(len(reply.body))
            said["requests"] += 1

        said = {"requests": 0}
        self.refused(says_so, b"was changed while it was read")
        said = {"requests": 0}
        self.refused(hides_it, b"fail the hash tree", 4)

    def test_changes_are_followed(self):
        """What has no answer yet is asked of the file that came in its place; one that changes all the time is given up."""
        other = b"other 7"
        self.publish("filter", "--fpr", "1e-9", keys=[b"other %d" % i for i in range(2 * len(KEYS))], name="site/new.crv")
        requests = itertools.count()

        def replaced(_, __):
            if next(requests) == 1:
                os.replace(self.site / "new.crv", self.site / "file.crv")

        def always(_, reply):
            reply.headers["ETag"] = f'"{next(requests) // 2}"'

        with web.liar(self.site, replaced) as (url, _):
            asked = f"{url}/file.crv", "--unsigned", "--follow-changes"
            self.assertEqual(self.ask(*asked, keys=[KEYS[7], other]).out, KEYS[7] + b"\t-\n" + other + b"\tmaybe\n")
        self.refused(always, b"was changed while it was read", 5, "--follow-changes")
        self.assertIn(b"needs a URL", self.ask("site/file.crv", "--follow-changes", code=2).err)

    def test_bits(self):
        """One bit of an answer is wrong: the right answer, where nobody looked at it, or an error."""
        rng = random.Random(30)
        refused = 0

        def flip(_, reply):
            if rng.random() < 0.5:
                at = rng.randrange(len(reply.body))
                reply.body = reply.body[:at] + bytes([reply.body[at] ^ 1 << rng.randrange(8)]) + reply.body[at + 1 :]

        with web.liar(self.site, flip) as (url, _):
            for _ in range(2000 if LONG else 60):
                key = rng.choice(KEYS)
                result = self.run_crivo("query", f"{url}/file.crv", "--public-key", "key.pub", "-k", key)
                if result.code == 0:
                    self.assertEqual(result.out, key + b"\tmaybe\n")
                else:
                    self.assertEqual((result.code, result.out), (4, b""), str(result))
                    refused += 1
        self.assertGreater(refused, 10)
