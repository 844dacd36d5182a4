// SPDX-License-Identifier: Apache-2.0
#include "input/count_keys.hpp"

#include <atomic>
#include <bit>
#include <mutex>

#include "input/for_each_chunk.hpp"
#include "input/units.hpp"
#include "input/value_text.hpp"

namespace crivo::input {

namespace {

/// Sums count(chunk) over the chunks of an input.
template <typename Count>
KeyCount count_units(const KeyInput& input, const UnitFraming& framing,
                     const base::BuildContext& context, Count&& count) {
  ChunkReader reader(input, framing, {});
  KeyCount all;
  std::mutex adding;
  context.progress.begin("count", regular_input_bytes(input).value_or(0), Progress::Unit::bytes);
  for_each_chunk(reader, input, framing, context, [&](unsigned, const Chunk& chunk) {
    const KeyCount counted = count(chunk);
    const std::lock_guard lock(adding);
    all.keys += counted.keys;
    all.bytes += counted.bytes;
    all.longest = std::max(all.longest, counted.longest);
  });
  return all;
}

}  // namespace

KeyCount count_keys(const KeyInput& input, const base::BuildContext& context, KeptUnits* kept) {
  return count_units(input, UnitFraming::of_keys(input.format), context, [&](const Chunk& chunk) {
    KeyCount count;
    for_each_key(chunk, input.format, [&](std::string_view key, std::uint64_t index, std::size_t) {
      count.add(key.size());
      if (kept != nullptr && kept->wants(index)) kept->add(key);
    });
    return count;
  });
}

KeyCount count_records(const KeyInput& input, const base::BuildContext& context, KeptUnits* kept) {
  return count_units(
      input, UnitFraming::of_records(input.format), context, [&](const Chunk& chunk) {
        KeyCount count;
        for_each_record(
            chunk, input.format,
            [&](std::string_view key, std::string_view record, std::uint64_t, std::size_t) {
              count.add(key.size() + record.size());
              if (kept != nullptr) kept->add(key, record);
            });
        return count;
      });
}

ValueCount count_values(const KeyInput& input, const ValueForm& form,
                        const base::BuildContext& context, KeptUnits* kept) {
  std::atomic<std::uint64_t> all{0};
  const KeyCount counted =
      count_units(input, UnitFraming::of_records(input.format), context, [&](const Chunk& chunk) {
        KeyCount count;
        std::uint64_t bits = 0;
        for_each_value(
            chunk, input.format, form, 64,
            [&](std::string_view key, std::uint64_t value, std::uint64_t index, std::size_t) {
              count.add(key.size());
              bits |= value;
              if (kept != nullptr && kept->wants(index)) kept->add(key, {}, value);
            });
        all |= bits;
        return count;
      });
  return {counted, static_cast<unsigned>(std::bit_width(all.load()))};
}

}  // namespace crivo::input
