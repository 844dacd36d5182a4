# SPDX-License-Identifier: Apache-2.0
"""Builds the extension with crivo_native.py, and tags the wheel with what that needs; the version is that of the C++ headers."""

import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
#: What manylinux (PEP 600) lets an extension need of the system, of those that it might.
EVERYWHERE = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1", "libz.so.1"}


def version():
    """Of include/crivo/version.hpp, or where there is no tree around, of the library that pkg-config knows."""
    header = HERE.parent.parent / "include" / "crivo" / "version.hpp"
    if header.exists():
        return ".".join(re.findall(r"^#define CRIVO_VERSION_[A-Z]+ (\d+)$", header.read_text(), re.MULTILINE))
    return subprocess.check_output([os.environ.get("PKG_CONFIG", "pkg-config"), "--modversion", "crivo"], text=True).strip()


def of_object(path):
    """What a shared object needs, as objdump tells it: the libraries, and the minor version of glibc 2."""
    told = subprocess.check_output(["objdump", "-p", str(path)], text=True)
    libraries = set(re.findall(r"^ *NEEDED +(?!ld-linux)(\S+)$", told, re.MULTILINE))
    return libraries, max(int(minor) for minor in re.findall(r"\bGLIBC_2\.(\d+)", told))


def oldest_glibc(folder):
    """The oldest glibc, as "2_36", with which all shared objects of a folder run; None if they need others beside."""
    needs = {path.name: of_object(path) for path in folder.glob("*.so*")}
    if not needs or not set().union(*(libraries for libraries, _ in needs.values())) <= EVERYWHERE | set(needs):
        return None
    return f"2_{max(minor for _, minor in needs.values())}"


class Extension(build_ext):
    """With the libraries that it needs beside it; those of a distribution have their own packages."""

    def run(self):
        super().run()
        if os.environ.get("CRIVO_SYSTEM") == "1":
            return
        folder = pathlib.Path(self.build_lib) / "crivo"
        (built,) = folder.glob("_native*.so")
        for name in of_object(built)[0] - EVERYWHERE:
            found = subprocess.check_output(["cc", f"-print-file-name={name}"], text=True).strip()
            shutil.copy(found, folder / name)


class Wheel(bdist_wheel):
    """For every Python with the stable interface that the extension is compiled for, and every system that it runs on."""

    def finalize_options(self):
        self.py_limited_api = "cp310"
        super().finalize_options()

    def get_tag(self):
        python, abi, platform = super().get_tag()
        oldest = oldest_glibc(pathlib.Path(self.bdist_dir) / "crivo") if platform.startswith("linux_") else None
        return python, abi, platform.replace("linux_", f"manylinux_{oldest}_", 1) if oldest else platform


setup(version=version(), cffi_modules=["crivo_native.py:ffibuilder"], 
      cmdclass={"bdist_wheel": Wheel, "build_ext": Extension})
