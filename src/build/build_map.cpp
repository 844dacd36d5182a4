// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "build/build_file.hpp"
#include "build/builds.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/map_input.hpp"
#include "input/places.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/map_file.hpp"
#include "structures/build/static_function.hpp"

namespace crivo {

namespace {

/// Names the first line whose number has more bits than a value.
[[noreturn]] void fail_wide_number(const KeyInput& input, unsigned bits) {
  const std::uint64_t first = std::uint64_t{1} << bits;
  std::string place = input::input_name(input, 0);
  std::uint64_t number = 0;
  input::replay_keys(input, false, {hash_key, 0},
                     [&](std::uint64_t, const input::Place& at, const std::string_view*) {
                       if (number++ != first) return true;
                       place =
                           input::place_name(input, input::UnitFraming::of_keys(input.format), at);
                       return false;
                     });
  throw Error(ErrorKind::bad_input, place + ": the key's number in the input, " +
                                        std::to_string(first) +
                                        " (counted from 0), does not fit in " +
                                        std::to_string(bits) + (bits == 1 ? " bit" : " bits"));
}

}  // namespace

namespace index {

void hash_map_input(const KeyInput& input, const MapOptions& map, const input::HashOptions& options,
                    const base::BuildContext& context, const input::UseKeys& use) {
  const unsigned most = map.value_bits == 0 ? 64 : map.value_bits;
  if (map.values) return input::hash_values(input, map.form, most, options, context, use);
  input::hash_numbered_keys(input, options, context, [&](const input::KeySet& set) {
    if (set.keys.value_bits() > most) fail_wide_number(input, most);
    use(set);
  });
}

BuildSummary build_map(const KeyInput& input, const Output& output, const MapOptions& map,
                       const BuildOptions& options, const hashing::HashFamily& hash) {
  const map::Builder& algorithm = map::find_algorithm(map);
  FileBuild build{
      .choices = every_choice(chosen(map)),
      .units = map.values ? Units::values : Units::keys,
      .memory = map_memory(map, map.value_bits != 0 ? map.value_bits : (map.values ? 8U : 0U),
                           options.ignore_duplicates),
      .phases = map_phases(map),
      .takes_passes = true,
      .read = [&](const KeyInput& keys, const input::HashOptions& hashing,
                  const base::BuildContext& context,
                  const input::UseKeys& use) { hash_map_input(keys, map, hashing, context, use); },
      .plan =
          [&](const input::KeySet& set, const base::BuildContext& context) {
            KeyTotals totals{.keys = set.keys.size(), .value_bits = set.keys.value_bits()};
            if (algorithm.compresses) {
              context.progress.begin("map", totals.keys);
              set.keys.keep_order();
              totals.counts = csf::histogram_of(set.keys, {}, context);
            }
            return plan(map, std::move(totals));
          }};
  build.header.kind = file::Kind::map;
  build.header.key_hash = built_hash(hashing::KeyHashId::xxh3, options);
  set_value_form(map.form, build.header);
  return build_file(input, output, build, options, hash);
}

}  // namespace index

BuildSummary build_map(const KeyInput& input, const Output& output, const MapOptions& map,
                       const BuildOptions& options) try {
  return index::build_map(input, output, map, options, index::usual_family(options));
} catch (...) {
  base::rethrow_as_error();
}

std::span<const std::string_view> map_algorithms() noexcept {
  return map::algorithm_names();
}

}  // namespace crivo
