# SPDX-License-Identifier: Apache-2.0
"""What libcrivo.so and the libraries beside it show, against what was recorded of it: `tools/package/abi` says how to record it anew."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["CRIVO"]).resolve().parents[1]
LIBRARY = BUILD / "libcrivo.so"
COLLECTIONS = BUILD / "libcrivo-collections.so"
FOREIGN = BUILD / "libcrivo-foreign.so"


def lines(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, timeout=300, check=True).stdout.decode().splitlines()


class AbiTest(unittest.TestCase):
    def test_nothing_that_programs_use_has_changed(self):
        compared = subprocess.run(
            [SOURCE / "tools" / "package" / "abi", "check", LIBRARY], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=500, check=False,
        )
        self.assertEqual(compared.returncode, 0, compared.stdout.decode())

    def test_a_break_is_found(self):
        """The check itself, of a small library that has one header and changes."""
        folder = tempfile.TemporaryDirectory(prefix="crivo-test-")
        self.addCleanup(folder.cleanup)
        tree = pathlib.Path(folder.name)
        (tree / "tools" / "package").mkdir(parents=True)
        (tree / "include").mkdir()
        shutil.copy(SOURCE / "tools" / "package" / "abi", tree / "tools" / "package")
        (tree / "tools" / "package" / "abi_types.cpp").write_text(
            '#include <held.hpp>\nextern "C" __attribute__((visibility("default"))) void held(Held&) {}\n')

        def abi(command, header, functions):
            (tree / "include" / "held.hpp").write_text(header)
            (tree / "library.c").write_text("".join(f"void {name}(void) {{}}\n" for name in functions))
            subprocess.run(["cc", "-shared", "-fPIC", tree / "library.c", "-o", tree / "library.so"], timeout=60, check=True)
            return subprocess.run(
                [tree / "tools" / "package" / "abi", command, tree / "library.so"], stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=60, check=False).returncode

        header = "class Held {\n public:\n  int get() const { return last_; }\n private:\n  int last_ = 0;\n};\n"
        self.assertEqual(abi("record", header, ["one", "two"]), 0)
        self.assertEqual(abi("check", header, ["one", "two", "three"]), 0)
        self.assertNotEqual(abi("check", header, ["one"]), 0)
        self.assertNotEqual(abi("check", header.replace("  int last_", "  int added_ = 0;\n  int last_"), ["one", "two"]), 0)

    def test_programs_can_derive_what_they_are_to_derive(self):
        """Of each class that they derive, libcrivo.so shows what a derived one needs."""
        shown = "\n".join(lines("nm", "-DC", "--defined-only", LIBRARY))
        for name in ("ByteSource", "KeySource", "Site"):
            for what in ("typeinfo", "typeinfo name", "vtable"):
                self.assertIn(f"{what} for crivo::{name}@", shown)

    def test_private_members_are_recorded(self):
        """What the small library above has, the recorded types have too."""
        recorded = (SOURCE / "tools" / "package" / "abi-1" / "types.abi").read_text()
        for member in ("keys_by_level_", "key_form_"):
            self.assertIn(f"<var-decl name='{member}'", recorded)

    def test_soname(self):
        dynamic = lines("readelf", "-d", LIBRARY)
        self.assertTrue(any("SONAME" in line and "[libcrivo.so.1]" in line for line in dynamic), dynamic)

    def test_versions_of_symbols(self):
        """Those of C are for all of a major version; those of C++ for a minor one, so that the loader refuses another."""
        for line in lines("nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY, COLLECTIONS):
            name = line.split(" ")[-1]
            if "@" in name:
                with self.subTest(symbol=name):
                    self.assertRegex(name, r"^crivo_\w+@@CRIVO_1$|^_Z\w+@@CRIVO_CXX_1\.0$")

    def test_shows_nothing_else(self):
        """Every symbol is one of crivo.h, or of namespace crivo but none of its rooms."""
        rooms = {path.name for path in (SOURCE / "src").iterdir()} | {"mphf", "filter", "map", "stream"}
        for line in lines("nm", "-DC", "--defined-only", "--without-symbol-versions", LIBRARY):
            name = line.split(maxsplit=2)[-1]
            if re.fullmatch(r"CRIVO_1|CRIVO_CXX_1\.\d+", name):
                continue
            with self.subTest(symbol=name):
                self.assertRegex(name, r"^(crivo_\w+|((typeinfo|typeinfo name|vtable|guard variable) for )?crivo::.*)$")
                inside = re.match(r"^crivo::(\w+)::", name)
                self.assertFalse(inside and inside.group(1) in rooms, name)

    def test_collections_show_their_calls_alone(self):
        """No class or call of libcrivo.so is shown twice."""
        shown = {re.sub(r"\(.*", "", line.split(maxsplit=2)[-1])
                 for line in lines("nm", "-DC", "--defined-only", "--without-symbol-versions", COLLECTIONS) if "CRIVO_CXX" not in line}
        header = (SOURCE / "include" / "crivo" / "build" / "extract.hpp").read_text()
        declared = set(re.findall(r"^CRIVO_API [^(]*?\b(\w+)\(", header, re.MULTILINE))
        self.assertEqual({name.split("::")[-1] for name in shown}, declared)

    def test_formats_of_others_show_their_calls_alone(self):
        shown = {line.split(maxsplit=2)[-1]
                 for line in lines("nm", "-DC", "--defined-only", "--without-symbol-versions", FOREIGN) if "CRIVO_CXX" not in line}
        self.assertGreater(len(shown), 8)
        for name in sorted(shown):
            self.assertRegex(name, r"^crivo::foreign::((Clubcard|ParquetFilter)::.*|(formats|format_of|open|build|write_\w+)\(.*)$")

    def test_c_calls_are_all_there(self):
        header = (SOURCE / "include" / "crivo.h").read_text()
        declared = set(re.findall(r"^CRIVO_API [^(]*?\b(crivo_\w+)\(", header, re.MULTILINE))
        shown = {line.split()[-1] for line in lines("nm", "-D", "--defined-only", "--without-symbol-versions", LIBRARY)}
        self.assertEqual(declared, {name for name in shown if name.startswith("crivo_")})

    def test_calls_of_headers_are_shown(self):
        """A function that a header declares, and has no body there, is marked for the shared library."""
        seen = 0
        for header in sorted((SOURCE / "include" / "crivo").rglob("*.hpp")):
            code = re.sub(r"//.*|^\s*#.*", "", header.read_text(), flags=re.MULTILINE)
            for declared in re.findall(r"^\w[^;{}()=]* [&*]?\w+\((?:[^;{}]|\{\})*\)[^;{}]*;", code, re.MULTILINE):
                if not declared.startswith(("inline", "template", "constexpr")):
                    seen += 1
                    self.assertTrue(declared.startswith("CRIVO_API "), f"{header}: {declared}")
        self.assertGreater(seen, 35)
