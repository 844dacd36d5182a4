# SPDX-License-Identifier: Apache-2.0
"""`crivo publish` and `crivo fetch`: sets of files that are new as a whole, and sites that must be refused."""

import os
import random
import re
import shutil
import subprocess
import time

import minisign
import web
from harness import LONG, CrivoTest, lines, pairs, records_of, urls


class Publishing(CrivoTest):
    key = minisign.Key(1)

    def setUp(self):
        super().setUp()
        self.write("key", self.key.secret_file())
        os.chmod(self.dir / "key", 0o600)
        self.write("key.pub", self.key.public_file)

    def make(self, name, salt=0, count=300):
        self.write("keys", lines(urls(count, salt)))
        self.crivo("build", "filter", "keys", "-o", name, "-q", "--force")
        self.crivo("sign", name, "--secret-key", "key", "--force", "-q")

    def publish(self, *paths, code=0):
        return self.crivo("publish", *paths, "-o", "site", "--secret-key", "key", code=code)

    def fetch(self, *options, site="site", code=0):
        return self.crivo("fetch", site, "-o", "here", "--public-key", "key.pub", *options, code=code)

    def refused(self, because, *options, site="site", code=4):
        before = self.state()
        result = self.fetch(*options, site=site, code=code)
        self.assertIn(because, result.err.decode(), str(result))
        self.assertEqual(self.state(), before, "a fetch that was refused changed something")

    def state(self):
        """What is in `here`, by name: bytes, or where a link leads."""
        root, found = self.dir / "here", {}
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = file.read()
        for name in os.listdir(root) if root.exists() else ():
            if (root / name).is_symlink():
                found[name] = os.readlink(root / name)
        return found

    def has(self, name, salt=0):
        found = self.crivo("query", f"here/current/{name}", "--public-key", "key.pub", "--present", stdin=lines(urls(300, salt)))
        self.assertEqual(found.out.count(b"\n"), 300)


class Fetch(Publishing):
    def test_current_files_are_looked_at(self):
        """Without a new sequence: what was removed, changed or replaced by a link is fetched again."""
        self.make("a.crv")
        self.make("b.crv", 1)
        self.publish("a.crv", "a.crv.minisig", "b.crv")
        self.fetch()
        whole = self.state()
        for change in ("remove", "change", "link"):
            with self.subTest(change):
                path = self.dir / "here/current/a.crv"
                path.unlink()
                if change == "change":
                    path.write_bytes(b"x")
                elif change == "link":
                    path.symlink_to(self.dir / "a.crv")
                said = self.fetch("--json").json()
                self.assertEqual((said["new"], said["files"], said["fetched"]), (False, 3, 1))
                self.assertEqual(self.state(), whole)
                self.assertFalse(path.is_symlink())
        self.assertEqual(self.fetch("--json").json()["fetched"], 0)

    def test_sets_follow_each_other(self):
        self.make("a.crv")
        self.make("b.crv", 1)
        said = self.crivo("publish", "a.crv", "a.crv.minisig", "b.crv", "-o", "site", "--secret-key", "key", "--json").json()
        self.assertEqual((said["sequence"], said["files"], said["added"]), (1, 3, 3))
        first = self.fetch("--json").json()
        self.assertEqual((first["new"], first["files"], first["fetched"]), (True, 3, 3))
        self.has("a.crv")
        again = self.fetch("--json").json()
        self.assertEqual((again["new"], again["fetched"], again["fetched_bytes"]), (False, 0, 0))
        self.make("a.crv", 2)
        with open(self.dir / "here/current/a.crv", "rb") as kept:
            self.publish("a.crv", "a.crv.minisig", "b.crv")
            second = self.fetch("--json").json()
            self.assertEqual((second["new"], second["sequence"], second["fetched"]), (True, 2, 2))
            self.has("a.crv", 2)
            self.assertEqual(os.stat(self.dir / "here/set-1/a.crv").st_ino, os.fstat(kept.fileno()).st_ino)
        self.assertEqual(os.stat(self.dir / "here/set-1/b.crv").st_ino, os.stat(self.dir / "here/set-2/b.crv").st_ino)
        self.publish("b.crv")
        self.fetch("-q")
        self.assertEqual(self.listing("here"), ["current", "set-2", "set-3"])
        self.assertEqual(self.listing("here/current"), ["b.crv", "contents", "contents.minisig"])
        # The site has what the last two sets need.
        self.assertEqual(self.listing("site"), ["contents-2", "contents-3", "current.minisig", "files"])
        self.assertEqual(len(self.listing("site/files")), 3)

    def test_stores_and_folders(self):
        keys = urls(200)
        self.write("keys", pairs(keys, records_of(keys)))
        self.crivo("build", "store", "keys", "-o", "shop", "--backend", "flat", "-q")
        self.crivo("build", "store", "keys", "-o", "changing", "--backend", "lmdb", "-q")
        self.assertIn(b"flat", self.publish("changing", code=2).err)
        os.makedirs(self.dir / "pages/more")
        self.write("pages/more/read me.txt", b"of any kind\n")
        self.publish("shop", "pages")
        self.fetch("-q")
        self.crivo("verify", "here/current/shop")
        self.assertEqual((self.dir / "here/current/pages/more/read me.txt").read_bytes(), b"of any kind\n")
        done = subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "contents"], cwd=self.dir / "here/current", check=True)
        self.assertEqual(done.returncode, 0)

    def test_signed_anew(self):
        self.make("a.crv")
        self.publish("a.crv")
        self.fetch("-q")
        with open(self.dir / "site/contents-1", "rb") as file:
            listed = file.read()
        comment = b"crivo 1 bytes=%d sequence=1 expires=2999-01-31T00:00Z" % len(listed)
        self.write("site/current.minisig", self.key.signature(listed, comment))
        said = self.fetch("--json").json()
        self.assertEqual((said["new"], said["expires"]), (False, "2999-01-31T00:00Z"))
        self.assertEqual((self.dir / "here/current/contents.minisig").read_bytes(), self.key.signature(listed, comment))

    def test_what_is_not_published(self):
        self.make("a.crv")
        data = bytearray((self.dir / "a.crv").read_bytes())
        data[len(data) // 2] ^= 1
        self.write("bad.crv", data)
        self.publish("bad.crv", code=4)
        self.publish("a.crv", "./a.crv", code=2)
        self.write("contents", b"")
        self.write("back\\slash", b"")
        self.publish("contents", code=2)
        self.publish("back\\slash", code=2)
        self.publish("missing", code=5)
        for name in ("\u202ea", "\x85", "-a", "a\u2028"):
            os.makedirs(self.dir / "odd")
            self.write(f"odd/{name}", b"")
            self.assertIn(b"cannot have the name", self.publish("odd", code=2).err)
            shutil.rmtree(self.dir / "odd")
        self.publish("a.crv")
        self.assertIn(b"take a higher one", self.publish("a.crv", "--sequence", "1", code=2).err)
        self.publish("a.crv", "--sequence", "7")
        self.crivo("fetch", "site", "-o", "here", code=2)


    def test_links(self):
        """None leads into the set, or out of the site."""
        self.write("private", b"private")
        os.makedirs(self.dir / "pages/more")
        self.write("pages/text", b"text")
        for target in ("../private", "more", "nothing"):
            (self.dir / "pages/link").symlink_to(target)
            self.assertIn(b"pages/link: is a symbolic link", self.publish("pages", code=2).err)
            (self.dir / "pages/link").unlink()
        (self.dir / "folder").symlink_to("pages")
        self.publish("folder")  # it was named
        held = sorted((self.dir / "site/files").iterdir())
        for path in (held[0], self.dir / "site/contents-2", self.dir / "site/current.minisig"):
            before = path.read_bytes() if path.exists() else None
            path.unlink(missing_ok=True)
            path.symlink_to(self.dir / "private")
            self.assertIn(b"is a symbolic link", self.publish("folder", code=2).err)
            self.assertEqual((self.dir / "private").read_bytes(), b"private")
            path.unlink()
            if before is not None:
                path.write_bytes(before)
        self.publish("folder")

    def test_a_secret_key_that_all_may_read(self):
        self.make("a.crv")
        for mode, said in ((0o644, b"read"), (0o606, b"read and write"), (0o602, b"write")):
            os.chmod(self.dir / "key", mode)
            for done in (self.publish("a.crv"), self.crivo("sign", "a.crv", "--secret-key", "key", "--force")):
                self.assertIn(b"warning: key: every user may %s the secret key" % said, done.err)
        os.chmod(self.dir / "key", 0o640)
        self.assertNotIn(b"warning", self.publish("a.crv").err)


class Sites(Publishing):
    """Threats by the names of The Update Framework."""

    def setUp(self):
        super().setUp()
        self.make("a.crv")
        self.publish("a.crv", "a.crv.minisig")
        shutil.copytree(self.dir / "site", self.dir / "site-1")
        self.make("a.crv", 1)
        self.publish("a.crv", "a.crv.minisig")

    def test_large_files_are_asked_for(self):
        """Longer than any limit of time: none of the server's patience is of the length."""
        self.sign_list(b"# Crivo contents 1\n# 3000000000 bytes\n%s  big\n" % (b"0" * 64))
        with web.liar(self.dir / "site") as (url, _):
            self.refused("is not on the server", site=url, code=5)

    def sign_list(self, listed, more=b"", sequence=3, key=None):
        self.write(f"site/contents-{sequence}", listed)
        comment = b"crivo 1 bytes=%d sequence=%d%s" % (len(listed), sequence, more)
        self.write("site/current.minisig", (key or self.key).signature(listed, comment))

    def test_rollback(self):
        self.fetch("-q")
        self.refused("is too old: its sequence is 1", site="site-1")
        # Also where the directory is lost, by a state.
        self.fetch("-q", "--state", "state")
        shutil.rmtree(self.dir / "here")
        os.mkdir(self.dir / "here")
        self.refused("older", "--state", "state", site="site-1")

    def test_freeze(self):
        listed = (self.dir / "site/contents-2").read_bytes()
        self.sign_list(listed, b" expires=2020-01-31T00:00Z")
        os.mkdir(self.dir / "here")
        self.refused("expired at 2020-01-31")

    def test_mix_and_match(self):
        self.fetch("-q")
        # The list of one set under the signature of another, and other files under the same sequence.
        self.sign_list((self.dir / "site/contents-2").read_bytes())
        shutil.copy(self.dir / "site-1/contents-1", self.dir / "site/contents-3")
        self.refused("is another list than")
        self.sign_list((self.dir / "site-1/contents-1").read_bytes(), sequence=2)
        self.refused("other files under the sequence 2")

    def test_arbitrary_files(self):
        self.fetch("-q", site="site-1")
        for name in self.listing("site/files"):
            path = self.dir / "site/files" / name
            path.write_bytes(path.read_bytes()[:-1] + b"x")
        self.refused("is another file than its list says")

    def test_wrong_keys(self):
        os.mkdir(self.dir / "here")
        listed = (self.dir / "site/contents-2").read_bytes()
        self.sign_list(listed, key=minisign.Key(2))
        self.refused("is not trusted")
        self.sign_list(listed, key=minisign.Key(2, id_of=self.key))
        self.refused("was altered")
        self.write("site/current.minisig", self.key.signature(listed, b"crivo 1 bytes=5 sequence=3", legacy=True))
        self.refused("legacy")
        (self.dir / "site/current.minisig").unlink()
        self.refused("current.minisig", code=5)

    def test_signatures_of_other_things(self):
        """A file's signature is of the same key, and no list's."""
        os.mkdir(self.dir / "here")
        shutil.copy(self.dir / "a.crv.minisig", self.dir / "site/current.minisig")
        self.refused("is not the signature of a published set")
        self.write("site/current.minisig", self.key.signature(b"x", b"timestamp:1\tfile:x\thashed"))
        self.refused("is not the signature of a published set")
        self.sign_list(b"x")
        self.refused("is not a list of published files")

    def test_names_that_lead_elsewhere(self):
        os.mkdir(self.dir / "here")
        zero = b"0" * 64
        names = (b"../a", b"/a", b"a/../../b", b"a//b", b"./a", b".a", b"a/", b"", b"contents", b"a\x01", b"a\\b", b"\xff", b"a" * 300,
                 b"-a", b"a/-b", b"a\xc2\x85", b"\xe2\x80\xaea", b"a\xe2\x80\xa8")
        for name in names:
            with self.subTest(name):
                self.sign_list(b"# Crivo contents 1\n# 0 bytes\n%s  %s\n" % (zero, name))
                self.refused("contents-3: a line of it names no file")
        for rows, because in (
            (b"# 0 bytes\n%s  b\n# 0 bytes\n%s  a\n" % (zero, zero), "not in order"),
            (b"# 0 bytes\n%s  a\n# 0 bytes\n%s  a/b\n" % (zero, zero), "is a file and a directory"),
            (b"# 9223372036854775807 bytes\n%s  a\n# 9223372036854775807 bytes\n%s  b\n" % (zero, zero), "too long"),
            (b"# 01 bytes\n%s  a\n" % zero, "names no file"),
        ):
            self.sign_list(b"# Crivo contents 1\n" + rows)
            self.refused(because)

    def test_endless_data(self):
        os.mkdir(self.dir / "here")
        listed = (self.dir / "site/contents-2").read_bytes()
        self.write("site/contents-2", listed + b"x")
        self.refused("longer than")
        self.write("site/contents-2", listed)
        for name in self.listing("site/files"):
            with open(self.dir / "site/files" / name, "ab") as file:
                file.write(b"x")
        self.refused("longer than")
        self.write("site/current.minisig", b"x" * 20_000)
        self.refused("longer than")
        self.write("site/current.minisig", self.key.signature(listed, b"crivo 1 bytes=99999999999 sequence=3"))
        self.refused("16 MiB")

    def test_flips_and_cuts(self):
        """Of any file of a site: nothing of it gets here. The untrusted comment may say anything."""
        os.mkdir(self.dir / "here")
        rng = random.Random(30)
        site = self.dir / "site"
        files = [site / "current.minisig", site / "contents-2", *(site / "files").iterdir()]
        listed = (site / "contents-2").read_text()
        files = [file for file in files if file.parent == site or file.name in listed]
        for _ in range(3000 if LONG else 200):
            path = rng.choice(files)
            data = path.read_bytes()
            at = rng.randrange(data.index(b"\n") + 1 if path.name == "current.minisig" else 0, len(data))
            changed = data[:at] if rng.random() < 0.2 else data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
            path.write_bytes(changed)
            result = self.run_crivo("fetch", "site", "-o", "here", "--public-key", "key.pub")
            self.assertIn(result.code, (4, 5), f"{path} at {at}: {result}")
            self.assertEqual(self.state(), {}, f"{path} at {at}")
            path.write_bytes(data)
        self.fetch("-q")
        self.has("a.crv", 1)


class Web(Publishing):
    def setUp(self):
        super().setUp()
        without = self.run_crivo("query", "http://127.0.0.1:9/x", "--unsigned", "-k", "x")
        if b"without libcurl" in without.err:
            self.skipTest("crivo was built without libcurl")
        self.make("a.crv")
        self.publish("a.crv", "a.crv.minisig")

    def test_over_nginx(self):
        if not web.NGINX:
            self.skipTest("nginx is not here (Debian's package nginx-light)")
        with web.nginx(self.dir / "site", self.dir) as (url, log):
            self.fetch("-q", site=url + "/")
            self.has("a.crv")
            self.make("a.crv", 1)
            self.publish("a.crv", "a.crv.minisig")
            self.fetch("-q", site=url)
            self.has("a.crv", 1)
            (self.dir / "site/current.minisig").unlink()
            self.refused("is not on the server", site=url, code=5)
            # nginx logs a request after it has answered it. Each run keeps its own connection.
            self.wait_until(lambda: " 404 " in log.read_text())
            self.assertEqual(len({row.split(" ")[0] for row in log.read_text().splitlines()}), 3)
        self.refused("127.0.0.1", site=url, code=5)

    def test_servers_that_lie(self):
        def endless(handler, _):
            if re.search(wanted, handler.path):
                handler.send_response(200)
                handler.end_headers()
                while True:
                    handler.wfile.write(bytes(65536))

        def slow(handler, reply):
            if re.search(wanted, handler.path):
                handler.send_response(200)
                handler.send_header("Content-Length", str(len(reply.body)))
                handler.end_headers()
                handler.wfile.write(reply.body[:10])
                handler.wfile.flush()
                time.sleep(8)
                return False
            return None

        def cut(handler, reply):
            if re.search(wanted, handler.path):
                reply.body = reply.body[:-1]

        os.mkdir(self.dir / "here")
        for wanted in ("current", "contents", "files/"):
            for lie, because in ((endless, "more than the"), (slow, "http://"), (cut, "")):
                with self.subTest(wanted=wanted, lie=lie.__name__), web.liar(self.dir / "site", lie) as (url, _):
                    result = self.run_crivo("fetch", url, "-o", "here", "--public-key", "key.pub", "--timeout", "1")
                    self.assertIn(result.code, (4, 5), str(result))
                    self.assertIn(because, result.err.decode())
                    self.assertEqual(self.state(), {})
