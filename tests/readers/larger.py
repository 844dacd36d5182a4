# SPDX-License-Identifier: Apache-2.0
"""Files of several partitions, regions, segments or shards, which no golden file has, manifests, and what Crivo answers of
them."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

CRIVO = os.path.abspath(os.environ["CRIVO"])
BUILDS = (
    (100_000, "mphf", "--algorithm", "compact", "--signature", "8"),
    (400_000, "mphf", "--algorithm", "tiny"),
    (200_000, "filter", "--fpr", "0.03"),
    (900_000, "filter", "--type", "fuse", "--bits", "2"),
    (200_000, "filter", "--type", "bloom", "--fpr", "0.01"),
    (100_000, "filter", "--type", "range", "--fpr", "0.01", "--longest-range", "20", "--duplicates", "ignore"),
    (100_000, "filter", "--type", "counting-bloom", "--fpr", "0.05"),
    (200_000, "filter", "--type", "cuckoo", "--fpr", "0.1"),
    (200_000, "filter", "--type", "cuckoo", "--semi-sorted", "--fpr", "0.1"),
    (200_000, "map", "--value-bits", "18", "--signature", "8"),
    (400_000, "map", "--values", "--compress"),
    (60_000, "store", "--codec", "none"),
    (20_000, "store", "--codec", "tokens12"),
    (20_000, "store", "--backend", "flat", "--codec", "tokens16"),
    (20_000, "store", "--backend", "flat", "--ordered"),
    (4_000, "store", "--codec", "zstd", "--block", "16K"),
    (4_000, "store", "--backend", "flat", "--codec", "zstd", "--block", "512"),
    (20_000, "rows", "--fixed", "8", "--signature", "32"),
)
# In two shards, which are served unmerged.
SERVED = (
    (400_000, "mphf", "--algorithm", "compact", "--signature", "16"),
    (9_000, "mphf", "--signature", "8"),
    (20_000, "filter", "--fpr", "0.03"),
    (900_000, "filter", "--type", "fuse", "--bits", "2"),
    (9_000, "filter", "--type", "cuckoo"),
    (20_000, "map"),
    (30_000, "map", "--values", "--compress"),
    (3_000, "store", "--codec", "tokens16", "--signature", "8"),
    (3_000, "store", "--codec", "zstd", "--block", "512"),
)
KEYS = 900_000
ASKED = 400  # of the set, and as many others


def lines(rows):
    return b"".join(row + b"\n" for row in rows)


def record(i, key, options):
    """A record; of zstd's some are longer than its blocks of 128 KiB."""
    text = hashlib.sha256(key).hexdigest().encode()
    return text * (5000 if i % 1000 == 7 else i % 30) if "zstd" in options else text


def sharded_files(directory):
    """The files between the steps of a sharded build, which answer nothing but are verified."""
    out = pathlib.Path(directory)
    subprocess.run([CRIVO, "partition", "-", "--shards", "2", "-o", out / "dealt", "-q"], input=lines(
        b"%d" % i for i in range(3000)), check=True)
    subprocess.run([CRIVO, "build", "mphf", out / "dealt", "--shard", "0/2", "-o", out / "part", "-q"], check=True)
    return [out / "part", *(out / "dealt").glob("*.crv")]


def files():
    """(what was built, its path, keys as lines, Crivo's answer to them), one after the other."""
    generated = subprocess.run([CRIVO, "gen", "ints", "-n", str(KEYS + ASKED)], stdout=subprocess.PIPE, check=True)
    generated = generated.stdout.splitlines()
    with tempfile.TemporaryDirectory(prefix="crivo-test-") as directory:
        for row in BUILDS + SERVED:
            count, kind, *options = row
            keys = [key[:8] for key in generated] if "range" in options else generated  # numbers of 8 bytes
            rows = keys[:count]
            if "--values" in options:
                rows = [b"%s\t%d" % (key, (i & -i).bit_length()) for i, key in enumerate(rows)]
            elif kind == "rows":
                rows = [b"%s\tt.parquet\t%d" % (key, i) for i, key in enumerate(rows)]
            elif kind == "store":
                rows = [key + b"\t" + record(i, key, options) for i, key in enumerate(rows)]
            out = pathlib.Path(directory) / f"{count}-{kind}"
            if row in SERVED:
                out = served(pathlib.Path(directory), kind, options, rows)
            else:
                command = [CRIVO, "build", kind, "-", "-o", out, "--quiet", "--force", *options]
                subprocess.run(command, input=lines(rows), check=True)
            asked = lines(keys[: count : count // ASKED] + keys[-ASKED:])
            answers = subprocess.run([CRIVO, "query", out, "-"], input=asked, stdout=subprocess.PIPE, check=True)
            yield " ".join((out.name, str(count), kind, *options)), out, asked, answers.stdout


def served(directory, kind, options, rows):
    """The manifest of two parts."""
    for name in ("dealt", "part-0.crv", "part-1.crv", "manifest.crv"):
        path = directory / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    deal = [CRIVO, "partition", "-", "--shards", "2", "-o", directory / "dealt", "-q"]
    with_values = ["--values"] if "--values" in options else ["--records"] if kind == "store" else []
    subprocess.run([*deal, *with_values], input=lines(rows), check=True)
    parts = [directory / f"part-{i}.crv" for i in range(2)]
    for i, part in enumerate(parts):
        build = [CRIVO, "build", kind, directory / "dealt", "--shard", f"{i}/2", "-o", part, "-q", *options]
        subprocess.run(build, check=True)
    subprocess.run([CRIVO, "manifest", *parts, "-o", directory / "manifest.crv", "-q"], check=True)
    return directory / "manifest.crv"
