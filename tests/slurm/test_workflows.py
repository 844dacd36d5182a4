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


# crivo, but that the first try of each task of a stage ends as one whose machine is lost.
UNSTEADY_CRIVO = """\
#!/bin/bash
mark=$(sed -n 's,.*--\\(part\\|shard\\) \\([0-9]*\\)/.*,\\1-\\2,p' <<<"$*")
if [[ -n $mark ]] && mkdir "MARKS/$mark" 2>/dev/null; then exit 5; fi
exec CRIVO "$@"
"""

# What parallel calls for ssh: it goes to no other machine, but as there the command begins in the home folder and with a
# SHELL, which parallel starts on the other side, and which is not set in every environment that this runs in.
SSH = """\
#!/bin/bash
export SHELL=/bin/bash
while [[ $1 == -* ]]; do shift; done
echo "$1" >>"NOTED"
shift
if [[ $1 == -- ]]; then shift; fi
cd && exec bash -c "$*"
"""


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

    def script(self, name, text, **words):
        """A program, in a folder of its own."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="crivo-workflows-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for word, meant in words.items():
            text = text.replace(word, str(meant))
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
        return folder

    def run_command(self, text, environment=os.environ, before=()):
        """With the programs of the folders `before`, if they have them, in the place of others."""
        path = os.pathsep.join((*map(str, before), os.path.dirname(CRIVO), str(PAGE), environment["PATH"]))
        try:
            done = subprocess.run(
                ["bash", "-euc", text],
                cwd=self.dir,
                env=dict(environment, PATH=path, HOME=str(self.dir), XDG_CACHE_HOME=str(self.dir / ".cache")),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=300,
            )
        except subprocess.TimeoutExpired as stuck:
            self.fail(f"{stuck}: {stuck.output}")
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}")

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

    def form(self, name):
        """An option of the page's table, as it stands there."""
        self.assertIn(f"`{name}`", (PAGE / "README.md").read_text())
        return name

    @needs("parallel")
    def test_parallel_by_ssh(self):
        """Each machine named is sent tasks, which find the folder that they see too."""
        noted = self.dir.with_name(f"{self.dir.name}-noted")
        self.addCleanup(noted.unlink, missing_ok=True)
        ssh = self.script("ssh", SSH, NOTED=noted)
        (self.dir / ".nodes").write_text("2/one\n2/two\n")
        there = self.form("--sshloginfile nodes --workdir .").replace("nodes", ".nodes")
        self.run_command(command("parallel").replace("parallel ", f"parallel {there} "), before=[ssh])
        self.assertEqual(set(noted.read_text().split()), {"one", "two"})
        self.assert_built()

    @needs("parallel")
    def test_parallel_tries_again(self):
        marks = self.script("none", "")
        unsteady = self.script("crivo", UNSTEADY_CRIVO, MARKS=marks, CRIVO=CRIVO)
        retries = self.form("--retries 2")
        self.run_command(command("parallel").replace("parallel ", f"parallel {retries} "), before=[unsteady])
        self.assertEqual(len(list(marks.glob("*-*"))), FILES + 8)
        self.assert_built()

    @needs("snakemake")
    def test_snakemake_of_records(self):
        """The same command, of a store."""
        lines = b"".join(b"key %d\trecord %d\n" % (i, i * i) for i in range(2000)).splitlines(keepends=True)
        for number, part in enumerate(sorted((self.dir / "keys").iterdir())):
            part.with_suffix(".tsv").write_bytes(b"".join(lines[number::FILES]))
            part.unlink()
        (option,) = (word for word in ("input=--records",) if word in (PAGE / "Snakefile").read_text())
        text = command("snakemake -s Snakefile -j 4").replace("*.zst", "*.tsv").replace("kind=mphf", f"kind=store {option}")
        self.run_command(text)
        self.run_command("crivo build store keys/part-*.tsv -o local --signature 8 --quiet")
        for file in (self.dir / "local").iterdir():
            self.assertTrue((self.dir / "urls.crv" / file.name).read_bytes() == file.read_bytes(), f"other bytes in {file.name}")

    @needs("snakemake")
    def test_snakemake_of_tables(self):
        """The same command, of rows and of a filter set."""
        for number, part in enumerate(sorted((self.dir / "keys").iterdir())):
            lines = (b"key %d\tpart-%d.parquet\t%d\n" % (i * FILES + number, number, i) for i in range(500))
            part.with_suffix(".tsv").write_bytes(b"".join(lines))
            part.unlink()
        page = (PAGE / "Snakefile").read_text()
        for kind, options in (("rows", ""), ("filterset", "--group 2 --column 1")):
            self.assertIn(f"{kind} (input=--{kind})", page)
            asked = f"kind={kind} input='--{kind} {options}'"
            text = command("snakemake -s Snakefile -j 4").replace("*.zst", "*.tsv").replace("kind=mphf", asked)
            self.run_command(text.replace("options='--signature 8'", "options='--no-tree'"))
            self.run_command(f"crivo build {kind} keys/part-*.tsv -o local.crv --no-tree {options} --quiet")
            self.assertTrue((self.dir / "urls.crv").read_bytes() == (self.dir / "local.crv").read_bytes(), "other bytes")
            for name in ("urls.crv", "local.crv"):
                (self.dir / name).unlink()

    @needs("snakemake")
    def test_snakemake_tries_again(self):
        """By itself, and when it is called again; and makes a manifest."""
        marks = self.script("none", "")
        unsteady = self.script("crivo", UNSTEADY_CRIVO, MARKS=marks, CRIVO=CRIVO)
        again = self.form("--restart-times 1")
        self.run_command(command("snakemake -s Snakefile -j 4").rstrip() + f" {again}", before=[unsteady])
        self.assertEqual(len(list(marks.glob("*-*"))), FILES + 8)
        self.assert_built()
        for path in (self.dir / "urls.crv", *marks.glob("*-*")):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        text = command("snakemake -s Snakefile -j 4").rstrip() + " " + self.form("join=manifest")
        with self.assertRaises(AssertionError):
            self.run_command(text, before=[unsteady])
        self.run_command(f"{text} {self.form('--rerun-incomplete')}")
        self.assertEqual(len(list(self.dir.glob("urls.crv.part-*"))), 8)
        self.run_command("crivo verify urls.crv --keys keys/part-*.zst --quiet")


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
