// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "build/check_answers.hpp"
#include "crivo/error.hpp"
#include "input/for_each_chunk.hpp"
#include "input/places.hpp"
#include "input/sources.hpp"
#include "input/units.hpp"
#include "input/value_text.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/kinds.hpp"

namespace crivo::index {

std::uint64_t check_dictionary(const file::Container& container, const KeyInput& input,
                               const CheckOptions& options, const base::BuildContext& context) {
  const dictionary::Reader reader = dictionary::open_dictionary(container);
  const std::optional<dictionary::HashedIds> hashed = dictionary::open_hashed(container);
  const hashing::SeededHash hash(hashing::hash_family(container.header().key_hash),
                                 container.header().seed);
  const std::uint64_t n = reader.size();
  const ValueForm form = options.values ? value_form(container.header()) : ValueForm();
  // A bit for each id that was met.
  const auto words = std::make_unique<std::atomic<std::uint64_t>[]>(n / 64 + 1);
  std::atomic<std::uint64_t> distinct{0};
  const input::Sources sources(input);
  const input::UnitFraming framing = input::UnitFraming::of(input.format, options.values);
  context.progress.begin("check keys", input::regular_input_bytes(sources).value_or(0),
                         Progress::Unit::bytes);
  input::ChunkReader chunks(sources, framing, {});
  std::mutex mutex;
  std::optional<input::Place> wrong;  // the first
  std::string problem;
  const auto check = [&](const input::Chunk& chunk, std::string_view key, std::uint64_t index,
                         std::size_t offset, std::uint64_t value) {
    const auto fail = [&](const char* what) {
      const input::Place where = input::place_in(chunk, index, offset);
      const std::scoped_lock lock(mutex);
      if (wrong && *wrong < where) return;
      wrong = where;
      problem = "the key " + quote(key) + what;
    };
    const dictionary::Place place = reader.find(key);
    if (!place.found || place.id >= n) return fail(" is not in the dictionary");
    if (hashed && hashed->find(hash(key)) != place.id) return fail(" has another id by its hash");
    if (options.values && reader.values()->get(place.id) != value)
      return fail(" does not have its value");
    const std::uint64_t bit = std::uint64_t{1} << place.id % 64;
    if ((words[place.id / 64].fetch_or(bit, std::memory_order_relaxed) & bit) == 0)
      distinct.fetch_add(1, std::memory_order_relaxed);
  };
  input::for_each_chunk(
      chunks, sources, framing, context, [&](unsigned, const input::Chunk& chunk) {
        input::for_each_unit(chunk, input.format, options.values, form,
                             [&](std::string_view key, std::uint64_t value, std::uint64_t index,
                                 std::size_t offset) { check(chunk, key, index, offset, value); });
      });
  if (wrong) throw Error(ErrorKind::mismatch, container.name() + ": " + problem);
  if (distinct != n) {
    throw Error(ErrorKind::mismatch, container.name() + ": was built over " + std::to_string(n) +
                                         " keys, and " + std::to_string(distinct) +
                                         " distinct ones were given");
  }
  return n;
}

}  // namespace crivo::index
