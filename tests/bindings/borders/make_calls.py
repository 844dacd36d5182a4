#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_calls.py HEADER PROGRAM.c: a program that makes every call that crivo.h declares with what no caller should give it.

It reads the declarations: of each parameter, and of each member of a structure that one points to, what is hostile follows from
its type. So a call or member that is added to the header is tried without a word here, once `VALID` has what is right for it."""

import re
import sys

#: What is right for a parameter of a call, or of all calls that begin so.
VALID = {
    "crivo_verify path": 'at("map")', "crivo_inspect path": 'at("map")', "crivo_inspect_notes path": 'at("map")',
    "crivo_verify_signed path": 'at("mphf")', "crivo_sign path": 'at("mphf")', "crivo_verify_keys path": 'at("bloom")', "crivo_verify_keys values": "0",
    "crivo_mphf_open path": 'at("mphf")', "crivo_filter_open path": 'at("filter")', "crivo_map_open path": 'at("map")',
    "crivo_dictionary_open path": 'at("dictionary")', "crivo_exact_open path": 'at("exact")', "crivo_filterset_open path": 'at("filterset")', "crivo_rows_open path": 'at("rows")', "crivo_store_open path": 'at("store")',
    "crivo_filter_add path": 'at("counting")', "crivo_filter_remove path": 'at("counting")',
    "crivo_rows_add rows": 'at("rows")', "crivo_rows_add pairs": "row_input", "crivo_rows_add chain": 'at("rows-anew")', "crivo_rows_remove rows": 'at("rows")', "crivo_rows_remove chain": 'at("rows-anew")',
    "crivo_rows_compact chain": 'at("rows-chain")', "crivo_rows_compact pairs": "rows_input",
    "crivo_filterset_add set": 'at("filterset")', "crivo_filterset_add pairs": "group_input", "crivo_filterset_add chain": 'at("groups-anew")', "crivo_filterset_remove set": 'at("filterset")', "crivo_filterset_remove chain": 'at("groups-anew")',
    "crivo_filterset_compact chain": 'at("groups-chain")',
    "crivo_input_files paths": '(const char* const[]){at("lines"), at("lines")}',
    "crivo_merge_parts count": "1", "crivo_write_manifest count": "1", "crivo_squash_deltas count": "2", "crivo_squash_deltas deltas": '(const char* const[]){at("delta"), at("delta2")}', "crivo_apply_deltas count": "1",
    "crivo_build_delta_part directory": 'at("dealt-members")', "crivo_build_part directory": 'at("dealt")',
    "crivo_finish_partition directory": 'at("dealt")', "crivo_partition_keys directory": 'at("dealt-anew")',
    "crivo_store_remove directory": 'at("removed")', "crivo_store_ directory": 'at("updated")', "crivo_build_delta members": "member_input", "crivo_input_universe members": "member_input",
    "crivo_store_set input": "record_input", "crivo_key_of form": '"urls surt"',
    "crivo_mphf_open_bytes data": "mphf_file.data", "crivo_filter_open_bytes data": "filter_file.data",
    "crivo_map_open_bytes data": "map_file.data", "crivo_dictionary_open_bytes data": "dictionary_file.data",
    "crivo_exact_open_bytes data": "exact_file.data", "crivo_filterset_open_bytes data": "filterset_file.data", "crivo_filterset_open_bytes size": "filterset_file.size", "crivo_rows_open_bytes data": "rows_file.data", "crivo_rows_open_bytes size": "rows_file.size", "crivo_mphf_open_bytes size": "mphf_file.size", "crivo_filter_open_bytes size": "filter_file.size",
    "crivo_map_open_bytes size": "map_file.size", "crivo_dictionary_open_bytes size": "dictionary_file.size", "crivo_exact_open_bytes size": "exact_file.size",
    "crivo_hash_filter_open data": "hash_filter_bytes", "crivo_hash_filter_open size": "hash_filter_size",
    "crivo_exact_contains_pairs groups": "some_groups", "crivo_input_records records": "some_groups", "crivo_buffer_write buffer": "buffer",
    "crivo_filter_contains_hash hash": "&filter_hash", "crivo_dictionary_prefixes room": "4", "crivo_dictionary_fuzzy room": "4", "crivo_input_values values": "numbers",
}  # fmt: skip
#: Of this name, and of a type.
NAMED = {
    "const char*": {"output": 'at("output")', "kind": '"mphf"', "set": 'at("exact")', "filter": 'at("bloom")', "name": '"log"', "epoch": '"log"', "query": '"range"'},
    "const char* const*": {"paths": '(const char* const[]){at("bloom"), at("bloom")}', "parts": '(const char* const[]){at("part")}',
                           "deltas": '(const char* const[]){at("delta")}', "choices": "no_texts"},
    "const void*": {"group": '"x"', "record": '"x"', "name": '"x"', "key": '"a"', "text": '"a"', "data": '"a"'},
    "size_t": {"count": "2", "size": "1", "group_size": "1", "record_size": "1", "room": "ROOM", "index": "0"},
    "int": {"replace": "1"}, "char": {"delimiter": "'.'"},
}  # fmt: skip
#: Of a type; a structure's is its value, which is pointed to.
BY_TYPE = {
    "crivo_mphf": "mphf", "crivo_filter": "filter", "crivo_hash_filter": "hash_filter", "crivo_map": "map", "crivo_dictionary": "dictionary", "crivo_exact": "exact", "crivo_filterset": "filterset", "crivo_rows": "rows",
    "crivo_exact_group": "group", "crivo_store": "store", "crivo_reader": "reader", "crivo_store_cursor": "cursor", "crivo_buffer": "buffer",
    "crivo_remote": "remote", "crivo_source": "file_source_of_dictionary()", "crivo_use_found": "use_found",
    "crivo_read_ends": "read_file_ends", "crivo_read_ranges": "read_file_ranges", "crivo_writer": "writer", "crivo_store_writer": "store_writer()", "crivo_input": "plain_input", "crivo_next": "next_key", "crivo_visit": "visit",
    "crivo_use_record": "use_record", "crivo_use_note": "use_note", "crivo_on_progress": "on_progress", "const uint64_t*": "numbers",
    "crivo_keys": "some_keys", "crivo_share": "((crivo_share){0, 1})", "crivo_build_options": "replacing()",
    "crivo_output": 'crivo_to_path(at("output"))', "crivo_trust": "trust()", "crivo_sign_options": "signing()",
    "crivo_apply_options": "applying()",
}  # fmt: skip
#: Of these any number is right.
NOT_TRIED = {"crivo_kind_name"}
#: Takes a tenth of a second, and of structures what crivo_build() does.
SLOW = {"crivo_estimate_build"}
#: What a build makes of an input: its kind and choices.
MPHF = '"mphf", NULL'
BUILT = {"crivo_input_values": '"map", CRIVO_CHOICES("values=1")', "crivo_input_records": '"store", NULL'}
#: Members whose value must be right of what they point to: they say how many bytes there are.
SIZES = {"count", "width", "size", "room", "record_size", "group_size"}
TEXTS = (("empty", '""'), ("bytes of no UTF-8", '"\\xff\\n\\x01"'), ("5,000 bytes", "long_text"))
NUMBERS = (("the largest", "UINT64_MAX"),)
SIGNED = (("the smallest", "INT64_MIN"), ("the largest", "INT64_MAX"))
FRACTIONS = (("not a number", "NAN"), ("below zero", "-1"), ("infinite", "INFINITY"))


class Header:
    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        self.calls = [
            (name, kind.strip(), [self.parameter(each) for each in given.split(",") if each.strip() != "void"])
            for kind, name, given in re.findall(r"^CRIVO_API ([^(;]*?)\b(crivo_\w+)\(([^)]*)\);", text, re.MULTILINE | re.DOTALL)
        ]
        self.structures = {
            name: [self.parameter(each) for each in members.split(";") if each.strip()]
            for members, name in re.findall(r"^typedef struct \w+ \{(.*?)\} (\w+);", text, re.MULTILINE | re.DOTALL)
        }
        self.enumerations = set(re.findall(r"^\} (crivo_\w+);", re.sub(r"^typedef struct.*?^\} \w+;", "", text, flags=re.M | re.S), re.MULTILINE))
        self.functions = set(re.findall(r"^typedef \w+ \(\*(\w+)\)", text, re.MULTILINE))

    @staticmethod
    def parameter(text):
        """The type and the name."""
        kind, name = re.fullmatch(r"(.*?)\b(\w+)(?:\[\d+\])?", " ".join(text.split())).groups()
        return kind.strip(), name


def plain(kind):
    """What is pointed to."""
    return kind.replace("const", "").replace("*", "").strip()


class Maker:
    def __init__(self, header):
        self.header = header

    def valid(self, call, kind, name):
        for key, value in VALID.items():
            begin, of = key.split(" ")
            if of == name and (call == begin or begin.endswith("_") and call.startswith(begin)):
                return value
        if name in NAMED.get(kind, {}):
            return NAMED[kind][name]
        of_type = plain(kind)
        if kind == "void*":
            return "NULL" if name == "context" else "room"
        if kind.endswith("**"):
            return f"({kind})answers64"
        if kind in BY_TYPE or of_type in BY_TYPE:
            return BY_TYPE[kind] if kind in BY_TYPE else BY_TYPE[of_type]
        if kind == "const crivo_hash*":
            return "&hash"
        if kind.endswith("*") and not self.is_structure(kind):
            return f"({kind})answers64"
        if of_type in self.header.structures:
            return "{.struct_size = sizeof(" + of_type + ")}"
        return "1"

    def is_structure(self, kind):
        return kind.endswith("*") and not kind.endswith("**") and plain(kind) in self.header.structures and plain(kind) not in ("crivo_bytes", "crivo_near", "crivo_prefix", "crivo_hash", "crivo_row")

    def hostile(self, kind, name):
        """What it is, and the expression, of a value that is not a structure's."""
        if kind == "const char*":
            return [("NULL", "NULL"), *TEXTS]
        if kind == "const char* const*":
            return [("NULL", "NULL"), ("a NULL in it", "nulls"), ("bytes of no UTF-8", "odd_texts")]
        if kind.endswith("*") or kind in self.header.functions:
            return [("NULL", "NULL")] if name != "context" else []
        if kind in self.header.enumerations:
            return [("7", f"({kind})7"), ("-1", f"({kind})-1")]
        if kind == "crivo_share":
            return [("5 of 2", "((crivo_share){5, 2})"), ("0 of 0", "((crivo_share){0, 0})"), ("0 of the most", "((crivo_share){0, UINT64_MAX})")]
        if name in SIZES:
            return [("0", "0")]
        if kind == "double":
            return list(FRACTIONS)
        if kind == "char":
            return [("NUL", "'\\0'"), ("LF", "'\\n'")]
        if kind == "int":
            return [("-1", "-1")]
        if kind == "int64_t":
            return list(SIGNED)
        return [(what, f"({kind}){value}") for what, value in NUMBERS]

    def cases(self, call, kind, parameters):
        """Each a parameter, what it is, and its expression (None: the value of a structure that is changed by the last)."""
        # A lookup cannot fail, and looks at no handle; nor has it an answer without a place for it.
        fails = kind == "crivo_status"
        for of_type, name in parameters:
            is_handle = of_type.endswith("*") and plain(of_type) not in self.header.structures and plain(of_type).startswith("crivo_")
            gives_back = call.endswith(("_close", "_free"))
            for what, expression in self.hostile(of_type, name):
                if what != "NULL" or fails or gives_back or not (is_handle or of_type.endswith("*")):
                    yield name, what, expression, None
            if self.is_structure(of_type) and call not in SLOW:
                members = self.header.structures[plain(of_type)]
                if not of_type.startswith("const"):
                    members = [member for member in members if member[1] == "struct_size"]
                for member_type, member in members:
                    if member == "struct_size":
                        for what, value in (("0", "0"), ("the largest", "SIZE_MAX")):
                            yield f"{name}.{member}", what, None, f".struct_size = {value}"
                        if of_type.startswith("const"):
                            yield f"{name}.{member}", "of a later version, with a member that is set", None, "later"
                    elif not (self.is_structure(member_type) or member_type == "void*"):
                        for what, expression in self.hostile(member_type, member):
                            yield f"{name}.{member}", what, None, f".{member} = {expression}"
                if plain(of_type) == "crivo_keys":
                    for what, changes in KEYS:
                        yield name, what, None, changes

    def call_with(self, call, kind, parameters, changed=None, expression=None, change=None):
        """The statements of a call."""
        lines, arguments = [], []
        for of_type, name in parameters:
            value = self.valid(call, of_type, name)
            if name == changed and expression is not None:
                arguments.append(expression if not self.is_structure(of_type) else "NULL")
            elif self.is_structure(of_type):
                structure = plain(of_type)
                lines.append(f"struct {{ {structure} it; uint64_t more[8]; }} of_{name} = {{.more = {{0}}}};")
                lines.append(f"of_{name}.it = " + (f"({structure}){value}" if value.startswith("{") else value) + ";")
                if changed is not None and change is not None and changed.split(".")[0] == name:
                    if change == "later":
                        lines.append(f"of_{name}.it.struct_size = sizeof of_{name};")
                        lines.append(f"of_{name}.more[1] = 1;")
                    else:
                        lines += [f"of_{name}.it{each};" for each in change.split("; ")]
                arguments.append(f"&of_{name}.it")
            else:
                arguments.append(value)
        made = f"{call}({', '.join(arguments)})"
        if kind == "crivo_status":
            lines.append(f"const crivo_status status = {made};")
            if call.startswith("crivo_input_") and parameters[-1][0] == "crivo_input**":  # what it says is read by a build
                lines[-1] = lines[-1].replace("const ", "", 1)
                lines.append(f"if (status == CRIVO_STATUS_OK) status = build_from({BUILT.get(call, MPHF)}, *(crivo_input**)answers64);")
            if call == "crivo_store_writer_open":  # else the next would wait for it
                lines.append("if (status == CRIVO_STATUS_OK) crivo_store_writer_close(*(crivo_store_writer**)answers64);")
            lines.append("end_status(status);")
        else:
            lines.append(f"{'' if kind == 'void' else '(void)'}{made};")
            lines.append('end("taken");')
        return lines


KEYS = (
    ("descending offsets", ".layout = CRIVO_LAYOUT_OFFSETS; .offsets = (const uint64_t[]){5, 3, 1}; .data = room"),
    ("no offsets", ".layout = CRIVO_LAYOUT_OFFSETS; .offsets = NULL; .data = room"),
    ("fixed without width", ".layout = CRIVO_LAYOUT_FIXED; .width = 0; .data = room"),
    ("numbers without data", ".layout = CRIVO_LAYOUT_NUMBERS; .data = NULL"),
    ("a key without data", ".data = (const crivo_bytes[]){{NULL, 3}, {NULL, 3}}"),
)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        header = Header(file.read())
    maker = Maker(header)
    out = ['/* Made by make_calls.py of crivo.h. */\n#include "calls.h"\n']
    table = []
    for call, kind, parameters in header.calls:
        if not parameters or call in NOT_TRIED:
            continue
        cases = [("", what, None, None) for what in ("after fork", "on another thread", "beside signals")]
        if call.endswith(("_close", "_free")):
            cases = []  # of what is used further
        cases += list(maker.cases(call, kind, parameters))
        out.append(f"static void try_{call}(int number) {{\n  switch (number) {{")
        for number, (name, what, expression, change) in enumerate(cases):
            lines = maker.call_with(call, kind, parameters, name or None, expression, change)
            out.append(f"    case {number}: {{\n      begin(\"{call}\", \"{name}\", \"{what}\");")
            out += [f"      {line}" for line in lines] + ["      return;\n    }"]
        out.append("  }\n}\n")
        table.append((call, len(cases)))
    out.append("static const border_call all[] = {")
    out += [f'    {{"{call}", {int(call.startswith("crivo_writer_"))}, {count}, try_{call}}},' for call, count in table]
    out.append("};\n\nint main(int argc, char** argv) { return try_all(argc, argv, all, sizeof all / sizeof all[0]); }")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        print("\n".join(out), file=file)


if __name__ == "__main__":
    main()
