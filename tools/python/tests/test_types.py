# SPDX-License-Identifier: Apache-2.0
"""What type checkers read is what the library has, and says what is right and wrong."""

import os
import pathlib
import subprocess
import sys

import pytest

import crivo

import make_stub

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(crivo.__file__).parent


def test_stub():
    """make_stub.py wrote it of today's choices."""
    assert (PACKAGE / "_build.pyi").read_text() == make_stub.stub()


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    examples = [HERE / "typed.py", *(path for path in [HERE.parents[1] / "examples" / "lookup.py"] if path.exists())]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", tmp_path, *examples], check=False, cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, MYPYPATH=os.environ.get("PYTHONPATH", "")))
    assert (checked.stdout.decode(), checked.returncode) == ("", 0)
