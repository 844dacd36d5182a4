# SPDX-License-Identifier: Apache-2.0
"""Filters of hashes in memory."""

import numpy as np
import pytest

import crivo


@pytest.mark.parametrize("type_", ["ribbon", "fuse", "split-block-bloom", "bloom"])
def test_built_and_asked(type_):
    hashes = np.random.default_rng(1).integers(0, 2**64, 5000, dtype=np.uint64)
    data = crivo.build_filter_hashes(hashes, type=type_, fpr=0.01)
    assert data == crivo.build_filter_hashes([int(each) for each in hashes], type=type_, fpr=0.01)
    with crivo.HashFilter(data) as seen:
        assert len(seen) == 5000 and seen.fpr <= 0.011
        assert seen.get_many(hashes).all() and int(hashes[7]) in seen
        assert seen.get_many(np.arange(10_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)).mean() < 0.02
    with pytest.raises(ValueError, match="closed"):
        len(seen)


def test_refused():
    for wrong in ({"type": "cuckoo"}, {"fpr": 0}, {"fpr": 2}):
        with pytest.raises(crivo.UsageError):
            crivo.build_filter_hashes([1, 2], **wrong)
    with pytest.raises(TypeError):
        crivo.build_filter_hashes(["a text"])
    with pytest.raises(crivo.CorruptError):
        crivo.HashFilter(b"crvf")
