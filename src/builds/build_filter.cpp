// SPDX-License-Identifier: Apache-2.0
#include "base/as_error.hpp"
#include "builds/build_frame.hpp"
#include "builds/build_id.hpp"
#include "builds/builds.hpp"
#include "builds/built_file.hpp"
#include "builds/notes.hpp"
#include "opening/choices.hpp"
#include "opening/filter_file.hpp"
#include "opening/key_hash.hpp"

namespace crivo {
namespace index {

BuildSummary build_filter(const KeyInput& input, const Output& output, const FilterOptions& filter,
                          const BuildOptions& options, const hashing::HashFamily& hash) {
  const filter::Type& type = filter::find_type(filter);
  (void)type.plan(0, filter);  // refuses what it cannot meet before the keys are read
  BuildFrame frame(options, hash);
  if ((type.can & filter::kCounts) == 0) frame.refuse_counting();
  file::PendingFile file(frame.output_file(output, input));

  frame.prepare(input, Units::keys, filter_memory(filter), filter_phases(filter));
  file::Header header;
  header.kind = file::Kind::filter;
  header.key_hash = built_hash(type.key_hash, options);
  file::ContainerWriter::Written written;
  const input::HashOptions hashing =
      frame.hash_options(input, header, every_choice(chosen(filter)));
  input::hash_keys(input, hashing, frame.context(), [&](const input::KeySet& set) {
    frame.note_read(set);
    file.restart();
    file::ContainerWriter writer(file);
    type.build(set.keys, filter, frame.context(), writer.begin_section(type.section_type));
    frame.note_built();
    header.keys = set.keys.size();
    header.seed = set.seed;
    const file::Metadata metadata = metadata_of(filter);
    header.build_id = build_id(header, set.sums(), metadata);
    written = writer.finish(header, with_notes(metadata, options));
  });

  BuildSummary summary = frame.summarize(header, filter.type, written);
  describe_built(file, output, summary);
  frame.note_published(file.publish(), summary);
  return summary;
}

}  // namespace index

BuildSummary build_filter(const KeyInput& input, const Output& output, const FilterOptions& filter,
                          const BuildOptions& options) try {
  return index::build_filter(
      input, output, filter, options,
      hashing::hash_family(index::built_hash(filter::find_type(filter).key_hash, options)));
} catch (...) {
  base::rethrow_as_error();
}

std::span<const std::string_view> filter_types() noexcept {
  return filter::type_names();
}

}  // namespace crivo
