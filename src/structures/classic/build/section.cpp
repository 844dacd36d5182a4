// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "structures/classic/build/functions.hpp"

namespace crivo::classic {

void write(const SectionHeader& header, base::Sink& sink) {
  base::FieldWriter fields;
  fields.u64(header.keys).u64(header.entries).u32(header.salt).u32(header.pattern_salt);
  fields.u8(static_cast<std::uint8_t>(header.range)).u8(header.arity).u8(header.width).zeros(5);
  sink.append(fields.view());
}

void check_keys(std::uint64_t keys) {
  if (keys <= kMaxKeys) return;
  throw Error(ErrorKind::usage, "this algorithm can index at most " + std::to_string(kMaxKeys) +
                                    " keys, not " + std::to_string(keys));
}

void fail_attempts(std::string_view what, std::uint64_t keys, std::uint64_t attempts) {
  throw Error(ErrorKind::bad_input,
              std::string(what) + " was found for the " + std::to_string(keys) + " keys in " +
                  std::to_string(attempts) + " attempts; try another seed",
              {.remedy = "seed"});
}

void write_entries(std::span<const std::uint32_t> entries, base::Sink& sink) {
  std::array<std::byte, 1 << 14> bytes;
  constexpr std::size_t kStep = bytes.size() / sizeof(std::uint32_t);
  while (!entries.empty()) {
    const auto step = entries.first(std::min(kStep, entries.size()));
    for (std::size_t i = 0; i < step.size(); ++i) {
      base::store_le(bytes.data() + i * sizeof(std::uint32_t), step[i]);
    }
    sink.append(base::ByteView(bytes).first(step.size() * sizeof(std::uint32_t)));
    entries = entries.subspan(step.size());
  }
}

}  // namespace crivo::classic
