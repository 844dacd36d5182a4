// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "base/spool.hpp"
#include "index/build_frame.hpp"
#include "index/build_id.hpp"
#include "index/builds.hpp"
#include "index/key_hash.hpp"
#include "index/rank_index.hpp"
#include "index/spooled_records.hpp"
#include "index/store_files.hpp"
#include "index/store_output.hpp"
#include "records/record_parts.hpp"

namespace crivo {

namespace index {

namespace {

/// The most that bodies take of memory: the budget is for those in work.
constexpr std::uint64_t kHeldBytes = std::uint64_t{4} << 20;

/// The parts of a store's records, from one that is built to who joins it with the others.
class HeldParts {
 public:
  HeldParts(base::Scratch& scratch, std::uint64_t records, std::uint64_t memory_bytes)
      : bodies_(&scratch), strays_(scratch.directory(), records, memory_bytes) {}

  void add(const records::RecordPart& part, const mphf::Function& function) {
    bodies_.append(part.body);
    sizes_.push_back(part.body.size());
    longest_raw_ = std::max(longest_raw_, part.longest_raw);
    strays_.add(part.strays, [&](std::span<const Hash128> hashes, std::uint64_t* ranks) {
      function.ranks(hashes, ranks);
    });
  }
  void for_each_entry(bool by_record, const StoreOutput::UseEntry& use) const {
    base::Bytes body;
    records::PartEntry entry;
    std::uint64_t begin = 0;
    for (const std::uint64_t size : sizes_) {
      body.resize(size);
      bodies_.read(begin, body);
      base::ByteView rest = body;
      while (records::take_entry(rest, by_record, entry)) use(entry);
      begin += size;
    }
  }
  std::uint64_t longest_raw() const noexcept { return longest_raw_; }
  records::StrayRecords& strays() noexcept { return strays_; }
  std::uint64_t temp_bytes() const noexcept { return strays_.temp_bytes(); }

 private:
  base::Spool bodies_;
  std::vector<std::uint64_t> sizes_;
  std::uint64_t longest_raw_ = 0;
  records::StrayRecords strays_;
};

/// All that a build has in common with the one that it goes on from.
file::Metadata resumed_choices(const StoreOptions& store) {
  file::Metadata choices = choices_of(store);
  choices["repeated"] = std::to_string(static_cast<unsigned>(store.repeated));
  return choices;
}

}  // namespace

BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options, const hashing::HashFamily& hash) {
  const StorePlan plan(store);
  BuildFrame frame(options, hash);
  frame.refuse_counting();
  StoreOutput files(frame.output_directory(output, store_file_families(), input), store, plan);
  const records::Duplicates duplicates = duplicates_of(options.ignore_duplicates, store.repeated);

  frame.prepare(input, Units::records, store_memory(store),
                mphf_phases(store.algorithm, 0, plan.signature_bits));
  file::Header header;
  header.kind = file::Kind::store;
  header.key_hash = built_hash(hashing::KeyHash::xxh3, options);
  const input::HashOptions hashing = frame.hash_options(input, header, resumed_choices(store));
  SpooledRecords records(frame, hashing.resume != nullptr ? hashing.resume->record_log() : "");
  std::uint64_t temp_bytes = 0;
  const auto build = [&](const input::KeySet& set) {
    frame.note_read(set);
    const records::RecordSpool& spool = records.spool();
    const base::BuildContext context = frame.context();
    header.keys = set.keys.size();
    header.seed = set.seed;
    const records::RecordCoding coding =
        records::plan_coding(plan.codec, header.keys, spool, duplicates);
    const unsigned cell_bits = cell_bits_for(spool.piece_bits(), header.keys * coding.usual_bytes);
    const auto written =
        write_rank_index(set.keys, plan.algorithm, {}, plan.signature_bits, context, files.begin(),
                         RankNeed{cell_bits, coding.segment_bits});
    base::Scratch scratch(frame.temp_dir(), kHeldBytes, context.progress);
    HeldParts parts(scratch, header.keys, frame.budget().bytes);
    records::build_record_parts(
        coding, spool, duplicates, *written.ranks, record_memory(frame), context,
        [&](const records::RecordPart& part) { parts.add(part, *written.function); });
    files.write_records(
        coding, parts.longest_raw(),
        [&](const StoreOutput::UseEntry& use) {
          parts.for_each_entry(coding.type().by_record, use);
        },
        parts.strays(), context, header);
    frame.note_built();
    header.build_id = build_id(header, set.sums(), choices_of(store));
    files.finish(header);
    temp_bytes = spool.temp_bytes() + parts.temp_bytes() + scratch.temp_bytes();
  };
  input::hash_records(input, hashing, records, frame.context(), build);
  return files.publish(frame, header, temp_bytes);
}

}  // namespace index

BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options) try {
  return index::build_store(
      input, output, store, options,
      hashing::hash_family(index::built_hash(hashing::KeyHash::xxh3, options)));
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
