# SPDX-License-Identifier: Apache-2.0
"""tools/slurm/crivo-slurm on a cluster of four virtual nodes: the bytes of a build on one machine, also where a node is
lost, a task fails or the program that follows is killed. CRIVO is the program, CRIVO_SLURM_KEYS how many keys are built."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cluster

HERE = pathlib.Path(__file__).resolve().parent
CRIVO_SLURM = HERE.parents[1] / "tools" / "slurm" / "crivo-slurm"
CRIVO = os.path.abspath(os.environ["CRIVO"])
KEYS = int(os.environ.get("CRIVO_SLURM_KEYS", "100000"))
FILES = 4
WAIT_SECONDS = 300

# crivo, but that a build of shard 3 ends with HELD's contents where that file is there, or waits where it is empty.
HOLDING_CRIVO = """\
#!/bin/bash
if [[ $1 == build && $* == *"--shard 3/"* && -e HELD ]]; then
  code=$(cat HELD)
  echo $SLURMD_NODENAME >HELD-on
  if [[ -n $code ]]; then echo "crivo: it was to fail" >&2; exit $code; fi
  while [[ -e HELD ]]; do sleep 0.1; done
fi
exec CRIVO "$@"
"""


def bytes_of(path):
    """Of a file, or of each of a directory."""
    return {file.name: file.read_bytes() for file in path.iterdir()} if path.is_dir() else path.read_bytes()


@unittest.skipIf(cluster.MISSING, f"no {', '.join(cluster.MISSING)}: see tools/setup")
class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="crivo-slurm-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch, ignore_errors=True)
        (cls.scratch / "cluster").mkdir()
        cls.cluster = cluster.Cluster(cls.scratch / "cluster", 4)
        try:
            cls.enterClassContext(cls.cluster)
        except RuntimeError as error:  # the daemons' doing, which no file of ours has a part in
            raise unittest.SkipTest(f"Slurm does not start here: {error}") from error
        (cls.scratch / "keys").mkdir()
        for number in range(FILES):
            count = KEYS // FILES
            with open(cls.scratch / "keys" / f"part-{number}.zst", "wb") as file:
                generate = [CRIVO, "gen", "urls", "-n", str(count), "--skip", str(number * count), "--quiet"]
                with subprocess.Popen(generate, stdout=subprocess.PIPE) as generator:
                    subprocess.run(["zstd", "-q", "-1"], stdin=generator.stdout, stdout=file, check=True)

    def setUp(self):
        self.dir = self.scratch / self._testMethodName
        self.dir.mkdir()
        (self.dir / "keys").symlink_to(self.scratch / "keys")
        self.held = self.dir / "held"
        self.crivo = self.dir / "holding-crivo"
        self.crivo.write_text(HOLDING_CRIVO.replace("HELD", str(self.held)).replace("CRIVO", CRIVO))
        self.crivo.chmod(0o755)

    # What is run ------------------------------------------------------------------------------------------------------

    def start(self, *build, files="keys/part-*.zst", shards=8, output="out.crv"):
        command = [sys.executable, CRIVO_SLURM, "build", build[0], files, "--shards", shards, "-o", output, *build[1:]]
        return subprocess.Popen(
            [str(word) for word in (*command, "--crivo", self.crivo)],
            cwd=self.dir,
            env=self.cluster.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self, process, code=0):
        """What it says on standard error."""
        out, error = process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(process.returncode, code, out + error)
        if code:
            self.assertTrue(error.startswith("crivo-slurm: "), error)
            self.assertEqual(error.count("\n"), 1, error)
        return error

    def crivo_slurm(self, *build, code=0, **options):
        return self.end(self.start(*build, **options), code)

    def assert_built(self, *build, files="keys/part-*.zst", output="out.crv"):
        """The output is that of one machine, and nothing lies beside it."""
        names = sorted(str(path) for path in self.dir.glob(files))
        local = f"local-{build[0]}.crv"
        subprocess.run([CRIVO, "build", *build[:1], *names, "-o", local, "-q", "-f", *build[1:]], cwd=self.dir, check=True)
        self.assertTrue(bytes_of(self.dir / output) == bytes_of(self.dir / local), "other bytes")
        self.assertFalse((self.dir / f"{output}.slurm").exists())

    def wait_until(self, is_so):
        end = time.monotonic() + WAIT_SECONDS
        while not is_so():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def holding_node(self):
        """Where the task waits that is held, once it does."""
        noted = self.dir / "held-on"
        self.wait_until(lambda: noted.exists() and noted.read_text().strip())
        return noted.read_text().strip()

    def wait_for_others(self):
        """Until all shards are built but the one whose task waits."""
        self.holding_node()
        self.wait_until(lambda: len(list(self.dir.glob("out.crv.slurm/status/build-?"))) == 7)

    def jobs(self):
        """The jobs of all builds so far that are queued, running or ended some minutes ago."""
        return set(self.cluster.ask("squeue", "-h", "-t", "all", "-o", "%F").split())

    def assert_cancelled(self):
        self.wait_until(lambda: not self.cluster.ask("squeue", "-h"))


class Failing(Slurm):
    def test_a_lost_node(self):
        """The task that a node had is done by another."""
        self.held.touch()
        building = self.start("mphf", "--signature", "8")
        node = self.holding_node()
        self.cluster.lose(node)
        self.held.unlink()
        said = self.end(building)
        self.assertIn("out.crv: fast mphf", said)
        self.assert_built("mphf", "--signature", "8")
        self.assertEqual(self.cluster.states()[node], "down*")

    def test_a_task_that_fails(self):
        """It is named with its log; called again, only what is missing is done."""
        self.held.write_text("5")
        said = self.crivo_slurm("filter", code=5)
        self.assertRegex(said, r"build 3 failed: exit 5: crivo: it was to fail \(/.*/out.crv.slurm/log/build-3.log\)")
        self.assert_cancelled()
        done = {path: path.stat().st_mtime_ns for path in self.dir.glob("out.crv.slurm/part-*")}
        self.assertEqual(len(done), 7)
        self.held.unlink()
        self.assertIn("is of another build", self.crivo_slurm("filter", "--fpr", "0.1", code=2))
        self.crivo_slurm("filter", "--keep")
        self.assertEqual({path: path.stat().st_mtime_ns for path in done}, done)
        shutil.rmtree(self.dir / "out.crv.slurm")
        self.assert_built("filter")


class Built(Slurm):
    def test_kinds(self):
        values = self.dir / "values"
        values.mkdir()
        for number in range(3):
            lines = (b"key %d\t%d.5\n" % (i, i - 500) for i in range(number * 1000, number * 1000 + 1000))
            (values / f"{number}.tsv").write_bytes(b"".join(lines))
        form = ("--values", "--value-type", "decimal", "--scale", "1")
        for options in (("--signature", "8"), ("--compress", "-f")):
            self.crivo_slurm("map", *form, *options, files="values/*.tsv", shards=5)
            self.assert_built("map", *form, *options, files="values/*.tsv")
        self.crivo_slurm("store", "--backend", "flat", files="values/*.tsv", shards=2, output="store")
        self.assert_built("store", "--backend", "flat", files="values/*.tsv", output="store")
        for build in (("filter", "--type", "split-block-bloom"), ("map", "--seed", "random:5"), ("mphf", "--algorithm", "tiny")):
            with self.subTest(build):
                self.crivo_slurm(*build, "--tasks", "3", "-f")
                self.assert_built(*build)

    def test_tables(self):
        """Rows, and groups of keys."""
        table = self.dir / "table"
        table.mkdir()
        for number in range(3):
            lines = (b"key %d\tpart-%d.parquet\t%d\n" % (i % 900, number, i) for i in range(1000))
            (table / f"{number}.tsv").write_bytes(b"".join(lines))
        for kind, *options in (("rows", "--many", "--signature", "8"), ("filterset", "--group", "2", "--type", "bloom")):
            with self.subTest(kind):
                self.crivo_slurm(kind, *options, files="table/*.tsv", shards=3, output=kind)
                self.assert_built(kind, *options, files="table/*.tsv", output=kind)

    def test_manifest(self):
        """The parts stay where the manifest finds them, until another build has taken its place."""
        before = None
        for shards in (3, 4):
            self.crivo_slurm("mphf", "--signature", "8", "--manifest", "-f", shards=shards)
            (parts,) = self.dir.glob("out.crv.parts-*")
            self.assertEqual(len(list(parts.iterdir())), shards)
            self.assertNotEqual(parts, before)
            before = parts
            self.assertFalse((self.dir / "out.crv.slurm").exists())
            keys = sorted(str(path) for path in self.dir.glob("keys/part-*.zst"))
            subprocess.run([CRIVO, "verify", "out.crv", "--keys", *keys], cwd=self.dir, check=True, stdout=subprocess.DEVNULL)

    def test_one_shard(self):
        self.crivo_slurm("mphf", shards=1, files="keys/part-0.zst")
        self.assert_built("mphf", files="keys/part-0.zst")

    def test_bad_input(self):
        """What each task would end with ends the build at once."""
        for name in ("x1", "x2"):
            shutil.copy(self.scratch / "keys" / "part-1.zst", self.dir / name)
        said = self.crivo_slurm("mphf", files="x*", code=3)
        self.assertRegex(said, r"build \d failed: exit 3.*there more than once.*log/build-\d.log")
        self.assert_cancelled()

    def test_what_slurm_ends(self):
        """A task that is cancelled leaves no word of its own."""
        self.held.touch()
        building = self.start("mphf")
        self.wait_for_others()
        self.cluster.ask("scancel", "-n", "crivo-build")
        said = self.end(building, 5)
        self.assertRegex(said, r"build 3 failed: Slurm ended it \(CANCELLED\)")

    def test_an_interrupt(self):
        self.held.touch()
        building = self.start("mphf")
        self.holding_node()
        building.send_signal(signal.SIGINT)
        self.assertIn("its tasks are cancelled", self.end(building, 130))
        self.held.unlink()
        self.crivo_slurm("mphf")
        self.assert_built("mphf")

    def test_killed_while_it_follows(self):
        """Called again, it follows the tasks that are there."""
        self.held.touch()
        building = self.start("mphf")
        self.wait_for_others()
        building.kill()
        building.communicate()
        before = self.jobs()
        again = self.start("mphf", "--progress", "always")
        self.assertIn("build 7/8 (1 running)", again.stderr.readline())
        self.held.unlink()
        self.end(again)
        self.assertEqual(self.jobs(), before)
        self.assert_built("mphf")


if __name__ == "__main__":
    unittest.main()
