# SPDX-License-Identifier: Apache-2.0
"""What crivo-slurm makes of its command line, where no Slurm is needed."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

CRIVO_SLURM = pathlib.Path(__file__).resolve().parents[2] / "tools" / "slurm" / "crivo-slurm"
CRIVO = os.path.abspath(os.environ["CRIVO"])


class Plan(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="crivo-plan-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        for name in ("b", "a b", "c"):
            (self.dir / f"{name}.txt").write_text("".join(f"{name} {i},{i}\n" for i in range(1000)))

    def crivo_slurm(self, *arguments, code=0):
        done = subprocess.run(
            [sys.executable, CRIVO_SLURM, *arguments, "--crivo", CRIVO],
            cwd=self.dir,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        if code:
            self.assertTrue(done.stderr.startswith("crivo-slurm: "), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(sorted(os.listdir(self.dir)), ["a b.txt", "b.txt", "c.txt"])
        return done.stderr if code else done.stdout

    def commands(self, *arguments):
        """Of each stage in turn the command, as words; and likewise what sbatch is told."""
        said = self.crivo_slurm("build", *arguments, "-o", "out.crv", "--dry-run")
        lines = [shlex.split(line) for line in said.splitlines() if line.startswith("  ")]
        return [line for line in lines if line[0] == CRIVO], [line for line in lines if line[0] == "sbatch"]

    def test_help(self):
        said = self.crivo_slurm("--help")
        self.assertIn("example: crivo-slurm build mphf 'keys/part-*.zst' --shards 256 -o urls.crv", said)

    def test_stages(self):
        """Each option goes to the stage that has it; files stand in order of their names."""
        options = ("--values", "--csv", "--column", "1,2", "--signature", "8", "--seed=3", "-0")
        said = self.crivo_slurm("build", "map", "*.txt", "--shards", "5", *options, "-o", "out.crv", code=2)
        self.assertIn("--null excludes --column", said)
        (partition, _, build, _), submitted = self.commands("map", "*.txt", "--shards", "5", *options[:-1])
        self.assertEqual(partition[2:5], ["a b.txt", "b.txt", "c.txt"])
        self.assertEqual(partition[-2:], ["--part", "$i/3"])
        for option in ("--values", "--csv", "1,2", "--seed=3"):
            self.assertIn(option, partition)
        self.assertIn("--values", build)
        self.assertIn("--signature", build)
        self.assertEqual({"--csv", "1,2", "--seed=3"} & {*build}, set())
        self.assertNotIn("--signature", partition)
        self.assertEqual(len(submitted), 4)
        self.assertIn("--array=0-4", submitted[2])

    def test_stages_of_a_filter(self):
        options = ("--type", "split-block-bloom", "--sbatch=-p x")
        (partition, *_), submitted = self.commands("filter", "c.txt", "--shards", "1", *options)
        self.assertIn("xxh64", partition)
        self.assertTrue(all("-p x" in line for line in submitted))

    def run_stages(self, said):
        """Each task of the stages that are printed, in their order; gives the stages' names."""
        stages = re.findall(r"^(\w+): (\d+) x .*\n.*\n  (.*)$", said, re.MULTILINE)
        for _, tasks, command in stages:
            for task in range(int(tasks)):
                done = subprocess.run(
                    ["bash", "-c", command], cwd=self.dir, env=dict(os.environ, i=str(task)), stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, done.stderr)
        return [name for name, *_ in stages]

    def verify(self, *options):
        verify = [CRIVO, "verify", "out.crv", "--quiet", *options]
        self.assertEqual(subprocess.run(verify, cwd=self.dir, stdout=subprocess.DEVNULL).returncode, 0)

    def test_manifest(self):
        """The stages as they are submitted; the parts stay, the manifest stands for them."""
        folders = set()
        for shards in (1, 3):
            said = self.crivo_slurm(
                "build", "map", "*.txt", "--shards", str(shards), "--signature", "8", "--manifest", "-o", "out.crv", "--dry-run")
            (parts,) = set(re.findall(rf"{re.escape(str(self.dir))}/out\.crv\.parts-[0-9a-f]{{8}}", said))
            folders.add(parts)
            os.mkdir(parts)
            self.assertEqual(self.run_stages(said), ["partition", "finish", "build", "manifest"])
            self.assertEqual(len(os.listdir(parts)), shards)
            self.verify("--keys", "a b.txt", "b.txt", "c.txt")
            shutil.rmtree(self.dir / "out.crv.slurm")
            shutil.rmtree(parts)
            os.unlink(self.dir / "out.crv")
        self.assertEqual(len(folders), 2)

    def test_stores(self):
        """Records are dealt out, and merged into a directory, or served."""
        for name in ("a b", "b", "c"):
            (self.dir / f"{name}.txt").write_text("".join(f"{name} {i}\trecord {i}\n" for i in range(1000)))
        def remove(*names):
            for path in (self.dir / name for name in names):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

        for join, *options in (("merge",), ("manifest", "--manifest")):
            said = self.crivo_slurm(
                "build", "store", "*.txt", "--shards", "2", "--backend", "flat", "-o", "out.crv", *options, "--dry-run")
            parts = {*re.findall(r"/(out\.crv\.parts-[0-9a-f]{8})/", said)}
            for name in parts:
                os.mkdir(self.dir / name)
            self.assertEqual(self.run_stages(said), ["partition", "finish", "build", join])
            self.verify()
            got = subprocess.run([CRIVO, "get", "out.crv", "b 77"], cwd=self.dir, stdout=subprocess.PIPE)
            self.assertEqual(got.stdout.rstrip(), b"record 77")
            self.assertEqual(len(parts), len(options))
            remove("out.crv", "out.crv.slurm", *parts)

    def test_tables(self):
        """Rows and groups are dealt out with the options of their input; the file is that of one machine."""
        for name in ("a b", "b", "c"):
            (self.dir / f"{name}.txt").write_text("".join(f"{i % 700},{name}.parquet,{i}\n" for i in range(1000)))
        inputs = ("--delimiter", ",")
        for kind, *options in (
            ("rows", *inputs, "--column", "1,2,3", "--fixed", "8", "--many", "--null-text", "7", "--signature", "8"),
            ("filterset", *inputs, "--group", "2", "--column", "1", "--type", "split-block-bloom", "--fpr", "1e-3"),
            ("filterset", "--group-by-file", "--no-tree"),
        ):
            with self.subTest(kind, options=options):
                said = self.crivo_slurm("build", kind, "*.txt", "--shards", "3", *options, "-o", "out.crv", "--dry-run")
                self.assertEqual(self.run_stages(said), ["partition", "finish", "build", "merge"])
                merged = (self.dir / "out.crv").read_bytes()
                whole = [CRIVO, "build", kind, "a b.txt", "b.txt", "c.txt", "-o", "out.crv", "-f", "-q", *options]
                self.assertEqual(subprocess.run(whole, cwd=self.dir).returncode, 0)
                self.assertTrue((self.dir / "out.crv").read_bytes() == merged, "other bytes")
                shutil.rmtree(self.dir / "out.crv.slurm")
                os.unlink(self.dir / "out.crv")

    def test_memory(self):
        """It follows the keys of a task, and is bounded."""
        (self.dir / "c.txt").write_text("".join(f"{i}\n" for i in range(1_000_000)))

        def memory(*options):
            _, submitted = self.commands("mphf", "c.txt", *options)
            return [int(word[6:-1]) for line in submitted for word in line if word.startswith("--mem=")]

        one, eight = memory("--shards", "1"), memory("--shards", "8")
        self.assertGreater(one[0], eight[0])  # of one file, too
        self.assertGreater(one[2], eight[2])
        self.assertGreater(eight[2], 64)
        self.assertEqual(memory("--shards", "1", "--memory", "40M")[:3], [168] * 3)

    def test_refusals(self):
        for arguments, code, said in (
            (("build", "mphf", "*.txt", "-o", "x"), 2, "--shards"),
            (("build", "mphf", "--shards", "2", "a", "-o", "x"), 2, "options behind them"),
            (("build", "mphf", "b.txt", "--shards", "2", "c.txt", "-o", "x"), 2, '"c.txt": files stand before options'),
            (("build", "mphf", "b.txt", "--shards", "0", "-o", "x"), 2, '"0" is no number from 1 on'),
            (("build", "mphf", "none-*", "--shards", "2", "-o", "x"), 5, "none-*: there is no such file"),
            (("build", "mphf", ".", "--shards", "2", "-o", "x"), 2, ".: is no regular file"),
            (("build", "mphf", "b.txt", "--shards", "2", "-o", "c.txt"), 2, "c.txt: already exists"),
            (("build", "mphf", "b.txt", "--shards", "2", "-o", "x", "--effort", "7"), 2, "effort"),
            (("build", "rows", "b.txt", "--shards", "2", "-o", "x", "--manifest"), 2, "rows are merged and not served"),
            (("build", "filterset", "b.txt", "--shards", "2", "-o", "x", "--manifest"), 2, "not served"),
            (("build", "nothing", "b.txt", "--shards", "2", "-o", "x"), 2, "nothing"),
        ):
            with self.subTest(arguments):
                self.assertIn(said, self.crivo_slurm(*arguments, code=code))


if __name__ == "__main__":
    unittest.main()
