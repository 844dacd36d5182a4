# SPDX-License-Identifier: Apache-2.0
"""Key files."""

from __future__ import annotations

import os
from typing import Union

from ._native import lib

Path = Union[str, "os.PathLike[str]"]


class Files:
    """Key files as the input of a build: lines (key, or key TAB value or record), pieces that end with NUL, or keys of
    `width` bytes. gzip, zstd, xz and bzip2 are detected by content, not by file name."""

    def __init__(self, *paths: Path, null: bool = False, width: int = 0, strip_cr: bool = False):
        if not paths:
            raise ValueError("Files needs at least one path")
        for path in paths:
            os.fspath(path)  # a list of paths is a TypeError here, and not later
        self.paths = paths
        self.framing = lib.CRIVO_FIXED_WIDTH if width else lib.CRIVO_NULL_ENDED if null else lib.CRIVO_LINES
        self.width = width
        self.strip_cr = strip_cr
