# SPDX-License-Identifier: Apache-2.0
"""Names, keys and metadata that hold commands to a terminal: what the program says of them is one line of plain text."""

from harness import CrivoTest, lines, pairs

# Clears the screen; CSI as one character of UTF-8, and as one byte; a line end; a mark that turns what follows around.
HOSTILE = b"a\x1b[2J\xc2\x9b2J\x9b2J\n\xe2\x80\xaeb"
SHOWN = b"a\\x1b[2J\\xc2\\x9b2J\\x9b2J\\x0a\\xe2\\x80\\xaeb"


class Terminal(CrivoTest):
    def assert_plain(self, text):
        self.assertTrue(text.endswith(b"\n"), text)
        for line in text[:-1].split(b"\n"):
            for byte in line:
                self.assertTrue(0x20 <= byte < 0x7F, text)

    def hostile(self, *args, code=0, show=SHOWN):
        """Runs the program; what it says on standard error is plain, and has `show`."""
        err = self.crivo(*args, code=code).err
        self.assert_plain(err)
        self.assertIn(show, err)
        if code != 0:
            self.assertEqual(err.count(b"\n"), 1, err)

    def test_names_of_files_that_are_not_there(self):
        for command in (["info"], ["verify"], ["query"], ["build", "mphf", "-o", "out"]):
            self.hostile(*command, HOSTILE, code=5)
        self.hostile(HOSTILE, code=2, show=b"crivo: ")

    def test_names_of_files(self):
        (self.dir / HOSTILE.decode(errors="surrogateescape")).write_bytes(b"key\nkey\n")
        self.hostile("build", "mphf", HOSTILE, "-o", "out", code=3)
        self.hostile("info", HOSTILE, code=4)
        self.write("keys", b"one\ntwo\n")
        out = b"out" + HOSTILE
        self.hostile("build", "filter", "keys", "--type", "bloom", "--capacity", "9", "-o", out)
        self.hostile("verify", out)
        self.hostile("verify", out, "--keys", "keys")
        self.hostile("filter", "add", out, "keys")
        self.hostile("filter", "diff", "keys", out)
        self.hostile("filter", "diff", "--maybe", "keys", out)
        self.hostile("filter", "union", out, out, "-o", b"both" + HOSTILE)
        self.hostile("build", "filter", "keys", "--type", "bloom", "-o", out, code=2)

    def test_keys(self):
        key = b"a\x1b[2J\xc2\x9b2J\x9b2J"
        shown = b"a\\x1b[2J\\xc2\\x9b2J\\x9b2J"
        self.write("twice", lines([key, key]))
        self.hostile("build", "mphf", "twice", "-o", "out", code=3, show=shown)
        self.write("records", pairs([key], [b"\x1b"]))
        self.crivo("build", "store", "records", "-o", "store")
        self.hostile("get", "store", key + b"!", code=1, show=shown)
        self.write("other", pairs([key], [b"other"]))
        self.hostile("verify", "store", "--keys", "other", code=1, show=shown)
        self.write("values", key + b"\t" + key + b"\n")
        self.hostile("build", "map", "values", "--values", "-o", "map", code=3, show=shown)

    def test_metadata(self):
        """Nobody compares the section's checksum when a file is opened for `info`."""
        self.write("keys", b"one\ntwo\n")
        self.crivo("build", "mphf", "keys", "-o", "out")
        sound = (self.dir / "out").read_bytes()
        self.write("out", sound.replace(b"crivo.algorithmfast", b"crivo.algorithm\x1b[2J"))
        info = self.crivo("info", "out")
        self.assert_plain(info.out)
        self.assertIn(b'"crivo.algorithm" = "\\x1b[2J"', info.out)
        self.assertEqual(self.info("out")["metadata"]["crivo.algorithm"], "\x1b[2J")
        self.write("out", sound.replace(b"crivo.algorithmfast", b"crivo.algorithm\x7f\xe2\x80\xae"))
        self.assert_plain(self.crivo("info", "out", "--json").out)
        self.assertEqual(self.info("out")["metadata"]["crivo.algorithm"], "\x7f\u202e")
        self.write("out", sound.replace(b"crivo.algorithmfast", b"crivo\xffalgorithmfast"))
        for command in ("info", "verify"):
            self.crivo(command, "out", code=4)
