// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <string>

#include "base/as_error.hpp"
#include "builds/build_frame.hpp"
#include "builds/build_id.hpp"
#include "builds/builds.hpp"
#include "builds/notes.hpp"
#include "builds/spooled_records.hpp"
#include "builds/store_output.hpp"
#include "opening/choices.hpp"
#include "opening/key_hash.hpp"
#include "opening/rank_index.hpp"
#include "opening/store_files.hpp"
#include "records/part_body.hpp"
#include "records/record_parts.hpp"
#include "records/stray_records.hpp"

namespace crivo {

namespace index {

BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options, const hashing::HashFamily& hash) {
  const StorePlan plan(store);
  BuildFrame frame(options, hash);
  frame.refuse_counting();
  StoreOutput files(output.write() ? frame.output_file(output, input)
                                   : frame.output_directory(output, store_file_families(), input),
                    store, plan);
  const records::Duplicates duplicates = duplicates_of(options.ignore_duplicates, store.repeated);

  frame.prepare(input, Units::records, store_memory(store),
                mphf_phases(store.algorithm, 0, plan.signature_bits));
  file::Header header;
  header.kind = file::Kind::store;
  header.key_hash = built_hash(hashing::KeyHash::xxh3, options);
  const input::HashOptions hashing = frame.hash_options(input, header, every_choice(chosen(store)));
  SpooledRecords records(frame, hashing.resume != nullptr ? hashing.resume->record_log() : "");
  std::uint64_t temp_bytes = 0;
  const auto build = [&](const input::KeySet& set) {
    frame.note_read(set);
    const base::BuildContext context = frame.context();
    const records::RecordSpool& spool = records.finish(context);
    header.keys = set.keys.size();
    header.seed = set.seed;
    const records::RecordCoding coding =
        records::plan_coding(plan.codec, header.keys, spool, duplicates);
    const unsigned cell_bits = cell_bits_for(spool.piece_bits(), header.keys * coding.usual_bytes);
    const auto written =
        write_rank_index(set.keys, plan.algorithm, {}, plan.signature_bits, context, files.begin(),
                         RankNeed{cell_bits, coding.segment_bits});
    records::StrayRecords strays(frame.temp_dir(), header.keys, frame.budget().bytes);
    records::collect_strays(spool, duplicates, *written.ranks, context, [&](base::ByteView some) {
      strays.add(some, [&](std::span<const Hash128> hashes, std::uint64_t* ranks) {
        written.function->ranks(hashes, ranks);
      });
      written.section.file.forget();
    });
    const auto for_each_entry = [&](const StoreOutput::UseEntry& use) {
      std::uint64_t longest_raw = 0;
      records::PartEntry entry;
      records::build_record_parts(
          coding, spool, duplicates, *written.ranks, record_memory(frame, spool), context,
          [&](const records::RecordPart& part) {
            longest_raw = std::max(longest_raw, part.longest_raw);
            base::ByteView rest = part.body;
            while (records::take_entry(rest, coding.type().by_record, entry)) use(entry);
          });
      return longest_raw;
    };
    files.write_records(coding, for_each_entry, strays, context, header);
    frame.note_built();
    const file::Metadata metadata = metadata_of(store);
    header.build_id = build_id(header, set.sums(), metadata);
    files.finish(header, with_notes(metadata, options));
    temp_bytes = spool.temp_bytes() + strays.temp_bytes();
  };
  input::hash_records(input, hashing, records, frame.context(), build);
  return files.publish(frame, header, temp_bytes);
}

}  // namespace index

BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options) try {
  index::BuildFrame::refuse_function(output);
  return index::build_store(
      input, output, store, options,
      hashing::hash_family(index::built_hash(hashing::KeyHash::xxh3, options)));
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
