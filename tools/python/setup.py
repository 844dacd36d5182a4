# SPDX-License-Identifier: Apache-2.0
"""Builds the extension with crivo_native.py; the version is that of the C++ headers."""

import pathlib
import re

from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent


def version():
    """Of include/crivo/version.hpp, or where there is no tree around, of the library that pkg-config knows."""
    header = HERE.parent.parent / "include" / "crivo" / "version.hpp"
    if header.exists():
        return ".".join(re.findall(r"^#define CRIVO_VERSION_[A-Z]+ (\d+)$", header.read_text(), re.MULTILINE))
    import subprocess  # pylint: disable=import-outside-toplevel

    return subprocess.check_output(["pkg-config", "--modversion", "crivo"], text=True).strip()


setup(version=version(), cffi_modules=["crivo_native.py:ffibuilder"])
