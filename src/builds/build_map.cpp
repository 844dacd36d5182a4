// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "base/as_error.hpp"
#include "builds/build_frame.hpp"
#include "builds/build_id.hpp"
#include "builds/builds.hpp"
#include "builds/built_file.hpp"
#include "builds/map_input.hpp"
#include "builds/notes.hpp"
#include "input/places.hpp"
#include "opening/choices.hpp"
#include "opening/key_hash.hpp"
#include "opening/kinds.hpp"
#include "opening/map_file.hpp"

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
  const map::Algorithm& algorithm = map::find_algorithm(map);
  BuildFrame frame(options, hash);
  frame.refuse_counting();
  file::PendingFile file(frame.output_file(output, input));

  frame.prepare(input, map.values ? Units::values : Units::keys,
                map_memory(map, map.value_bits != 0 ? map.value_bits : (map.values ? 8U : 0U),
                           options.ignore_duplicates),
                map_phases(map));
  file::Header header;
  header.kind = file::Kind::map;
  set_value_form(map.form, header);
  header.key_hash = built_hash(hashing::KeyHash::xxh3, options);
  file::ContainerWriter::Written written;
  const input::HashOptions hashing = frame.hash_options(input, header, every_choice(chosen(map)));
  hash_map_input(input, map, hashing, frame.context(), [&](const input::KeySet& set) {
    frame.note_read(set);
    file.restart();
    file::ContainerWriter writer(file);
    const unsigned width =
        map.value_bits != 0 ? map.value_bits : std::max(set.keys.value_bits(), 1U);
    map::write_map(set.keys, algorithm, {width, map.arity}, map.signature_bits, {}, frame.context(),
                   writer);
    frame.note_built();
    header.keys = set.keys.size();
    header.seed = set.seed;
    const file::Metadata metadata = metadata_of(map);
    header.build_id = build_id(header, set.sums(), metadata);
    written = writer.finish(header, with_notes(metadata, options));
  });

  BuildSummary summary = frame.summarize(header, map.algorithm, written);
  describe_built(file, output, summary);
  frame.note_published(file.publish(), summary);
  return summary;
}

}  // namespace index

BuildSummary build_map(const KeyInput& input, const Output& output, const MapOptions& map,
                       const BuildOptions& options) try {
  return index::build_map(input, output, map, options,
                          hashing::hash_family(index::built_hash(hashing::KeyHash::xxh3, options)));
} catch (...) {
  base::rethrow_as_error();
}

std::span<const std::string_view> map_algorithms() noexcept {
  return map::algorithm_names();
}

}  // namespace crivo
