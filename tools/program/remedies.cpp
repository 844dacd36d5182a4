// SPDX-License-Identifier: Apache-2.0
#include "program/remedies.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "crivo/build/kinds.hpp"

namespace crivo::cli {
namespace {

struct Remedy {
  std::string_view name;     ///< in the library
  std::string_view program;  ///< here
};

/// The texts that follow a message.
constexpr std::array kRemedies{
    Remedy{"allow_empty", " (--allow-empty)"},
    Remedy{"allow_empty_set", "; --allow-empty-set silences this warning"},
    Remedy{"binary_lines", "; --binary-lines reads it as lines all the same"},
    Remedy{"capacity", " (--capacity)"},
    Remedy{"check_files", " (build rows --check-files)"},
    Remedy{"compact_store", " (crivo store compact)"},
    Remedy{"database", " (--db)"},
    Remedy{"drop_signature", " (--drop-signature)"},
    Remedy{"filter_set", " (--filterset)"},
    Remedy{"finish_partition", " (crivo partition --finish)"},
    Remedy{"form", " (--value-type and --scale)"},
    Remedy{"fpr", " (--fpr)"},
    Remedy{"get", " (--get)"},
    Remedy{"grow", " (--grow)"},
    Remedy{"group", " (--group)"},
    Remedy{"group_delimiter", " (--group-delimiter)"},
    Remedy{"hash", " (--hash)"},
    Remedy{"hashed", " (build dictionary --hashed)"},
    Remedy{"ignore_duplicates", "; --duplicates ignore keeps one of each"},
    Remedy{"json_value", " (--json-value)"},
    Remedy{"keyed_hash", " (--seed random)"},
    Remedy{"keys_of_index", "; name the files of its keys (crivo dump writes those that it holds)"},
    Remedy{"layout", " (--layout)"},
    Remedy{"max_key_bytes", " (--max-key, and less by some --hash)"},
    Remedy{"max_line_bytes", " (--max-line)"},
    Remedy{"max_record_bytes", " (--max-record)"},
    Remedy{"memory", " (--memory)"},
    Remedy{"null_output", " (--null-output)"},
    Remedy{"ordered", " (build store --ordered --backend flat)"},
    Remedy{"overfill", " (--overfill)"},
    Remedy{"partition_keys", " (crivo partition KEYS --shards N)"},
    Remedy{"prefixes", " (--prefixes)"},
    Remedy{"replace", "; use --force to replace it"},
    Remedy{"resume_dir", " (--resume)"},
    Remedy{"row_groups", " (--row-groups)"},
    Remedy{"rows", " (--rows)"},
    Remedy{"seed", " (--seed)"},
    Remedy{"sequence", " (--sequence)"},
    Remedy{"signature_bits", " (--signature)"},
    Remedy{"sorted", "; build without --sorted"},
    Remedy{"strip_cr", "; --crlf leaves it out"},
    Remedy{"temp_dir", " (--temp-dir)"},
    Remedy{"texts", " (--texts)"},
    Remedy{"type", " (--type range)"},
    Remedy{"universe", " (--universe)"},
    Remedy{"value_bits", " (--value-bits)"},
    Remedy{"values", " (--values)"},
};

/// The option of the program that sets a member of the library's options.
std::string option_of(std::string_view member) {
  if (member == "count_duplicates") return "--duplicates count";
  for (const KindInfo& kind : kinds()) {
    for (const Choice& row : choices_of(kind.name)) {
      if (row.name == member && !row.option.empty()) return "--" + std::string(row.option);
    }
  }
  std::string option = "--" + std::string(member);
  std::ranges::replace(option, '_', '-');
  return option;
}

}  // namespace

std::string with_remedy(std::string_view text, std::string_view remedy) {
  if (!remedy.empty() && text.starts_with(remedy) && text.substr(remedy.size()).starts_with(": ")) {
    return option_of(remedy).append(text.substr(remedy.size()));
  }
  const auto* found = std::ranges::find(kRemedies, remedy, &Remedy::name);
  std::string said(text);
  if (found != kRemedies.end()) said.append(found->program);
  return said;
}

}  // namespace crivo::cli
