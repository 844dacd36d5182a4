# SPDX-License-Identifier: Apache-2.0
"""What a notebook or a terminal shows: tables of what is open, and how far a build is."""

from __future__ import annotations

import html
import sys
from typing import Any, Iterable, List, Optional, Tuple

from ._resources import Progress


def bytes_text(number: int) -> str:
    """A number of bytes for people."""
    size = float(number)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{number} bytes" if unit == "bytes" else f"{size:.3g} {unit}"


def rows_of_info(info: Any) -> List[Tuple[str, str]]:
    """What is worth a line of an Info."""
    rows = [("kind", f"{info.kind}, {info.algorithm}" if info.algorithm else info.kind), ("keys", f"{info.keys:,}")]
    per_key = f", {8 * info.bytes / info.keys:,.2f} bits/key" if info.keys else ""
    rows.append(("size", bytes_text(info.bytes) + per_key))
    if info.fpr is not None:
        rows.append(("false-positive rate", f"{info.fpr:.3g}"))
    if info.signature_bits:
        rows.append(("signatures", f"{info.signature_bits} bits"))
    if info.value_type:
        rows.append(("values", f"{info.value_type}, {info.value_bits} bits" if info.value_bits else info.value_type))
    return rows


def table(title: str, rows: Iterable[Tuple[str, str]]) -> str:
    """A table in HTML, of texts."""
    lines = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th><td style="text-align:left">{html.escape(text)}</td></tr>'
        for name, text in rows
    )
    return f"<table><caption style=\"text-align:left\"><code>{html.escape(title)}</code></caption>{lines}</table>"


class ProgressBar:
    """Shows how far a build is: a line that is written anew, in a notebook or on a terminal; elsewhere nothing.

    >>> crivo.build_mphf(["a", "b"], progress=crivo.ProgressBar()).keys
    2
    """

    _WIDTH = 30

    def __init__(self) -> None:
        self._display: Any = None  # of IPython
        self._length = 0  # of the line on the terminal
        self._shell = _notebook()

    @classmethod
    def line(cls, progress: Progress) -> str:
        """What is shown of a state."""
        if progress.fraction is None:
            return f"{progress.phase}: {progress.done:,}"
        full = round(cls._WIDTH * progress.fraction)
        return f"[{'#' * full}{'.' * (cls._WIDTH - full)}] {progress.fraction:4.0%} {progress.phase}"

    def __call__(self, progress: Progress) -> None:
        text = self.line(progress)
        if self._shell is not None:
            shown = {"text/plain": text, "text/html": f"<code>{html.escape(text)}</code>"}
            if self._display is None:
                self._display = self._shell(shown, raw=True, display_id=True)
            else:
                self._display.update(shown, raw=True)
        elif sys.stderr.isatty():
            sys.stderr.write("\r" + text.ljust(self._length))
            self._length = len(text)
            if progress.fraction == 1:
                sys.stderr.write("\n")
            sys.stderr.flush()


def _notebook() -> Optional[Any]:
    """IPython's display(), in a notebook alone."""
    try:
        from IPython import get_ipython  # pylint: disable=import-outside-toplevel
        from IPython.display import display  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    return display if type(get_ipython()).__name__ == "ZMQInteractiveShell" else None
