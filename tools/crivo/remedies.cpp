// SPDX-License-Identifier: Apache-2.0
#include "crivo/remedies.hpp"

#include <algorithm>
#include <array>

namespace crivo::cli {
namespace {

struct Remedy {
  std::string_view name;     ///< in the library
  std::string_view program;  ///< here
};

constexpr std::array kRemedies{
    Remedy{"allow_empty", "--allow-empty"},
    Remedy{"allow_empty_set", "--allow-empty-set silences this"},
    Remedy{"backend", "--backend lmdb"},
    Remedy{"capacity", "--capacity"},
    Remedy{"finish_partition", "crivo partition --finish"},
    Remedy{"for_each", "crivo dump"},
    Remedy{"form", "--value-type and --scale"},
    Remedy{"hash", "--hash"},
    Remedy{"ignore_duplicates", "--duplicates ignore keeps one of each"},
    Remedy{"json_value", "--json-value"},
    Remedy{"keyed_hash", "--seed random"},
    Remedy{"memory", "--memory"},
    Remedy{"null_output", "--null-output"},
    Remedy{"overfill", "--overfill"},
    Remedy{"partition_keys", "crivo partition KEYS --shards N"},
    Remedy{"replace", "--force replaces it"},
    Remedy{"resume_dir", "--resume"},
    Remedy{"seed", "--seed"},
    Remedy{"strip_cr", "--crlf leaves it out"},
    Remedy{"temp_dir", "--temp-dir names another place"},
    Remedy{"value_bits", "--value-bits"},
    Remedy{"values", "--values"},
};

}  // namespace

std::string with_remedy(std::string_view text, std::string_view remedy) {
  const auto* found = std::ranges::find(kRemedies, remedy, &Remedy::name);
  std::string said(text);
  if (found != kRemedies.end()) said.append(" (").append(found->program).append(")");
  return said;
}

}  // namespace crivo::cli
