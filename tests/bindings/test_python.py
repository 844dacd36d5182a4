# SPDX-License-Identifier: Apache-2.0
"""The Python package: a wheel built offline from a copy of the tree, installed in a new environment, and its own tests there."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests" / folder) for folder in ("cli", "readers", "bindings/borders")]
import minisign  # noqa: E402  pylint: disable=wrong-import-position
import pages  # noqa: E402  pylint: disable=wrong-import-position

from beside_writers import opened_beside_writers  # noqa: E402  pylint: disable=wrong-import-position
import page  # noqa: E402  pylint: disable=wrong-import-position

PYTHON = "/usr/bin/python3"  # which has Debian's numpy and cffi, as another in the PATH may not


class PythonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="crivo-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.dir, ignore_errors=True)
        shutil.copytree(SOURCE / "include", cls.dir / "include")
        shutil.copytree(SOURCE / "tools" / "python", cls.dir / "tools" / "python",
                        ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
        for module in ("cli/forged.py", "cli/minisign.py", "cli/web.py", "readers/key_forms.py"):
            copy = cls.dir / "tests" / module
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / "tests" / module, copy)
        cls.run_in(PYTHON, "-m", "build", "--wheel", "--no-isolation", "--outdir", cls.dir, cls.dir / "tools" / "python",
                   CFLAGS="-O0")  # whose compilation takes longer than what it does here
        (cls.wheel,) = cls.dir.glob("crivo-*.whl")
        cls.run_in(PYTHON, "-m", "venv", "--without-pip", "--system-site-packages", cls.dir / "venv")  # numpy, cffi, pip
        cls.python = cls.dir / "venv" / "bin" / "python"
        cls.run_in(cls.python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", cls.wheel)

    @classmethod
    def run_in(cls, *command, **more):
        # What tests/roots has the programs linked with is not for the wheel.
        ours = {name: value for name, value in os.environ.items() if name != "LDFLAGS"}
        made = subprocess.run(
            [str(word) for word in command], cwd=cls.dir, timeout=3500 if os.environ.get("CRIVO_LONG") else 500, check=False,
            env=dict(ours, PYTHONDONTWRITEBYTECODE="1", PIP_DISABLE_PIP_VERSION_CHECK="1", **more),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        if made.returncode != 0:
            raise AssertionError(f"{command}: exit {made.returncode}\n{made.stdout.decode()}")
        return made.stdout.decode()

    def test_its_own_tests(self):
        self.run_in(self.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", self.dir / "tools" / "python" / "tests")

    def sanitized(self):
        """What runs a package whose extension was compiled with AddressSanitizer and UBSan: its environment."""
        folder = self.dir / "sanitized"
        shutil.copytree(SOURCE / "tools" / "python" / "crivo", folder / "crivo", ignore=shutil.ignore_patterns("__pycache__"))
        flags = "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
        self.run_in(PYTHON, "-c", f"from crivo_native import ffibuilder; ffibuilder.compile({str(folder)!r})",
                    PYTHONPATH=str(self.dir / "tools" / "python"), CFLAGS=f"{flags} -O0", LDFLAGS=flags)
        loaded = [self.run_in("cc", f"-print-file-name={name}").strip() for name in ("libasan.so", "libubsan.so", "libstdc++.so.6")]
        return {"PYTHONPATH": str(folder), "PYTHONMALLOC": "malloc", "ASAN_OPTIONS": "detect_leaks=0", "LD_PRELOAD": " ".join(loaded)}

    def test_borders(self):
        """What every public name makes of what no caller should give it, where a sanitizer looks on."""
        folder = self.dir / "borders"
        folder.mkdir()
        environment = self.sanitized()
        (folder / "key").write_bytes(minisign.Key(1).secret_file())
        rows = []
        for line in self.run_in(PYTHON, SOURCE / "tests" / "bindings" / "borders" / "walk_python.py", folder, **environment).split("\n")[:-1]:
            with self.subTest(line):
                call, parameter, what, outcome = line.split("\t")
                rows.append((call, parameter, what, outcome))
                self.assertTrue(outcome == "taken" or (outcome.startswith("refused ") and (parameter or what == "closed")))
        page.check(self, "the package crivo", rows)
        for module in ("columns", "lifetime"):
            self.run_in(PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", self.dir / "tools" / "python" / "tests" / f"test_{module}.py", **environment)

    def test_opens_beside_writers(self):
        opened_beside_writers(self, self.dir, [self.python, SOURCE / "tests" / "readers" / "opens.py"])

    def test_tag(self):
        """One for every Python from 3.10 on, whose libraries are beside the extension or on every system."""
        self.assertRegex(self.wheel.name, r"-cp310-abi3-manylinux_2_\d+_")
        (package,) = self.dir.glob("venv/lib/*/site-packages/crivo")
        needed = re.findall(r"^ +NEEDED +(\S+)$", self.run_in("objdump", "-p", package / "_native.abi3.so"), re.MULTILINE)
        beside = {path.name for path in package.glob("lib*.so*")}
        self.assertTrue(beside and beside <= set(needed))
        self.assertNotIn("libstdc++.so.6", needed)

    def test_types(self):
        (package,) = self.dir.glob("venv/lib/*/site-packages/crivo")
        self.assertTrue((package / "py.typed").exists())

    def test_pages(self):
        """The sessions of the README and of its pages print what they say, one after the other in one folder."""
        sessions = pages.python_sessions()
        self.assertGreater(len(sessions), 0)
        (self.dir / "sessions.txt").write_text("\n".join(sessions), encoding="utf-8")
        self.run_in(self.python, "-m", "doctest", self.dir / "sessions.txt")

    def test_example(self):
        said = self.run_in(self.python, SOURCE / "tools" / "examples" / "lookup.py", "a", "bc")
        self.assertEqual(said, "a True 1\nbc True 2\nanother False None\n3 letters in 2 words\n")
