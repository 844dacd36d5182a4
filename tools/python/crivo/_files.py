# SPDX-License-Identifier: Apache-2.0
"""Key files."""

from __future__ import annotations

from typing import Any, List, Optional, Union

from ._native import ffi, lib
from ._texts import Path, c_text, flag, one_character, path_bytes, text_bytes, whole


class Files:
    """Key files as the input of a build: lines (key, or key TAB value or record), pieces that end with NUL, or keys of
    `width` bytes. gzip, zstd, xz and bzip2 are detected by content, not by file name.

    `column` and `value_column` are those of the key and of the value or record, from 1, or with `header`, which leaves out the
    first line of each file, also the names that stand there. `delimiter` is between columns: TAB, with `csv` (columns may be in
    double quotes) a comma. With `json_key` each line is a JSON object, of which that member is the key, and `json_value` the
    value or record. `row_column` or `json_row` is put behind the value or record, with a TAB between: for :func:`build_rows`. A list as `column` or `json_key` makes one key of
    several: all texts with TABs between, in which a backslash, a TAB and an LF stand as ``\\\\``, ``\\t`` and ``\\n``. With `hex` keys are written in hexadecimal digits. A file of another format (an archive, a column file,
    UTF-16) is refused, and a byte order mark left out, unless `binary_lines` is given. With `group_by_file`, for :func:`build_filterset`, each
    file is a group, named by its path, and has keys alone.

    >>> _ = open("people.csv", "w").write("name,age\\nann,7\\nbob,9\\n")
    >>> ages = crivo.build_map(crivo.Files("people.csv", csv=True, header=True, value_column=2), values=True, signature_bits=8)
    >>> crivo.Map(ages.data)["bob"]
    9
    """

    def __init__(
        self, *paths: Path, null: bool = False, width: int = 0, strip_cr: bool = False, column: Union[int, str, List[Union[int, str]]] = 0,
        value_column: Union[int, str] = 0, row_column: Union[int, str] = 0, delimiter: str = "", csv: bool = False, header: bool = False,
        json_key: Union[None, str, List[str]] = None, json_value: Optional[str] = None, json_row: Optional[str] = None, hex: bool = False,  # noqa: A002
        binary_lines: bool = False, group_by_file: bool = False,
    ):
        if not paths:
            raise ValueError("Files needs at least one path")
        for path in paths:
            path_bytes(path)  # a list of paths is a TypeError here, and not later
        if column == [] or json_key == []:
            raise ValueError("a key has at least one column")
        leading = [*(column[:-1] if isinstance(column, list) else ()), *(json_key[:-1] if isinstance(json_key, list) else ())]
        column, json_key = (each[-1] if isinstance(each, list) else each for each in (column, json_key))
        if delimiter != "":
            one_character(delimiter, "delimiter")
        for text, name in ((json_key, "json_key"), (json_value, "json_value"), (json_row, "json_row")):
            if text is not None:
                text_bytes(text, name)
        for each, name in (*((one, "json_key" if json_key else "column") for one in leading), (column, "column"), (value_column, "value_column"), (row_column, "row_column")):
            _ = text_bytes(each, name) if isinstance(each, str) else whole(each, name, 2**32 - 1)
        flags = {"null": null, "strip_cr": strip_cr, "csv": csv, "header": header, "hex": hex, "binary_lines": binary_lines, "group_by_file": group_by_file}
        for name, value in flags.items():
            flag(value, name)
        width = whole(width, "width", 2**32 - 1)
        if not header and any(isinstance(each, str) for each in (column, value_column, row_column, *(() if json_key else leading))):
            raise ValueError("a column is found by its name where there is a header: header=True")
        self.paths = paths
        self.framing = lib.CRIVO_FRAMING_NULL if null else lib.CRIVO_FRAMING_FIXED if width else lib.CRIVO_FRAMING_LINES
        self.width = width
        self.strip_cr = strip_cr or csv
        self.column = 1 if not column and (csv or delimiter) else column
        self.value_column = value_column
        self.row_column = row_column
        self.delimiter = delimiter.encode() or b"\0"
        self.csv = csv
        self.header = header
        self.json_key = json_key
        self.leading = [str(each) for each in leading]
        self.json_value = json_value
        self.json_row = json_row
        self.hex = hex
        self.binary_lines = binary_lines
        self.group_by_file = group_by_file

    def format(self, allow_empty: bool) -> Any:
        """A crivo_format*, for as long as this lives."""
        names = {
            "key_name": self.column if isinstance(self.column, str) else None,
            "value_name": self.value_column if isinstance(self.value_column, str) else None,
            "row_name": self.row_column if isinstance(self.row_column, str) else None,
            "json_key": self.json_key, "json_value": self.json_value, "json_row": self.json_row,
        }
        self.texts = {name: c_text(text, name) for name, text in names.items() if text is not None}
        self.leading_texts = [c_text(text, "column") for text in self.leading]
        self.leading_keys = ffi.new("const char*[]", self.leading_texts)
        return ffi.new("crivo_format*", {
            "struct_size": ffi.sizeof("crivo_format"), "framing": self.framing, "width": self.width,
            "strip_cr": int(self.strip_cr), "allow_empty": flag(allow_empty, "allow_empty"),
            "key_column": self.column if isinstance(self.column, int) else 0,
            "value_column": self.value_column if isinstance(self.value_column, int) else 0,
            "row_column": self.row_column if isinstance(self.row_column, int) else 0,
            "column_delimiter": self.delimiter, "quotes": int(self.csv), "skip_header": int(self.header), "hex": int(self.hex),
            "binary_lines": int(self.binary_lines), "leading_keys": self.leading_keys, "leading_count": len(self.leading),
            "group_by_file": int(self.group_by_file),
            **self.texts,
        })
