# SPDX-License-Identifier: Apache-2.0
"""Debian 12 and 13 as they come: the README's two commands and the plain preset in a root that holds nothing else, as an
ordinary user with sudo and as root; and the compilers that Debian has, whose warnings are errors here.

Needs root, for chroot. CRIVO_ROOTS is the folder of the roots, which are kept for the next run, with a compiler cache."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOTS = pathlib.Path(os.environ["CRIVO_ROOTS"])
USER = "somebody"
# What a minimal system lacks that a person who has the tree in hand has.
INCLUDED = "sudo,ca-certificates,git"
# Debian's libraries of C++ are made by its own compiler; the C++ library that comes with an older one lacks what they need.
SYSTEMS_LIBRARY = "LDFLAGS=-Wl,--no-as-needed,-l:libstdc++.so.6,--as-needed"
HERE_ALONE = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'


def mirror():
    """The one that this machine installs from."""
    for file in sorted(pathlib.Path("/etc/apt").glob("sources.list*/*")) + [pathlib.Path("/etc/apt/sources.list")]:
        if file.is_file() and (found := re.search(r"^[^#]*\b(https?://\S+/debian)/?\s", file.read_text(), re.MULTILINE)):
            return found[1]
    return "http://deb.debian.org/debian"


@unittest.skipIf(os.geteuid() != 0 or shutil.which("mmdebstrap") is None, "not root, or no mmdebstrap: see tools/setup full")
class Debian:
    suite = ""
    compilers = ()  # the package, C, C++, and what the suite is linked with

    @classmethod
    def setUpClass(cls):
        cls.root = ROOTS / cls.suite
        if not (cls.root / "made").exists():
            shutil.rmtree(cls.root, ignore_errors=True)
            ROOTS.mkdir(parents=True, exist_ok=True)
            subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", f"--include={INCLUDED}", cls.suite, cls.root, mirror()],
                           check=True)
            cls.inside("root", f"useradd --create-home --shell /bin/bash {USER} && "
                               f"echo '{USER} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{USER} && "
                               "apt-get -qq update && apt-get -qq install -y --no-install-recommends ccache && "
                               "mkdir -m 1777 /var/cache/crivo && git config --system safe.directory '*'")
            (cls.root / "made").touch()
        cls.put_tree("root")
        cls.put_tree(USER)

    @classmethod
    def put_tree(cls, user):
        """A clone of the tree in the user's home, with what is not committed; what was built there stays."""
        tree = cls.root / cls.home(user)[1:] / "crivo"
        if not tree.exists():
            subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, tree], check=True)
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                                stdout=subprocess.PIPE, text=True).stdout.split("\0")
        wanted = {name for name in listed if name and (ROOT / name).is_file()}
        # Of a run before, the tree is the user's, whom git does not trust by itself.
        had = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             cwd=tree, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
        for name in {name for name in had if name} - wanted:
            if (tree / name).is_file():  # a file of before may be a folder by now
                (tree / name).unlink()
        for name in wanted:
            new, old = ROOT / name, tree / name
            if not old.is_file() or old.read_bytes() != new.read_bytes():
                old.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(new, old)
        cls.inside("root", f"chown -R {user}: {cls.home(user)}/crivo")

    @staticmethod
    def home(user):
        return "/root" if user == "root" else f"/home/{user}"

    @classmethod
    def inside(cls, user, commands):
        """Runs commands in the root by a shell of the user's, in the tree if there is one; what they say, if they fail."""
        # What one user compiled is not compiled again for the other, whose tree lies elsewhere.
        script = ("export CCACHE_DIR=/var/cache/crivo CCACHE_UMASK=000 CCACHE_BASEDIR=$HOME CCACHE_NOHASHDIR=1 "
                  "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "
                  "CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache; "
                  f"cd {cls.home(user)}; [ ! -d crivo ] || cd crivo; set -e; {commands}")
        shutil.copy("/etc/resolv.conf", cls.root / "etc/resolv.conf")
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", HERE_ALONE, cls.root,
             "su", "--login", user, "--command", script],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise AssertionError(f"{cls.suite}: as {user}: exit {done.returncode}: {commands}\n{done.stdout[-6000:]}")
        return done.stdout

    def as_documented(self, user, test):
        self.inside(user, "tools/quickstart")
        self.inside(user, "tools/setup test")
        # As every page has it, but in a folder of its own.
        said = self.inside(user, "cmake --preset release -B build/plain && cmake --build build/plain")
        self.assertNotIn("warning:", said)
        said = self.inside(user, test)
        self.assertIn(" 0 failed", said.splitlines()[-1])

    def test_1_as_a_user(self):
        self.as_documented(USER, "tools/test")

    def test_2_as_root(self):
        self.as_documented("root", "tools/test --quick")

    def test_3_compilers(self):
        """Each of them with files of their own and with folders at once, and the suite of what it made."""
        self.inside("root", "tools/setup test; DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends " +
                    " ".join(package for package, *_ in self.compilers))
        for _, c, cxx, linked_with in self.compilers:
            with self.subTest(compiler=cxx):
                build = f"build/{cxx}"
                self.inside("root", f"cmake --preset release -B {build} -DCMAKE_C_COMPILER={c} -DCMAKE_CXX_COMPILER={cxx} "
                            f"-DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCRIVO_TESTS=OFF -DCRIVO_APPS=OFF -DCRIVO_BENCH=OFF "
                            f"-DCRIVO_EXPERIMENTS=OFF && cmake --build {build} -- --quiet")
                self.inside("root", f"seq 9999 >{build}/keys && {build}/bin/crivo build mphf {build}/keys -o {build}/keys.crv "
                            f"--force -q && {build}/bin/crivo verify {build}/keys.crv --keys {build}/keys")
                said = self.inside("root", f"rm -rf build/release && {linked_with} CC={c} CXX={cxx} tools/test --quick")
                self.assertIn(" 0 failed", said.splitlines()[-1])


class Bookworm(Debian, unittest.TestCase):
    suite = "bookworm"
    compilers = (("g++-12", "gcc-12", "g++-12", ""), ("clang-16", "clang-16", "clang++-16", ""))


class Trixie(Debian, unittest.TestCase):
    suite = "trixie"
    compilers = (("g++-13", "gcc-13", "g++-13", SYSTEMS_LIBRARY), ("g++-14", "gcc-14", "g++-14", ""),
                 ("clang-19", "clang-19", "clang++-19", ""))


if __name__ == "__main__":
    unittest.main()
