# SPDX-License-Identifier: Apache-2.0
"""Builds in shards without a shared directory: --put and --get. The tasks' directories are their own; what they exchange
goes through commands, to a directory that stands for an object store, or to an S3 server where there is one."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest

from harness import CRIVO, ENVIRONMENT, CrivoTest, files_of, lines, pairs, records_of, urls

ROOT = pathlib.Path(__file__).parents[2]
S3RVER = ROOT / "build" / "s3rver" / "node_modules" / ".bin" / "s3rver"
LOCAL = ("--put", 'cat > "store/$CRIVO_NAME"', "--get", 'cat "store/$CRIVO_NAME" 2>&-')
KINDS = (("mphf", "--signature", "8"), ("filter",), ("map",))


class Exchange(CrivoTest):
    SHARDS = 3

    def setUp(self):
        super().setUp()
        (self.dir / "store").mkdir()

    def keys(self, count=60_000, files=2):
        keys = urls(count)
        return [self.write(f"in{i}", lines(keys[i::files])) for i in range(files)]

    def deal_out(self, files, *options, exchange=LOCAL, tasks=2):
        """Each task in a directory of its own."""
        for task in range(tasks):
            self.crivo("partition", *files, "--shards", self.SHARDS, "--part", f"{task}/{tasks}", "-o", f"node{task}",
                       "--quiet", *options, *exchange)  # fmt: skip
            shutil.rmtree(self.dir / f"node{task}")
        self.crivo("partition", "--finish", "node", "--quiet", *exchange)

    def build_parts(self, kind, *options, exchange=LOCAL):
        for shard in range(self.SHARDS):
            self.crivo("build", kind, "node", "--shard", f"{shard}/{self.SHARDS}", "-o", f"part{shard}", "--quiet", "-f",
                       *options, *exchange)  # fmt: skip
            (self.dir / f"part{shard}").unlink()
        return [f"part{shard}" for shard in range(self.SHARDS)]

    def whole(self, kind, files, *options):
        self.crivo("build", kind, *files, "-o", "whole", "--quiet", "-f", *options)
        return files_of(self.dir / "whole")

    def refused(self, *args, said, code):
        result = self.crivo(*args, code=code)
        self.assertIn(said, result.err.decode())


class Bytes(Exchange):
    def test_every_kind(self):
        files = self.keys()
        self.deal_out(files)
        for kind, *options in KINDS:
            with self.subTest(kind):
                parts = self.build_parts(kind, *options)
                self.crivo("merge", *parts, "-o", "merged", "--quiet", "-f", *LOCAL)
                self.assertEqual(files_of(self.dir / "merged"), self.whole(kind, files, *options))
                self.assertEqual((self.dir / "store" / "merged").read_bytes(), (self.dir / "merged").read_bytes())
                self.assertEqual(sorted(os.listdir(self.dir / "node")), [])

    def test_a_shard_gets_its_own_keys(self):
        self.write("ints", self.crivo("gen", "ints", "-n", "1M").out)
        self.deal_out(["ints"], tasks=1)
        slices = [name for name in os.listdir(self.dir / "store") if name.startswith("keys-0.")]
        log = ("--get", 'echo "$CRIVO_NAME" >> got; cat "store/$CRIVO_NAME"')
        self.crivo("build", "mphf", "node", "--shard", "0/3", "-o", "part0", "--quiet", *log)
        got = {name for name in (self.dir / "got").read_text().split() if name.startswith("keys-0.")}
        self.assertTrue(got < set(slices), (got, slices))

    def test_values_and_repeats(self):
        keys = urls(40_000)
        table = self.write("table", pairs(keys + keys[:500], [b"%d" % (i % 11) for i in range(40_500)]))
        self.deal_out([table], "--values", "--duplicates", "ignore", tasks=1)
        parts = self.build_parts("map", "--values", "--compress")
        self.crivo("merge", *parts, "-o", "merged", "--quiet", *LOCAL[2:])
        self.assertEqual(
            files_of(self.dir / "merged"), self.whole("map", [table], "--values", "--compress", "--duplicates", "ignore")
        )

    def test_filter_sets(self):
        keys = urls(20_000)
        table = self.write("table", pairs([b"group %d" % (i * i % 91) for i in range(len(keys))], keys))
        self.deal_out([table], "--filterset")
        parts = self.build_parts("filterset")
        self.crivo("merge", *parts, "-o", "merged", "--quiet", *LOCAL)
        self.assertEqual(files_of(self.dir / "merged"), self.whole("filterset", [table]))

    def test_stores(self):
        keys = urls(20_000)
        table = self.write("table", pairs(keys, records_of(keys)))
        self.deal_out([table], "--records", tasks=1)
        parts = self.build_parts("store")
        self.refused("merge", *parts, "-o", "merged", *LOCAL, said="a store is a directory", code=2)
        self.crivo("merge", *parts, "-o", "merged", "--quiet", *LOCAL[2:])
        self.assertEqual(files_of(self.dir / "merged"), self.whole("store", [table]))

    def test_manifest(self):
        files = self.keys()
        self.deal_out(files)
        parts = self.build_parts("mphf")
        self.crivo("manifest", *parts, "-o", "served", "--quiet", *LOCAL)
        self.whole("mphf", files)
        for path in ("served", "store/served"):
            answers = self.crivo("query", path, "in0").out
            self.assertEqual(answers, self.crivo("query", "whole", "in0").out)
        (self.dir / "store" / "part1").unlink()
        self.refused("manifest", *parts, "-o", "again", *LOCAL, said="part1: the command that gets it failed", code=5)
        shutil.copy(self.dir / "store" / "part0", self.dir / "store" / "part1")
        self.refused("manifest", *parts, "-o", "again", *LOCAL, said="part1: what was read back is not", code=5)
        self.assertFalse((self.dir / "again").exists())


class Faults(Exchange):
    def partition(self, files, *exchange, **expected):
        return self.crivo("partition", *files, "--shards", 3, "--part", "0/1", "-o", "node0", *exchange, **expected)

    def test_commands_that_fail(self):
        files = self.keys(files=1)
        get = LOCAL[2:]
        for put, said in (
            ("exit 3", "the command that puts it failed with status 3"),
            ("cat > /dev/null; exit 4", "the command that puts it failed with status 4"),
            ("head -c 100 > /dev/null", "the command that puts it read only a part of it"),
            ("kill -TERM $$", "the command that puts it was ended by signal 15"),
            ('head -c 100 > "store/$CRIVO_NAME"; cat > /dev/null', "bytes that were put, 100 were read back"),
            ('(cat; echo) > "store/$CRIVO_NAME"', "what was read back is not what was put"),
            ('tr a b > "store/$CRIVO_NAME"', "what was read back is not what was put"),
            ("cat > /dev/null", "the command that gets it failed with status 1"),
        ):
            with self.subTest(put):
                result = self.partition(files, "--put", put, *get, code=5)
                self.assertIn(said, result.err.decode())
                self.assertFalse((self.dir / "store" / "keys-0").exists(), "the frame is put last")
                for left in (self.dir / "store").iterdir():
                    left.unlink()
        self.partition(files, *LOCAL)
        self.crivo("partition", "--finish", "node", *LOCAL)

    def test_options_that_do_not_belong(self):
        files = self.keys(100)
        self.refused("build", "mphf", *files, "-o", "x", *LOCAL, said="--put and --get need --shard", code=2)
        self.refused("partition", *files, "--shards", 2, "-o", "x", *LOCAL[:2], said="--get", code=2)

    def test_torn_in_transit(self):
        """What a killed task left in the store is told by its length and checksums, whichever file it is."""
        self.deal_out(self.keys(), tasks=1)
        store = self.dir / "store"
        build = ("build", "mphf", "node", "--shard", "1/3", "-o", "part1", "-f")
        parts = self.build_parts("mphf")
        slices = sorted(path for path in store.iterdir() if path.name.startswith("keys-0."))
        for path in (store / "keys-0", store / "totals.crv", *slices):
            whole = path.read_bytes()
            flipped = bytearray(whole)
            flipped[len(whole) // 2] ^= 1
            outcomes = set()
            for torn in (whole[: len(whole) // 2], whole[:-1], whole + b"x", bytes(flipped)):
                path.write_bytes(torn)
                result = self.crivo(*build, *LOCAL, code=(0, 2, 4))
                outcomes.add(result.code)
            path.write_bytes(whole)
            self.assertTrue(0 not in outcomes or path in slices and outcomes == {0}, (path, outcomes))
        self.crivo(*build, *LOCAL)
        (self.dir / "part1").unlink()
        for torn in (b"", (store / "part0").read_bytes()[:-1]):
            (store / "part0").write_bytes(torn)
            self.refused("merge", *parts, "-o", "merged", *LOCAL, said="part0, as the command got it", code=4)
            self.assertFalse((self.dir / "part0").exists())

    def test_killed(self):
        """A task that is killed at any put is done again, to the same bytes."""
        files = self.keys()
        expected = self.whole("mphf", files)
        slow = ("--put", 'cat > "store/$CRIVO_NAME"; echo >> puts; sleep 0.05', *LOCAL[2:])
        for step in (
            ("partition", *files, "--shards", 3, "--part", "0/1", "-o", "node0"),
            ("partition", "--finish", "node"),
            ("build", "mphf", "node", "--shard", "0/3", "-o", "part0"),
            ("build", "mphf", "node", "--shard", "1/3", "-o", "part1"),
            ("build", "mphf", "node", "--shard", "2/3", "-o", "part2"),
        ):
            (self.dir / "puts").write_bytes(b"")
            killed = subprocess.Popen([CRIVO, *map(str, step), *slow], cwd=self.dir, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
            while killed.poll() is None and (self.dir / "puts").stat().st_size == 0:
                time.sleep(0.005)
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            time.sleep(0.1)  # what it had started ends by itself
            self.crivo(*step, "--quiet", *LOCAL)
        self.crivo("merge", "part0", "part1", "part2", "-o", "merged", "--quiet", *LOCAL)
        self.assertEqual(files_of(self.dir / "merged"), expected)


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


@unittest.skipUnless(S3RVER.exists(), "there is no S3 server: tools/setup gets s3rver from npm")
class S3(Exchange):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        data = self.dir / "s3"
        server = subprocess.Popen(
            [S3RVER, "-d", data, "-a", "127.0.0.1", "-p", str(self.port), "--configure-bucket", "keys"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        self.fail("s3rver does not answer")

    def rclone(self):
        self.write("rclone.conf", f"""[s3]
type = s3
provider = Other
endpoint = http://127.0.0.1:{self.port}
access_key_id = S3RVER
secret_access_key = S3RVER
force_path_style = true
""".encode())  # fmt: skip
        options = "--config rclone.conf --retries 3 --s3-no-check-bucket"
        return ("--put", f'env -u AWS_CA_BUNDLE rclone {options} rcat "s3:keys/$CRIVO_NAME"', "--get", f'env -u AWS_CA_BUNDLE rclone {options} cat "s3:keys/$CRIVO_NAME"')

    def s3cmd(self):
        self.write("s3cfg", f"""[default]
access_key = S3RVER
secret_key = S3RVER
host_base = 127.0.0.1:{self.port}
host_bucket = 127.0.0.1:{self.port}
use_https = False
""".encode())  # fmt: skip
        return ("--put", 's3cmd -q -c s3cfg put - "s3://keys/$CRIVO_NAME"',
                "--get", 's3cmd -q -c s3cfg get --force "s3://keys/$CRIVO_NAME" -')  # fmt: skip

    def check(self, exchange):
        files = self.keys(files=1)
        step = ("partition", *files, "--shards", self.SHARDS, "--part", "0/1", "-o", "node0")
        killed = subprocess.Popen([CRIVO, *map(str, step), *exchange], cwd=self.dir, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        time.sleep(1)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        self.deal_out(files, exchange=exchange, tasks=1)
        parts = self.build_parts("mphf", exchange=exchange)
        self.crivo("merge", *parts, "-o", "merged", "--quiet", *exchange)
        self.assertEqual(files_of(self.dir / "merged"), self.whole("mphf", files))
        self.assertTrue((self.dir / "s3" / "keys").exists())

    @unittest.skipUnless(shutil.which("rclone"), "rclone is not installed")
    def test_rclone(self):
        self.check(self.rclone())

    @unittest.skipUnless(shutil.which("s3cmd"), "s3cmd is not installed")
    def test_s3cmd(self):
        self.check(self.s3cmd())
