# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` puts under a prefix, and that programs can be built on it, by pkg-config, by CMake and plainly."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import CRIVO, ENVIRONMENT

BUILD = os.path.dirname(os.path.dirname(CRIVO))
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = SOURCE / "tools" / "examples" / "lookup.cpp"
USES = EXAMPLE.parent / "uses"
USER = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C CXX)
find_package(crivo REQUIRED)
add_executable(lookup lookup.cpp)
target_link_libraries(lookup PRIVATE crivo::crivo)
"""
SHARED_USER = USER.replace("REQUIRED", "REQUIRED COMPONENTS shared").replace("crivo::crivo", "crivo::shared")
SHARED_USER = SHARED_USER.replace("lookup", "batch")
READ_USER = USER.replace("REQUIRED", "REQUIRED COMPONENTS read").replace("crivo::crivo", "crivo::read")
COLLECTIONS_USER = USER.replace("lookup", "urls").replace("crivo::crivo", "crivo::collections")
URLS = """#include <crivo/build/extract.hpp>
#include <iostream>
int main(int, char** argv) try {
  crivo::ExtractSummary summary;
  crivo::Progress progress;
  const auto input = crivo::extracted_keys({argv[1]}, {.what = crivo::Extract::urls, .strict = true}, summary);
  crivo::read_keys(input, progress, [](const crivo::KeyBlock& block) {
    for (const auto key : block.keys) std::cout << key << std::endl;
  });
} catch (const crivo::Error& error) {
  std::cout << error.what() << std::endl;
}
"""
SUBPROJECT = """cmake_minimum_required(VERSION 3.25)
project(whole LANGUAGES CXX)
add_subdirectory(%s crivo)
add_executable(lookup lookup.cpp)
target_link_libraries(lookup PRIVATE crivo::crivo)
"""


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Installed under one name and used under another: nothing in it may hold the first.
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="crivo-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.dir, ignore_errors=True)
        cls.run_in(cls.dir, "cmake", "--install", BUILD, "--prefix", "first")
        cls.prefix = (cls.dir / "first").rename(cls.dir / "prefix")

    @staticmethod
    def run_in(folder, *command, **environment):
        run = subprocess.run(
            [str(word) for word in command], cwd=folder, env=dict(ENVIRONMENT, **environment), timeout=300,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
        if run.returncode != 0:
            raise AssertionError(f"{command}: exit {run.returncode}\n{run.stdout.decode()}")
        return run.stdout

    def find(self, name):
        """The one installed file or folder of that name; the folder of a library differs from system to system."""
        found = list(self.prefix.rglob(name))
        self.assertEqual(len(found), 1, f"{name}: {found}")
        return found[0]

    def test_programs(self):
        for name in ("crivo", "crivo-hyphenate", "crivo-spell", "crivo-scan", "crivo-slurm"):
            with self.subTest(program=name):
                self.run_in(self.dir, self.prefix / "bin" / name, "--help")

    def test_documents(self):
        for name in ("LICENSE", "README.md"):
            self.assertEqual(self.find(f"doc/crivo/{name}").read_bytes(), (SOURCE / name).read_bytes())
        pictures = re.findall(r'(?:src|srcset)="([^"]+)"', (SOURCE / "README.md").read_text(encoding="utf-8"))
        self.assertEqual(len(pictures), 2)
        self.assertEqual([name for name in pictures if not (self.prefix / "share/doc/crivo" / name).exists()], [])
        formats = self.find("doc/crivo/formats")
        wanted = [*(SOURCE / "formats").glob("*.md"), *((SOURCE / "formats").joinpath(name) for name in ("crivo.ksy", "reader.py"))]
        for file in wanted:
            with self.subTest(file=file.name):
                self.assertEqual((formats / file.name).read_bytes(), file.read_bytes())
        self.assertEqual(sorted(path.name for path in formats.rglob("*")), sorted(path.name for path in wanted))  # no golden files

    def test_builds_in_shards(self):
        """The page of the engines, what it leads to, and the Snakefile, which stand as in the tree."""
        for name in ("README.md", "Snakefile"):
            installed = self.find(f"doc/crivo/tools/slurm/{name}")
            self.assertEqual(installed.read_bytes(), (SOURCE / "tools" / "slurm" / name).read_bytes())
        self.assertIn(b".B crivo-slurm\n", self.find("share/man/man1/crivo-slurm.1").read_bytes())

    def test_beside_the_program(self):
        self.assertIn(b"tiny", self.find("share/man/man1/crivo-build-mphf.1").read_bytes())
        for name in ("bash-completion/completions/crivo", "zsh/vendor-completions/_crivo",
                     "fish/vendor_completions.d/crivo.fish", "mime/packages/crivo.xml", "crivo/crivo.magic"):
            self.assertTrue(self.find(f"share/{name}").is_file(), name)

    def test_headers(self):
        for header in (SOURCE / "include").rglob("*.h*"):
            with self.subTest(header=header.name):
                installed = self.prefix / "include" / header.relative_to(SOURCE / "include")
                self.assertEqual(installed.read_bytes(), header.read_bytes())

    def looks_up(self, program):
        keys = self.dir / "keys.txt"
        keys.write_bytes(b"first\nsecond\n")
        self.run_in(self.dir, self.prefix / "bin" / "crivo", "build", "mphf", keys, "-o", "keys.crv", "-q", "--force")
        self.assertTrue(self.run_in(self.dir, program, "keys.crv", "first").startswith(b"first is one of 2 keys\n"))

    def test_pkg_config(self):
        flags = self.run_in(
            self.dir, "pkg-config", "--static", "--cflags", "--libs", "crivo",
            PKG_CONFIG_PATH=str(self.find("crivo.pc").parent),
        )
        program = self.dir / "lookup"
        words = flags.decode().split()
        self.run_in(self.dir, "c++", "-std=c++20", EXAMPLE, "-o", program,
                    *("-l:libcrivo.a" if word == "-lcrivo" else word for word in words))
        self.looks_up(program)

    def test_pkg_config_shared(self):
        """Linked with the shared library, which alone is named."""
        pc = self.find("crivo.pc").parent
        flags = self.run_in(self.dir, "pkg-config", "--cflags", "--libs", "crivo", PKG_CONFIG_PATH=str(pc)).decode()
        self.assertNotIn("lmdb", flags)
        program = self.dir / "shared"
        self.run_in(self.dir, "c++", "-std=c++20", EXAMPLE, "-o", program, f"-Wl,-rpath,{pc.parent}", *flags.split())
        self.assertIn(b"libcrivo.so.1", self.run_in(self.dir, "ldd", program))
        self.looks_up(program)
        for name in ("batch", "front", "shipped"):
            self.run_in(self.dir, "cc", "-std=c11", USES / f"{name}.c", "-o", name, f"-Wl,-rpath,{pc.parent}", *flags.split(),
                        *(["-llmdb"] if name == "front" else []))
        self.are_used(*(self.dir / name for name in ("batch", "front", "shipped")))
        program = self.dir / "of_c"
        self.run_in(self.dir, "cc", "-std=c11", EXAMPLE.with_name("build.c"), "-o", program, f"-Wl,-rpath,{pc.parent}",
                    *flags.split())
        self.assertEqual(self.run_in(self.dir, program, "one"), b"one\t0\n")

    def test_pkg_config_of_readers(self):
        """Either library of readers alone; the static one needs no other."""
        pc = self.find("crivo-read.pc").parent
        for name, options in (("shared", ()), ("static", ("--static",))):
            with self.subTest(library=name):
                words = self.run_in(self.dir, "pkg-config", *options, "--cflags", "--libs", "crivo-read",
                                    PKG_CONFIG_PATH=str(pc)).decode().split()
                if options:
                    words = ["-l:libcrivo-read.a" if word == "-lcrivo-read" else word for word in words]
                program = self.dir / f"{name}-reader"
                self.run_in(self.dir, "c++", "-std=c++20", EXAMPLE, "-o", program, f"-Wl,-rpath,{pc.parent}", *words)
                self.looks_up(program)

    def test_cmake(self):
        for name, text in (("static", USER), ("shared", SHARED_USER), ("read", READ_USER)):
            with self.subTest(library=name):
                user = self.dir / f"{name}-user"
                user.mkdir()
                (user / "CMakeLists.txt").write_text(text)
                shutil.copy(USES / "batch.cpp" if name == "shared" else EXAMPLE, user)
                self.run_in(user, "cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
                self.run_in(user, "cmake", "--build", "build")
                if name != "shared":
                    self.looks_up(user / "build" / "lookup")
        # The other uses without any help.
        place = self.find("crivo.pc").parent.parent
        for name, libraries in (("front", ["-lcrivo", "-llmdb"]), ("shipped", ["-lcrivo"])):
            self.run_in(self.dir, "g++", "-std=c++20", USES / f"{name}.cpp", "-o", f"{name}-plain", "-I", self.prefix / "include",
                        f"-L{place}", f"-Wl,-rpath,{place}", *libraries)
        self.are_used(self.dir / "shared-user" / "build" / "batch", self.dir / "front-plain", self.dir / "shipped-plain")

    def test_collections(self):
        """The library beside libcrivo, by CMake the static one and by pkg-config the shared; errors are those of libcrivo."""
        user = self.dir / "collections-user"
        user.mkdir()
        (user / "CMakeLists.txt").write_text(COLLECTIONS_USER)
        (user / "urls.cpp").write_text(URLS)
        (user / "keys").write_bytes(b"http://a.example/\nhttp://b.example/\n")
        (user / "bad").write_bytes(b"no URL\n")
        self.run_in(user, "cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.run_in(user, "cmake", "--build", "build")
        pc = self.find("crivo-collections.pc").parent
        flags = self.run_in(user, "pkg-config", "--cflags", "--libs", "crivo-collections", PKG_CONFIG_PATH=str(pc)).decode()
        self.run_in(user, "c++", "-std=c++20", "urls.cpp", "-o", "shared", f"-Wl,-rpath,{pc.parent}", *flags.split())
        self.assertIn(b"libcrivo-collections.so.1", self.run_in(user, "ldd", "shared"))
        for program in (user / "build" / "urls", user / "shared"):
            with self.subTest(program=program.name):
                self.assertEqual(self.run_in(user, program, "keys"), b"http://a.example/\nhttp://b.example/\n")
                self.assertRegex(self.run_in(user, program, "bad"), b"^bad: byte 0: the line is not a URL")

    def are_used(self, batch, front, shipped):
        """A build, lookups in front of LMDB, and a shipped filter that is checked: those of tools/examples/uses."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.dir))
        (folder / "keys").write_bytes(b"first\nsecond\n")
        self.assertTrue(self.run_in(folder, batch, "keys.crv", "keys").startswith(b"2 keys, "))
        with self.assertRaisesRegex(AssertionError, "none.*cannot open"):
            self.run_in(folder, batch, "keys.crv", "none")
        entries = "VERSION=3\nformat=print\nHEADER=END\n first\n 1\nDATA=END\n"
        (folder / "entries").write_text(entries)
        (folder / "pages").mkdir()
        self.run_in(folder, "mdb_load", "-f", "entries", "pages")
        said = self.run_in(folder, front, "pages", "keys.crv", "first", "second", "third")
        self.assertEqual(said, b"first\tfound\nsecond\tabsent\nthird\tabsent\n")
        self.run_in(folder, "minisign", "-G", "-W", "-p", "ship.pub", "-s", "ship.key")
        with self.assertRaisesRegex(AssertionError, "shipped: keys.crv.minisig: is missing"):
            self.run_in(folder, shipped, "keys.crv", "ship.pub", "first")
        self.run_in(folder, self.prefix / "bin" / "crivo", "sign", "keys.crv", "--secret-key", "ship.key", "--quiet")
        self.assertEqual(self.run_in(folder, shipped, "keys.crv", "ship.pub", "first", "third"), b"first\tmaybe\nthird\tabsent\n")
        self.assertTrue((folder / "seen.state").exists())

    def test_subproject_is_light(self):
        """A part of another project, it is the library and nothing else, built as that project is."""
        user = self.dir / "whole"
        user.mkdir()
        (user / "CMakeLists.txt").write_text(SUBPROJECT % SOURCE)
        shutil.copy(EXAMPLE, user)
        self.run_in(user, "cmake", "-G", "Ninja", "-S", ".", "-B", "build")
        targets = self.run_in(user, "ninja", "-C", "build", "-t", "targets", "all").decode()
        self.assertIn("libcrivo.a", targets)
        for name in ("_tests", "crivo-cli", "libcrivo.so", "libcrivo-gen", "bench"):
            self.assertNotIn(name, targets)
        commands = (user / "build" / "compile_commands.json").read_text()
        self.assertNotIn("-Werror", commands)
