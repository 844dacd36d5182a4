# SPDX-License-Identifier: Apache-2.0
"""The Debian packages, built and lintian clean, and the wheel and the jar: each installed in a clean system and used there."""

import pathlib
import platform
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = platform.freedesktop_os_release().get("VERSION_CODENAME", "sid")  # packages need the libraries that they were built with
USE = r"""
set -e
cd /tmp
install() { apt-get install -y --no-install-recommends "$@" >/dev/null; }

# One package and three commands.
install ./crivo_*.deb
printf 'one\ntwo\nthree\n' >keys.txt
crivo build map keys.txt -o keys.crv --quiet
test "$(crivo query keys.crv --key two)" = "$(printf 'two\t1')"
crivo verify keys.crv --keys keys.txt
crivo-slurm build map keys.txt --shards 2 -o two.crv --manifest --dry-run >/dev/null

# The wheel, beside the libraries that it names.
install python3-venv python3-numpy python3-cffi-backend liblmdb0 libzstd1 libxxhash0 \
  "$(apt-cache pkgnames libssl3 | grep -xE 'libssl3(t64)?' | sort | tail -n 1)"  # Debian 13 has libssl3t64
python3 -m venv --system-site-packages venv
venv/bin/pip install --quiet --no-index --no-deps ./crivo-*.whl
test "$(venv/bin/python3 -c 'import crivo; print(crivo.Map("keys.crv").get(b"three"))')" = 2
rm -r venv

# The jar.
install default-jre-headless
test "$(java -jar crivo.jar keys.crv keys.txt | tail -n 1)" = "$(printf 'three\t2')"

# All packages.
install ./*.deb g++ pkg-config
test -s /usr/share/doc/crivo-doc/formats/crivo-1.md
test -s /usr/share/doc/crivo-doc/tools/slurm/Snakefile
test -s /usr/share/bash-completion/completions/crivo
printf '%s\n' '#include <crivo/map.hpp>' '#include <iostream>' \
  'int main() { std::cout << *crivo::Map::open("keys.crv").lookup("three") << "\n"; }' >use.cpp
g++ -std=c++20 use.cpp -o use $(pkg-config --cflags --libs crivo)
test "$(./use)" = 2
test "$(python3 -c 'import crivo; print(crivo.Map("keys.crv").get(b"three"))')" = 2
"""


@unittest.skipUnless(
    shutil.which("dpkg-buildpackage") and shutil.which("lintian") and shutil.which("mmdebstrap"),
    "no debhelper, lintian or mmdebstrap: the Debian packages are not tested",
)
class Packages(unittest.TestCase):
    def test_from_the_tree_to_an_answer(self):
        with tempfile.TemporaryDirectory(prefix="crivo-test-") as out:
            built = subprocess.run([ROOT / "tools" / "package" / "deb", out], capture_output=True, text=True)
            self.assertEqual(built.returncode, 0, built.stdout[-3000:] + built.stderr[-3000:])
            packages = sorted(pathlib.Path(out).glob("*.deb"))
            names = {package.name.split("_")[0] for package in packages if "dbgsym" not in package.name}
            self.assertEqual(names, {"crivo", "crivo-doc", "libcrivo1", "libcrivo-collections1", "libcrivo-read1", "libcrivo-dev", "python3-crivo"})
            subprocess.run([ROOT / "tools" / "java" / "build", pathlib.Path(out) / "crivo.jar"], check=True)
            tree = pathlib.Path(out) / "tree"
            for part in ("include", "tools/python"):
                shutil.copytree(ROOT / part, tree / part)
            subprocess.run(
                ["/usr/bin/python3", "-m", "build", "--wheel", "--no-isolation", "--outdir", out, tree / "tools" / "python"],
                check=True, capture_output=True,
            )
            given = [package for package in packages if "dbgsym" not in package.name]
            given += [*pathlib.Path(out).glob("*.whl"), pathlib.Path(out) / "crivo.jar"]
            copied = " ".join(str(package) for package in given)
            used = subprocess.run(
                ["mmdebstrap", "--variant=apt", f"--customize-hook=copy-in {copied} /tmp",
                 "--chrooted-customize-hook=" + USE, SUITE, "/dev/null"],
                capture_output=True, text=True,
            )
            self.assertEqual(used.returncode, 0, used.stderr[-3000:])


if __name__ == "__main__":
    unittest.main()
