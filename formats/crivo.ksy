# SPDX-License-Identifier: Apache-2.0
meta:
  id: crivo
  title: Container of Crivo's index files, format 1
  application: crivo
  file-extension: crv
  license: Apache-2.0
  ks-version: "0.10"
  endian: le
doc: |
  A Crivo file holds a minimal perfect hash function, a filter, a map or the index of a record store. This describes
  its container, as crivo-1.md does: header, sections, checksums, table of sections, footer. The sections are left as
  bytes but for the metadata, the flips of a delta and the links of a chain (delta.md); their pages beside this file
  say what they hold. Checksums, hashes, padding and what
  else a reader compares are not compared here.
doc-ref: crivo-1.md
seq:
  - id: header
    type: header
instances:
  sections:
    doc: The table.
    pos: header.ofs_table
    type: section
    repeat: expr
    repeat-expr: header.num_sections
  ofs_checksums:
    value: "header.num_sections == 0 ? 192 : (sections.last.ofs_body + sections.last.len_body + 63) / 64 * 64"
  checksums:
    doc: The XXH3-64 of each chunk of 65,536 bytes, of all sections in turn.
    pos: ofs_checksums
    type: u8
    repeat: expr
    repeat-expr: (header.ofs_table - ofs_checksums) / 8
  footer:
    pos: header.len_file - 40
    type: footer
types:
  header:
    seq:
      - id: magic
        contents: [0xc3, "CRV", 0x0d, 0x0a, 0x1a, 0x0a]
      - id: major
        type: u2
        valid: 0
      - id: minor
        type: u2
      - id: len_header
        type: u4
        valid: 192
      - id: incompatible
        type: u8
        valid: 0
      - id: compatible
        type: u8
      - id: len_file
        type: u8
        valid: _io.size
      - id: ofs_table
        type: u8
        valid: len_file - 40 - 96 * num_sections_ahead
      - id: num_sections
        type: u4
        valid:
          max: 1024
      - id: kind
        type: u4
        enum: kind
        valid:
          in-enum: true
      - id: num_keys
        type: u8
      - id: seed
        type: u8
      - id: hash_function
        type: u4
        enum: hash_function
        valid:
          in-enum: true
      - id: value_type
        type: u2
        enum: value_type
        valid:
          in-enum: true
      - id: value_scale
        type: u2
      - id: content_id
        size: 16
      - id: build_id
        size: 16
      - id: hash_tree
        type: u4
        enum: hash_tree
        valid:
          in-enum: true
      - id: reserved
        contents: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      - id: unused
        size: 32
      - id: checksum
        type: u8
    instances:
      num_sections_ahead:
        pos: 48
        type: u4
  section:
    seq:
      - id: type_code
        type: u4
        enum: section_type
      - id: flags
        type: u4
        valid: 0
      - id: ofs_body
        type: u8
      - id: len_body
        type: u8
      - id: alignment
        type: u4
        valid:
          any-of: [64, 4096]
      - id: reserved
        type: u4
        valid: 0
      - id: checksum
        type: u8
      - id: tag
        type: u8
      - id: check_of_sums
        type: u8
        valid:
          expr: _ == 0 or type_code == section_type::page_sums
      - id: unused
        type: u8
      - id: hash
        size: 32
    instances:
      body:
        io: _root._io
        pos: ofs_body
        size: len_body
        type:
          switch-on: type_code
          cases:
            "section_type::metadata": metadata
            "section_type::directory": directory
            "section_type::flips": flips
            "section_type::links": links
  metadata:
    seq:
      - id: num_entries
        type: u4
      - id: entries
        type: entry
        repeat: expr
        repeat-expr: num_entries
    types:
      entry:
        seq:
          - id: len_name
            type: u4
          - id: len_value
            type: u4
          - id: name
            type: str
            size: len_name
            encoding: UTF-8
          - id: value
            type: str
            size: len_value
            encoding: UTF-8
  directory:
    seq:
      - id: copies
        type: copy
        repeat: eos
    types:
      copy:
        seq:
          - id: section_index
            type: u8
          - id: len_head
            type: u8
          - id: len_tail
            type: u8
          - id: head
            size: len_head
          - id: tail
            size: len_tail
  flips:
    doc: Section 120; what the bits of a list hold is for a program.
    seq:
      - id: base_digest
        size: 32
      - id: state_before
        size: 32
      - id: number
        type: u8
      - id: num_lists
        type: u8
        valid:
          min: 1
          max: 1048576
      - id: has_groups
        doc: Or 2, of a filter.
        type: u1
        valid:
          max: 2
      - id: reserved
        contents: [0, 0, 0, 0, 0, 0, 0]
      - id: num_groups
        type: u8
      - id: joined
        doc: The digests of the deltas that it joins.
        size: 32
        repeat: expr
        repeat-expr: "num_lists == 1 ? 0 : num_lists"
      - id: heads
        type: list_head
        repeat: expr
        repeat-expr: num_lists
      - id: lists
        type: flip_list(_index)
        repeat: expr
        repeat-expr: num_lists
    types:
      list_head:
        seq:
          - id: num_flips
            type: u8
          - id: num_members
            type: u8
          - id: num_universe
            type: u8
          - id: num_groups
            type: u8
          - id: num_added
            type: u8
          - id: len_bits
            type: u8
      flip_list:
        params:
          - id: index
            type: s4
        seq:
          - id: added
            doc: The first halves of the hashes of the groups that it adds.
            type: u8
            repeat: expr
            repeat-expr: _parent.heads[index].num_added
          - id: bits
            size: _parent.heads[index].len_bits
  links:
    doc: Section 121.
    seq:
      - id: state
        size: 32
      - id: num_files
        type: u8
        valid:
          min: 1
          max: 1048576
      - id: files
        type: link
        repeat: expr
        repeat-expr: num_files
      - id: names
        type: link_name(_index)
        repeat: expr
        repeat-expr: num_files
    types:
      link:
        seq:
          - id: digest
            size: 32
          - id: len_file
            type: u8
          - id: len_name
            type: u8
      link_name:
        params:
          - id: index
            type: s4
        seq:
          - id: text
            type: str
            size: _parent.files[index].len_name
            encoding: UTF-8
  footer:
    seq:
      - id: reserved
        type: u8
        valid: 0
      - id: unused
        type: u8
      - id: len_file
        type: u8
        valid: _root.header.len_file
      - id: checksum
        type: u8
        valid: _root.header.checksum
      - id: magic
        contents: [0x3c, 0xbc, 0xad, 0xa9, 0xf2, 0xf5, 0xe5, 0xf5]
enums:
  kind:
    1: mphf
    2: filter
    3: map
    4: store
    5: part
    6: keys
    7: totals
    8: records
    9: manifest
    10: exact
    11: delta
    12: chain
    13: dictionary
    14: filterset
    15: rows
  hash_function:
    1: xxh3
    2: xxh64
    3: universal
    4: zobrist
    5: jenkins
    6: siphash
    7: range
    8: range_siphash
  hash_tree:
    0: none
    1: sha256
  value_type:
    0: none
    1: unsigned
    2: signed
    3: decimal
  section_type:
    1: signatures
    2: leaves
    3: directory
    4: page_sums
    16: phast
    17: consensus
    18: mwhc
    19: fch
    20: bmz
    21: bdz
    32: ribbon
    33: fuse
    34: split_block_bloom
    35: bloom
    36: counting_bloom
    37: cuckoo
    38: hash_compaction
    39: range
    48: ribbon_function
    49: coded
    50: mwhc_function
    64: environment
    65: codec
    66: slots
    67: units
    72: groups
    80: dictionary_head
    81: dictionary_tokens
    82: dictionary_offsets
    83: dictionary_directory
    84: dictionary_blocks
    85: dictionary_values
    86: hashed_ids
    96: key_table
    97: key_pieces
    98: totals
    99: group_counts
    100: value_counts
    101: record_pieces
    102: group_names
    104: part
    105: part_bodies
    106: part_notes
    107: part_signatures
    112: manifest
    113: manifest_pages
    114: bumped_signatures
    115: bumped_records
    120: flips
    121: links
    128: row_files
    129: row_stamps
    130: removed_names
    131: row_lists
    0x80000001: metadata
