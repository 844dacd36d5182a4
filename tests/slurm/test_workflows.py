# SPDX-License-Identifier: Apache-2.0
"""The commands of tools/slurm/README.md, as printed: each engine that is here writes the bytes of a build on one machine."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import cluster

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "tools" / "slurm"
CRIVO = os.path.abspath(os.environ["CRIVO"])
FILES, KEYS = 4, 8000


def command(beginning):
    """The block of the page that begins so."""
    blocks = re.findall(r"^```bash\n(.*?)^```$", (PAGE / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    (found,) = (block for block in blocks if block.startswith(beginning))
    return found.replace("-s Snakefile", f"-s '{PAGE / 'Snakefile'}'")


def needs(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    return unittest.skipIf(missing, f"no {', '.join(missing)}: see tools/setup")


class Workflows(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="crivo-workflows-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        (self.dir / "keys").mkdir()
        for number in range(FILES):
            count = KEYS // FILES
            keys = subprocess.run(
                [CRIVO, "gen", "urls", "-n", str(count), "--skip", str(number * count), "-q"], stdout=subprocess.PIPE, check=True
            ).stdout
            with open(self.dir / "keys" / f"part-{number}.zst", "wb") as file:
                subprocess.run(["zstd", "-q"], input=keys, stdout=file, check=True)

    def run_command(self, text, environment=os.environ):
        path = os.pathsep.join((os.path.dirname(CRIVO), str(PAGE), environment["PATH"]))
        done = subprocess.run(
            ["bash", "-euc", text],
            cwd=self.dir,
            env=dict(environment, PATH=path, HOME=str(self.dir), XDG_CACHE_HOME=str(self.dir / ".cache")),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        self.assertEqual(done.returncode, 0, done.stdout)

    def assert_built(self):
        """The output is that of one machine, and nothing of crivo's lies beside it."""
        self.assertEqual(sorted(name for name in os.listdir(self.dir) if not name.startswith((".", "slurm-"))), ["keys", "urls.crv"])
        self.run_command("crivo build mphf keys/part-*.zst -o local.crv --signature 8 --quiet")
        self.assertTrue((self.dir / "urls.crv").read_bytes() == (self.dir / "local.crv").read_bytes(), "other bytes")


class Here(Workflows):
    @needs("parallel")
    def test_parallel(self):
        self.run_command(command("parallel"))
        self.assert_built()

    @needs("snakemake")
    def test_snakemake(self):
        self.run_command(command("snakemake -s Snakefile -j 4"))
        self.assert_built()


@needs("snakemake")
@unittest.skipIf(cluster.MISSING, f"no {', '.join(cluster.MISSING)}: see tools/setup")
class OnSlurm(Workflows):
    def test_both(self):
        with tempfile.TemporaryDirectory(prefix="crivo-slurm-") as directory, cluster.Cluster(directory, 4) as slurm:
            self.run_command(command("crivo-slurm"), slurm.environment)
            self.assert_built()
            for name in ("urls.crv", "local.crv"):
                (self.dir / name).unlink()
            self.run_command(command("snakemake -s Snakefile -j 100"), slurm.environment)
            self.assert_built()


if __name__ == "__main__":
    unittest.main()
