# SPDX-License-Identifier: Apache-2.0
"""formats/crivo.ksy, the container for Kaitai Struct, says what formats/reader.py reads.

The compiler, its runtime and a reader of YAML come from npm; tools/setup puts them into build/kaitai.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

import golden

sys.path.insert(0, str(golden.FORMATS))
import reader

HERE = pathlib.Path(__file__).resolve().parent
MODULES = golden.FORMATS.parent / "build" / "kaitai" / "node_modules"
# Golden files whose damage is none of the container's shape: Kaitai compares no checksums, hashes, kinds and types.
OF_NO_SHAPE = {
    "checksums", "directory-changed", "directory-section", "hash", "hash-2", "hash-without-tree", "header", "keys", "leaves-changed", "leaves-cut", "leaves-hash",
    "leaves-missing", "leaves-needless", "metadata", "no-tree", "padding", "part", "section-200", "section-118",
    "section-of-filters", "section", "tag", "twice", "unused", "values-1", "values-2", "values-3",
}


def node(*arguments):
    environment = {**os.environ, "NODE_PATH": f"{MODULES}:{os.environ.get('NODE_PATH', '')}"}
    return subprocess.run(["node", *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def why_not():
    """What is missing of what the test needs."""
    try:
        for module in ("kaitai-struct-compiler", "kaitai-struct", "js-yaml"):
            if node("-e", f"require.resolve('{module}/package.json')").returncode:
                return f"no {module} from npm (tools/setup installs it)"
    except FileNotFoundError:
        return "no node"
    return ""


@unittest.skipIf(why_not(), f"Kaitai's description is not tested: {why_not()}")
class Description(unittest.TestCase):
    def read(self, paths):
        result = node(HERE / "kaitai.js", golden.FORMATS / "crivo.ksy", *paths)
        self.assertEqual(result.returncode, 0, result.stderr.decode()[:2000])
        return json.loads(result.stdout)

    def test_golden_files(self):
        paths = [*golden.containers(), *golden.chain_files()]
        for path, found in zip(paths, self.read(paths), strict=True):
            with self.subTest(path):
                file = reader.File(path.read_bytes())
                self.assertNotIn("refused", found)
                self.assertEqual(
                    (found["kind"], found["keys"], found["function"], found["length"]),
                    (file.kind, file.n, file.function, len(file.data)),
                )
                self.assertEqual(found["checksums"], sum(s.chunks() for s in file.sections.values()))
                contents = {}
                if file.kind == reader.DELTA:
                    data, count = file.section(reader.FLIPS), len(file.delta.lists)
                    heads = [96 + 32 * len(file.delta.joined) + 48 * i for i in range(count)]
                    contents[reader.FLIPS] = [[reader.u64(data, at + 8 * i) for i in (0, 4, 5)] for at in heads]
                if (reader.DIRECTORY, 0) in file.sections:
                    data = file.section(reader.DIRECTORY)
                    contents[reader.DIRECTORY] = [[reader.u64(data, at) for at in (0, 8, 16)]]  # of one section
                if file.kind == reader.CHAIN:
                    contents[reader.LINKS] = [[name.decode(), length] for _, length, name in file.links.files]
                contents[reader.METADATA] = [[name.decode(), value.decode()] for name, value in file.metadata().items()]
                self.assertEqual(
                    found["sections"], [[s.type, s.offset, s.length, contents.get(s.type, s.length)] for s in file.sections.values()]
                )

    def test_bad_files(self):
        paths = sorted((golden.GOLDEN / "bad").glob("*.crv"))
        read = {path.stem for path, found in zip(paths, self.read(paths)) if "refused" not in found}
        self.assertEqual(read, OF_NO_SHAPE)


if __name__ == "__main__":
    unittest.main()
