# SPDX-License-Identifier: Apache-2.0
"""What a type checker is to know of the package: `mypy --strict` takes it, and each line that is marked is an error."""

from typing import Dict, Iterator, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

import crivo

WORDS: List[str] = ["ape", "bee"]


def show(progress: crivo.Progress) -> bool:
    print(progress.phase, progress.fraction)
    return False


def builds(folder: str) -> Tuple[int, bytes]:
    made: crivo.Summary = crivo.build_mphf(WORDS, f"{folder}/mphf", algorithm="tiny", signature_bits=8, progress=show, replace=True)
    crivo.build_filter(b for b in (b"a", b"b"))
    crivo.build_filter([1, 2], type="range", fpr=0.01, longest_range=5, progress=crivo.ProgressBar())
    crivo.build_map({"ape": 7}, value_type="signed", compress=True)
    crivo.build_map(np.array([1, 2]), values=np.array([3, 4]))
    crivo.build_store({"ape": b"x"}, f"{folder}/store", backend="flat", ordered=True, codec="none")
    crivo.build_dictionary(crivo.Files("words", null=True), block_keys=16, notes={"source": "x"})
    crivo.build_exact(WORDS[:1], WORDS, fpr=0.5, threads=2)
    crivo.build_mphf(WORDS, algorithm="none")  # type: ignore[arg-type]
    crivo.build_filter(WORDS, fpr="1%")  # type: ignore[arg-type]
    crivo.build_filter(WORDS, capacities=5)  # type: ignore[call-arg]
    crivo.build_map(WORDS, scale="2")  # type: ignore[arg-type]
    crivo.build_store(WORDS, records=WORDS)  # type: ignore[call-arg]
    return made.keys, made.data


def lookups(folder: str) -> None:
    with crivo.Mphf(f"{folder}/mphf") as ranks:
        rank: int = ranks["ape"]
        many: npt.NDArray[np.uint64] = ranks.get_many(WORDS)
        print(rank, many)
    with crivo.Store(f"{folder}/store", mode="preload") as store:
        record: bytes = store["ape"]
        items: Iterator[Tuple[bytes, bytes]] = iter(store.items())
        records: List[Optional[bytes]] = store.get_many(WORDS)
        store["ape"] = record  # type: ignore[index]
        print(record, items, records, len(store), "ape" in store)
    words = crivo.Dictionary(crivo.build_dictionary(WORDS).data)
    key: bytes = words.keys()[0]
    keys: List[bytes] = words.keys()[0:2]
    near: List[Tuple[int, int]] = words.fuzzy("ape", 1)
    found: Dict[object, int] = {each: number for each, number in words.items()}
    print(key, keys, near, found, words.prefix("a").start)
    with crivo.Remote("https://a.example/words.crv", trust=None, timeout=5) as remote:
        beside: Optional[int] = remote.value("ape")
        print(beside, remote.get_many(WORDS), remote.signature)
    crivo.Remote("https://a.example/words.crv")  # type: ignore[call-arg]
    seen = crivo.Filter(b"")
    answers: npt.NDArray[np.bool_] = seen.get_many(WORDS)
    print(answers, seen.get_many(5))  # type: ignore[arg-type]
