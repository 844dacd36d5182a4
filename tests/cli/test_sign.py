# SPDX-License-Identifier: Apache-2.0
"""`crivo sign`, and `crivo verify --public-key`: who signed what, how new it is, and what is refused."""

import base64
import hashlib
import os
import pathlib
import pty
import random
import select
import shutil
import subprocess
import sys
import unittest

import forged
import minisign
from forged import mended
from harness import CRIVO, ENVIRONMENT, KINDS, LONG, CrivoTest, data_file, lines, pairs, records_of, urls

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "formats"))
import reader  # pylint: disable=wrong-import-position,wrong-import-order

MINISIGN = shutil.which("minisign")
FAR = ("--expires", "2999-01-01")


class Signing(CrivoTest):
    key = minisign.Key(1)

    def setUp(self):
        super().setUp()
        self.write("key", self.key.secret_file())
        os.chmod(self.dir / "key", 0o600)
        self.write("key.pub", self.key.public_file)

    def build(self, kind="filter", name="file.crv", count=200, *options):
        keys = urls(count)
        self.write("keys", pairs(keys, records_of(keys)) if kind == "store" else lines(keys))
        self.crivo("build", kind, "keys", "-o", name, "-q", "--force", *options)
        return name

    def sign(self, name="file.crv", *options):
        return self.crivo("sign", name, "--secret-key", "key", "--force", *options)

    def check(self, name="file.crv", *options, code=0):
        """The reader in Python says the same; it keeps no state."""
        if "--state" not in options:
            try:
                reader.open_signed(self.dir / name, [(self.dir / "key.pub").read_text().splitlines()[1]])
                self.assertEqual(code, 0, f"{name}: the reader accepts it")
            except reader.Refused as refused:
                self.assertEqual(code, 4, f"{name}: the reader says: {refused}")
        return self.crivo("verify", name, "--public-key", "key.pub", *options, code=code)

    def refused(self, because, name="file.crv", *options, code=4):
        result = self.check(name, *options, code=code)
        self.assertIn(because, result.err.decode(), str(result))

    def signature(self, name="file.crv"):
        return (self.dir / f"{name}.minisig").read_bytes()

    def put(self, signature, name="file.crv"):
        self.write(f"{name}.minisig", signature)


class Sign(Signing):
    def test_of_each_kind(self):
        for kind in KINDS:
            name = self.build(kind, f"a-{kind}", 200, *(("--backend", "flat") if kind == "store" else ()))
            with self.subTest(kind):
                signed = self.sign(name, "--sequence", "17", "--expires", "2999-12-07T04:40Z", "--json").json()
                info = self.crivo("info", name, "--json").json()
                file = f"{name}/index.crv" if kind == "store" else name
                size = (self.dir / file).stat().st_size
                records = ""
                if kind == "store":
                    shown = self.crivo("info", name, "--json").json()
                    self.assertEqual(shown["digest"], info["digest"])
                    records = " records=" + self.digest_of(data_file(self.dir / name))
                self.assertEqual(signed["signature"], f"{file}.minisig")
                self.assertEqual(signed["key_id"], self.key.id_text)
                self.assertEqual(
                    signed["trusted_comment"],
                    f"crivo 1 root={info['digest']}{records} bytes={size} sequence=17 expires=2999-12-07T04:40Z",
                )
                shown = self.check(name, "--json").json()
                self.assertEqual(shown["trusted_comment"], signed["trusted_comment"])
                self.assertEqual((shown["sequence"], shown["expires"]), (17, "2999-12-07T04:40Z"))
                # It is what minisign would write, but for the comments.
                data = (self.dir / file).read_bytes()
                again = self.key.signature(data, signed["trusted_comment"].encode())
                self.assertEqual(minisign.parts(self.signature(file)), minisign.parts(again))

    @staticmethod
    def digest_of(path):
        """SHA-256 of header, table and footer, as formats/crivo-1.md says."""
        data = path.read_bytes()
        table = int.from_bytes(data[40:48], "little")
        return hashlib.sha256(data[:192] + data[table:]).hexdigest()

    def test_of_keys_with_a_password(self):
        self.build()
        self.write("password", b"hush \xc3\xa9\n")
        for operations, memory in ((32768, 1 << 20), (1 << 20, 1 << 20), (32768, 1 << 23), (1, 1 << 21)):
            with self.subTest(operations=operations, memory=memory):
                self.write("key", self.key.secret_file(b"hush \xc3\xa9", max(operations, 32768), memory))
                self.sign("file.crv", "--password-file", "password")
                self.check()
        self.write("password", b"hush\n")
        for password, code in ((b"hush\n", 2), (b"\n", 2), (b"", 2), (b"x" * 2000, 2)):
            self.write("password", password)
            before = self.signature()
            self.crivo("sign", "file.crv", "--secret-key", "key", "--force", "--password-file", "password", code=code)
            self.assertEqual(self.signature(), before)

    def test_asks_for_the_password(self):
        self.build()
        self.write("key", self.key.secret_file(b"hush"))
        for typed, code in ((b"hush\n", 0), (b"wrong\n", 2), (b"hu\x03", 5)):
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(self.dir)
                os.execve(CRIVO, [CRIVO, "sign", "file.crv", "--secret-key", "key", "--force"], ENVIRONMENT)
            shown = b""
            while not shown.endswith(b": "):
                shown += os.read(terminal, 1000)
            os.write(terminal, typed)
            try:
                while select.select([terminal], [], [], 60)[0]:
                    shown += os.read(terminal, 1000)
            except OSError:  # it ended
                pass
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), code, shown)
            self.assertNotIn(typed[:2], shown.replace(b"key", b"").split(b"signature")[0].split(b"crivo:")[0])
            os.close(terminal)
        self.check()
        # Without a terminal it says what to do.
        result = subprocess.run(
            [CRIVO, "sign", "file.crv", "--secret-key", "key", "--force"],
            cwd=self.dir, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True, check=False,
        )  # fmt: skip
        self.assertEqual(result.returncode, 2, result)
        self.assertIn(b"--password-file", result.stderr)

    def test_refuses_what_is_no_key(self):
        self.build()
        good = base64.b64decode(self.key.secret_file().split(b"\n")[1])
        halves = good[:62] + bytes([good[62] ^ 1]) + good[63:]
        for data in (b"", b"x\n", self.key.public_file, self.key.secret_file()[:-20], b"untrusted comment: x\n" * 3,
                     b"untrusted comment: x\n" + base64.b64encode(halves)):  # fmt: skip
            self.write("key", data)
            self.crivo("sign", "file.crv", "--secret-key", "key", code=2)
        self.crivo("sign", "file.crv", "--secret-key", "none", code=5)
        self.assertEqual(self.listing(), ["file.crv", "key", "key.pub", "keys"])

    def test_refuses_what_cannot_be_signed(self):
        store = self.build("store", "a-store", 200, "--backend", "lmdb")
        result = self.crivo("sign", store, "--secret-key", "key", code=2)
        self.assertIn(b"the backend lmdb", result.err)
        self.crivo("sign", "keys", "--secret-key", "key", code=4)
        self.build()
        self.sign()
        self.crivo("sign", "file.crv", "--secret-key", "key", code=2)  # there is one
        self.crivo("sign", "file.crv", "--secret-key", "key", "--expires", "tomorrow", "--force", code=2)
        self.crivo("sign", "file.crv", "--secret-key", "key", "--expires", "2027-02-29", "--force", code=2)
        self.crivo("partition", "keys", "--shards", "2", "-o", "parts", "-q")
        self.crivo("build", "filter", "parts", "--shard", "0/2", "-o", "part", "-q")
        self.crivo("sign", "part", "--secret-key", "key", code=2)
        data = bytearray((self.dir / "file.crv").read_bytes())
        data[300] ^= 1
        self.write("damaged", data)
        self.crivo("sign", "damaged", "--secret-key", "key", code=4)
        self.assertNotIn("damaged.minisig", self.listing())

    def test_of_a_manifest_names_its_parts(self):
        self.write_keys(urls(3000), "keys")
        self.crivo("partition", "keys", "--shards", "2", "-o", "parts", "-q")
        for shard in "01":
            self.crivo("build", "filter", "parts", "--shard", f"{shard}/2", "-o", f"part{shard}", "-q")
        self.crivo("manifest", "part0", "part1", "-o", "all.crv", "-q")
        self.sign("all.crv")
        self.check("all.crv")
        self.put(self.key.signature((self.dir / "all.crv").read_bytes()), "all.crv")
        self.check("all.crv")
        part = bytearray((self.dir / "part1").read_bytes())
        part[4100] ^= 1
        self.write("part1", part)
        self.check("all.crv", code=4)

    def test_of_a_store_covers_its_records(self):
        store = self.build("store", "a-store", 200, "--backend", "flat")
        self.sign(store)
        self.check(store)
        self.check(f"{store}/")
        self.refused("names no records", self.foreign(store))
        self.sign(store)
        self.build("store", "a-store", 300, "--backend", "flat")  # a signature is no stranger in a store's directory
        self.refused("index.crv", store)
        self.sign(store)
        self.check(store)

    def test_of_a_store_does_not_cover_updates(self):
        """A store with some is not signed; and a log that is put beside a signed store is refused, not read."""
        change = pairs(urls(1), [b"forged"])
        store = self.build("store", "a-store", 200, "--backend", "flat")
        self.crivo("store", "set", store, "-q", stdin=change)
        self.assertIn(b"a store with updates", self.crivo("sign", store, "--secret-key", "key", code=2).err)
        (log,) = (self.dir / store).glob("updates-*.log")
        forged_log = log.read_bytes()
        log.unlink()
        self.sign(store)
        self.check(store)
        log.write_bytes(forged_log)
        for command in (("verify", store), ("get", store, urls(1)[0]), ("info", store)):
            self.assertIn(b"a store with updates", self.crivo(*command, "--public-key", "key.pub", code=2).err)

    def foreign(self, store):
        index = f"{store}/index.crv"
        self.put(self.key.signature((self.dir / index).read_bytes()), index)
        return store


class Verify(Signing):
    def setUp(self):
        super().setUp()
        self.build()
        self.data = (self.dir / "file.crv").read_bytes()

    def test_takes_keys_in_each_form(self):
        self.sign("file.crv", *FAR)
        other = minisign.Key(2).line
        for keys in (["key.pub"], [self.key.line], [other, self.key.line]):
            options = [word for key in keys for word in ("--public-key", key)]
            self.crivo("verify", "file.crv", *options)
            self.crivo("verify", *options, "file.crv")
        for key in ("keys", "file.crv", self.key.line[:-1]):
            self.crivo("verify", "file.crv", "--public-key", key, code=2 if key in self.listing() else 5)
        self.crivo("verify", "file.crv", "--public-key", "key.pub", "--keys", "keys", code=2)
        self.crivo("verify", "file.crv", "--state", "state", code=2)

    def test_of_minisign_reads_the_whole_file(self):
        for comment in (b"timestamp:1\tfile:x\thashed", b"", b"any \xc3\xa9", b"crivos"):
            self.put(self.key.signature(self.data, comment))
            shown = self.check("file.crv", "--json").json()
            self.assertEqual(shown["trusted_comment"].encode(), comment)
        self.build(count=201)
        self.refused("is another file than the one")

    def test_refuses_each_with_a_sentence(self):
        root = self.crivo("info", "file.crv", "--json").json()["digest"].encode()
        (self.dir / "file.crv.minisig").unlink(missing_ok=True)
        self.refused("is missing")
        for because, signature in forged.refused_signatures(self.key, self.data, root):
            with self.subTest(because, signature=signature[:300]):
                self.put(signature)
                self.refused(because)
        for signature in forged.accepted_signatures(self.key, self.data, root):
            self.put(signature)
            self.check()

    def test_keeps_the_highest_sequence(self):
        def comment(sequence):
            return b"crivo 1 bytes=%d sequence=%d" % (len(self.data), sequence)

        for sequence in (3, 3, 7):
            self.put(self.key.signature(self.data, comment(sequence)))
            self.check("file.crv", "--state", "state")
        self.assertEqual((self.dir / "state").read_text(), "known sequences 1\n7\tfile.crv\n")
        for older in (comment(6), b"timestamp:1"):
            self.put(self.key.signature(self.data, older))
            self.refused("older than one that was seen", "file.crv", "--state", "state")
        self.check()
        # What is refused for another reason is not kept.
        self.put(self.key.signature(self.data + b"x", comment(9)))
        self.check("file.crv", "--state", "state", code=4)
        self.assertEqual((self.dir / "state").read_text(), "known sequences 1\n7\tfile.crv\n")
        shutil.copy(self.dir / "file.crv", self.dir / "other.crv")
        self.put(self.key.signature(self.data, comment(1)), "other.crv")
        self.check("./other.crv", "--state", "state")
        self.assertEqual((self.dir / "state").read_text(), "known sequences 1\n7\tfile.crv\n1\tother.crv\n")
        for damaged in (b"known sequences 2\n", b"known sequences 1\nx\ty\n",
                        b"known sequences 1\n1\ty", b"known sequences 1\n1\ty\n1\ty\n",
                        b"known sequences 1\n1\ty\r\r\n"):  # fmt: skip
            self.write("state", damaged)
            self.refused("is not a file of known sequences", "other.crv", "--state", "state")

    def test_many_keep_one_state(self):
        count = 12
        for i in range(count):
            shutil.copy(self.dir / "file.crv", self.dir / f"{i}.crv")
            self.put(self.key.signature(self.data, b"crivo 1 bytes=%d sequence=%d" % (len(self.data), i + 1)), f"{i}.crv")
        runs = [
            subprocess.Popen([CRIVO, "verify", f"{i}.crv", "--public-key", "key.pub", "--state", "state", "-q"],
                             cwd=self.dir, env=ENVIRONMENT)  # fmt: skip
            for i in range(count)
        ]
        for run in runs:
            self.assertEqual(run.wait(60), 0)
        kept = (self.dir / "state").read_text().splitlines()[1:]
        self.assertEqual(sorted(kept), sorted(f"{i + 1}\t{i}.crv" for i in range(count)))


class Open(Signing):
    """What answers keys answers none of a file that is not signed as it should be."""

    commands = ("query", "file.crv", "keys"), ("query", "file.crv", "keys", "--open", "copy"), ("info", "file.crv")

    def test_each_kind_answers_as_without(self):
        for kind in (*KINDS, "dictionary"):
            name = self.build(kind, f"a-{kind}", 200, *(("--backend", "flat") if kind == "store" else ()))
            self.sign(name, "--sequence", "5", *FAR)
            self.write_keys(urls(300), "asked")
            for command in (("query", name, "asked"), ("query", name, "asked", "--open", "copy"), ("info", name, "--json")):
                with self.subTest(command=command):
                    plain = self.crivo(*command).out
                    self.assertEqual(self.crivo(*command, "--public-key", "key.pub", "--state", "state").out, plain)
                    self.crivo(*command, "--public-key", minisign.Key(2).line, code=4)
        self.assertEqual(self.crivo("get", "a-store", urls(1)[0], "--public-key", "key.pub").out, records_of(urls(1))[0])
        self.crivo("get", "a-store", urls(1)[0], "--public-key", minisign.Key(2).line, code=4)

    def test_no_answer_of_a_changed_byte(self):
        """XXH3 sums mended, as a forger would: each byte of what is not in the header is another in turn."""
        self.build(count=60)
        self.sign("file.crv")
        data = (self.dir / "file.crv").read_bytes()
        for at in range(192, len(data) - 40, 1 if LONG else 97):
            changed = bytearray(data)
            changed[at] ^= 0x10
            forged = mended(changed, data)
            if forged == data:  # it was a byte of a sum
                continue
            self.write("file.crv", forged)
            for command in self.commands if LONG else self.commands[:1]:
                result = self.run_crivo(*command, "--public-key", "key.pub")
                self.assertEqual((result.code, result.out), (4, b""), f"byte {at}: {result}")

    def test_stores_and_manifests(self):
        self.build("store", "a-store", 300, "--backend", "flat")
        self.sign("a-store")
        path = data_file(self.dir / "a-store")
        data = path.read_bytes()
        changed = bytearray(data)
        changed[len(data) // 2] ^= 1
        for damaged in (bytes(changed), mended(changed)):
            path.write_bytes(damaged)
            self.crivo("get", "a-store", urls(1)[0], "--public-key", "key.pub", code=4)
        path.write_bytes(data)
        self.build("store", "lmdb", 200, "--backend", "lmdb")
        self.crivo("get", "lmdb", urls(1)[0], "--public-key", "key.pub", code=4)
        self.put(self.key.signature((self.dir / "lmdb/index.crv").read_bytes()), "lmdb/index.crv")
        self.assertIn(b"the backend lmdb", self.crivo("get", "lmdb", urls(1)[0], "--public-key", "key.pub", code=2).err)
        self.write_keys(urls(3000), "keys")
        self.crivo("partition", "keys", "--shards", "2", "-o", "parts", "-q")
        for shard in "01":
            self.crivo("build", "filter", "parts", "--shard", f"{shard}/2", "-o", f"part{shard}", "-q")
        self.crivo("manifest", "part0", "part1", "-o", "file.crv", "-q")
        self.sign("file.crv")
        for command in self.commands:
            self.crivo(*command, "--public-key", "key.pub")
        part = bytearray((self.dir / "part1").read_bytes())
        part[4100] ^= 1
        self.write("part1", mended(part))
        for command in self.commands:
            self.crivo(*command, "--public-key", "key.pub", code=4)

    def test_state_and_expiry(self):
        self.build(count=60)
        for sequence, code in ((4, 0), (5, 0), (4, 4)):
            self.sign("file.crv", "--sequence", sequence)
            for command in self.commands:
                self.crivo(*command, "--public-key", "key.pub", "--state", "state", code=code)
        self.sign("file.crv", "--expires", "2020-01-01")
        for command in self.commands:
            self.assertIn(b"expired", self.crivo(*command, "--public-key", "key.pub", code=4).err)


class Chains(Signing):
    """A chain may have a signature; if it has none, its base and its deltas have."""

    def setUp(self):
        """set.crv (not signed), 1.crv and 2.crv (sequences 2 and 3), and the chains of them: short.crv and chain.crv."""
        super().setUp()
        universe = urls(400)
        self.write("universe", lines(universe))
        self.write("members", lines(universe[::20]))
        self.crivo("build", "exact", "--members", "members", "--universe", "universe", "-o", "set.crv", "-q")
        for number, before, chain in ((1, "set.crv", "short.crv"), (2, "short.crv", "chain.crv")):
            self.write("members", lines(universe[number::20]))
            delta = f"{number}.crv"
            self.crivo("diff", before, "--members", "members", "--universe", "universe", "-o", delta, "-q")
            self.crivo("apply", before, delta, "-o", chain, "-q")
            self.sign(delta, "--sequence", str(number + 1), *FAR)

    def copy(self, name, to):
        shutil.copy(self.dir / name, self.dir / to)

    def every_reader(self, because="", name="chain.crv"):
        """What `because` says, or nothing, is why each way to open the chain refuses it."""
        trusting = ("--public-key", "key.pub", "--state", "state")
        for command in (("verify", name), ("query", name, "--key", "x")):
            error = self.crivo(*command, *trusting, code=4 if because else 0).err.decode()
            self.assertIn(because, error)

    def test_older_chain_is_refused(self):
        """Of layers that each are signed, cut at every place: the last one's sequence counts for the whole."""
        self.sign("set.crv", "--sequence", "1", *FAR)
        self.copy("chain.crv", "long.crv")
        self.copy("short.crv", "chain.crv")
        self.every_reader()
        self.copy("long.crv", "chain.crv")
        self.every_reader()
        self.copy("short.crv", "chain.crv")
        self.every_reader("1.crv.minisig: is older than one that was seen before")
        self.every_reader("older than one", "short.crv")  # under the base's name, whatever the chain is called
        for file in ("set.crv", "set.crv.minisig"):
            self.copy(file, file.replace("set", "chain"))
        self.every_reader("chain.crv.minisig: is older than one that was seen before")
        self.every_reader("set.crv.minisig: is older than one that was seen before", "set.crv")
        (self.dir / "chain.crv.minisig").unlink()
        self.copy("long.crv", "chain.crv")
        self.every_reader()

    def test_signature_of_the_chain_is_of_all_its_files(self):
        (self.dir / "1.crv.minisig").unlink()
        (self.dir / "2.crv.minisig").unlink()
        self.check("chain.crv", code=4)
        self.sign("chain.crv", "--sequence", "4", *FAR)
        self.assertEqual(self.check("chain.crv", "--json").json()["sequence"], 4)
        self.every_reader()
        self.copy("chain.crv", "long.crv")
        self.copy("short.crv", "chain.crv")
        self.refused("chain.crv: ", "chain.crv")
        self.every_reader("chain.crv: ")
        self.copy("long.crv", "chain.crv")
        self.every_reader()
        data = bytearray((self.dir / "1.crv").read_bytes())
        data[200] ^= 1
        self.write("1.crv", mended(data))
        self.every_reader("1.crv")

    def test_signature_that_was_taken_away_is_missed(self):
        self.sign("set.crv", "--sequence", "1", *FAR)
        self.sign("chain.crv", "--sequence", "3", *FAR)
        self.every_reader()
        (self.dir / "chain.crv.minisig").unlink()
        self.every_reader()  # the last delta is of the same sequence
        self.copy("short.crv", "chain.crv")
        self.every_reader("older than one that was seen before")

    def test_no_signature_is_left_unread(self):
        self.sign("set.crv", "--sequence", "1", *FAR)
        self.every_reader()
        for name in ("chain.crv", "set.crv", "1.crv"):
            with self.subTest(name):
                self.sign(name, "--sequence", "3", *FAR)
                good = self.signature(name)
                self.put(b"x", name)
                self.every_reader("is not a signature of minisign")
                self.put(good, name)
                self.every_reader()
        self.sign("chain.crv", "--sequence", "9", "--expires", "2020-01-01")
        self.every_reader("expired")

    def test_age_is_that_of_the_last_delta(self):
        self.sign("set.crv", "--expires", "2020-01-01")
        self.every_reader()
        self.check("chain.crv")
        self.crivo("apply", "set.crv", "1.crv", "2.crv", "-o", "again.crv", "--public-key", "key.pub", "--state", "state")
        self.every_reader("", "again.crv")
        for command in (("set.crv", "1.crv", "-o", "cut.crv"), ("short.crv", "1.crv", "-o", "cut.crv")):
            self.crivo("apply", *command, "--public-key", "key.pub", "--state", "state", code=4)
        self.sign("2.crv", "--sequence", "3", "--expires", "2020-01-01")
        self.refused("2.crv.minisig: expired", "chain.crv")
        self.assertNotEqual(self.crivo("verify", "chain.crv", "--public-key", minisign.Key(2).line, code=4).err, b"")

    def test_sequence_of_what_does_not_follow_is_not_kept(self):
        """Else a delta of another base could raise the sequence beyond all that are to come."""
        self.sign("set.crv", "--sequence", "1", *FAR)
        self.sign("1.crv", "--sequence", "99", *FAR)
        self.crivo("apply", "chain.crv", "1.crv", "--public-key", "key.pub", "--state", "state", code=4)
        self.every_reader()

    def test_lengthened_chain_warns_of_its_old_signature(self):
        self.sign("short.crv", *FAR)
        said = self.crivo("apply", "short.crv", "2.crv").err.decode()
        self.assertIn("warning: short.crv.minisig: signs the old chain", said)
        self.sign("set.crv", *FAR)
        self.every_reader("short.crv: ", "short.crv")

    def test_files_without_a_tree_are_not_covered(self):
        self.crivo("build", "exact", "--members", "members", "--universe", "universe", "-o", "set.crv", "-qf", "--no-tree")
        self.crivo("diff", "set.crv", "--members", "universe", "--universe", "universe", "-o", "1.crv", "-qf")
        self.crivo("apply", "set.crv", "1.crv", "-o", "chain.crv", "-qf")
        self.crivo("sign", "chain.crv", "--secret-key", "key", code=2)
        self.sign("set.crv", *FAR)
        self.sign("1.crv", *FAR)
        self.sign("chain.crv", *FAR)
        self.check("chain.crv")
        (self.dir / "set.crv.minisig").unlink()
        self.refused("no hash tree", "chain.crv")

    def test_each_file_must_be_signed(self):
        self.sign("1.crv", "--sequence", "1", *FAR)
        self.sign("2.crv", "--sequence", "2", *FAR)
        check = ("verify", "chain.crv", "--public-key", "key.pub", "--json")
        self.assertIn("set.crv", self.crivo(*check, code=4).err.decode())
        self.sign("set.crv", *FAR)
        checked = self.crivo(*check).json()
        self.assertEqual((checked["sequence"], checked["key_id"]), (2, self.key.id_text))
        self.crivo("verify", "chain.crv", "--public-key", minisign.Key(2).line, code=4)
        data = bytearray((self.dir / "1.crv").read_bytes())
        data[200] ^= 1
        (self.dir / "1.crv").write_bytes(data)
        self.assertIn("1.crv", self.crivo(*check, code=4).err.decode())
        (self.dir / "2.crv.minisig").unlink()
        self.crivo(*check, code=4)


class Pipes(Signing):
    def test_named_pipes_do_not_hang(self):
        self.build(count=20)
        self.sign()
        os.mkfifo(self.dir / "pipe")
        self.assertIn(b"is not the file of a public key", self.crivo("verify", "file.crv", "--public-key", "pipe", code=2).err)
        (self.dir / "file.crv.minisig").unlink()
        os.mkfifo(self.dir / "file.crv.minisig")
        for command in (("verify", "file.crv"), ("query", "file.crv", "--key", "x")):
            self.assertIn(b"is not a regular file", self.crivo(*command, "--public-key", "key.pub", code=4).err)


@unittest.skipUnless(MINISIGN, "minisign is not installed")
class Minisign(Signing):
    """The other program reads what this one writes, and the reverse."""

    def minisign(self, *args, stdin=b"", code=0):
        result = subprocess.run([MINISIGN, *args], cwd=self.dir, input=stdin, capture_output=True, check=False)
        self.assertEqual(result.returncode, code, result)
        return result

    def test_verifies_ours(self):
        self.build()
        self.sign("file.crv", "--sequence", "5", *FAR)
        shown = self.minisign("-Vm", "file.crv", "-p", "key.pub")
        self.assertIn(b"sequence=5 expires=2999-01-01T00:00Z", shown.stdout)
        self.minisign("-Vm", "file.crv", "-P", self.key.line)
        self.build(count=201)
        self.minisign("-Vm", "file.crv", "-p", "key.pub", code=1)

    def test_signs_what_we_verify(self):
        self.build()
        self.minisign("-Sm", "file.crv", "-s", "key", "-W")
        self.check()
        self.minisign("-Sm", "file.crv", "-s", "key", "-l", "-W")
        self.refused("legacy signature (Ed)")

    @unittest.skipUnless(LONG, "it takes minisign's 1 GB and some seconds a key")
    def test_keys_of_minisign(self):
        self.build()
        self.write("password", b"hush\n")
        for options, stdin in ((("-W",), b""), ((), b"hush\nhush\n")):
            self.minisign("-G", "-f", "-p", "key.pub", "-s", "key", *options, stdin=stdin)
            self.sign("file.crv", "--password-file", "password")
            self.check()
            self.minisign("-Vm", "file.crv", "-p", "key.pub")


class Mutants(Signing):
    """Flips, cuts, swaps and splices of the signature and of the file, XXH3 sums left as they are."""

    def test_none_is_accepted(self):
        self.build(count=60)
        self.sign("file.crv", "--sequence", "5", *FAR)
        data, signature = (self.dir / "file.crv").read_bytes(), self.signature()
        begin = signature.index(b"\n") + 1  # what is before says nothing
        other = minisign.Key(1).signature(b"x", b"crivo 1 bytes=1 sequence=9")
        rng = random.Random(30)
        for i in range(2000 if LONG else 150):
            good = [data, signature]
            which = rng.randrange(2)
            mutant, low = bytearray(good[which]), begin if which else 0
            match rng.randrange(4):
                case 0:
                    mutant[rng.randrange(low, len(mutant))] ^= 1 << rng.randrange(8)
                case 1:
                    del mutant[rng.randrange(low, len(mutant)) :]
                case 2:
                    a, b = sorted(rng.sample(range(low, len(mutant) - 8), 2))
                    mutant[a : a + 4], mutant[b : b + 4] = mutant[b : b + 4], mutant[a : a + 4]
                case 3:
                    at = rng.randrange(low, len(mutant))
                    mutant[at : at + 20] = other[at : at + 20] if which else rng.randbytes(20)
            if mutant == good[which]:
                continue
            good[which] = bytes(mutant)
            self.write("file.crv", good[0])
            self.put(good[1])
            result = self.run_crivo("verify", "file.crv", "--public-key", "key.pub")
            self.assertEqual(result.code, 4, f"mutant {i}: {result}")
