// SPDX-License-Identifier: Apache-2.0
#include "shards/build_part.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/as_error.hpp"
#include "base/spool.hpp"
#include "build/build_frame.hpp"
#include "build/built_hash.hpp"
#include "build/notes.hpp"
#include "build/run.hpp"
#include "build/store_output.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"
#include "file/section_types.hpp"
#include "lookup/key_hash.hpp"
#include "records/build/part_records.hpp"
#include "records/build/record_parts.hpp"
#include "shards/exact_parts.hpp"
#include "shards/key_directory.hpp"
#include "shards/key_exchange.hpp"
#include "shards/part_file.hpp"
#include "shards/part_set.hpp"
#include "shards/shard_keys.hpp"
#include "shards/unbuilt_keys.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo {
namespace {

/// Throws Error(usage) unless keys have prefixes, and are in several rows, as the structure is to
/// have them.
void check_forms(const index::KeyDirectory& directory, const index::Recipe& plan) {
  if (directory.totals.many && plan.header.kind != file::Kind::rows)
    index::refuse_directory(directory.path,
                            "its keys may be in several rows; build an index of rows");
  if (directory.totals.groups && plan.header.kind != file::Kind::filter_set)
    index::refuse_directory(directory.path, "its keys are in groups; build a filter set");
  const std::optional<char> dealt = directory.totals.prefixes;
  if (recorded_prefixes(plan.metadata) == dealt) return;
  index::refuse_directory(directory.path,
                          !dealt ? "its keys have no prefixes; partition the keys with them"
                                 : "its keys have prefixes at " + quote(std::string(1, *dealt)) +
                                       "; build with the same",
                          "prefixes");
}

/// Throws Error(corrupt) unless the keys of a range can be those that the totals count. (How many
/// there are in a part of the range is for the hashes to say.)
void check_keys(const index::KeyDirectory& directory, const index::HashRange& range,
                const stream::HashSource& keys) {
  const index::Totals& totals = directory.totals;
  const bool all = range.least == 0 && range.most == UINT64_MAX;
  if (keys.value_bits() <= totals.value_bits && keys.size() <= totals.keys &&
      (!all || keys.size() == totals.keys))
    return;
  directory.fail_totals();
}

std::unique_ptr<index::ShardKeys> load_keys(const index::KeyDirectory& directory,
                                            const index::HashRange& range, bool with_values,
                                            index::BuildFrame& frame) try {
  return index::ShardKeys::load(directory, range, with_values, frame);
} catch (const stream::UnevenHashes&) {
  index::fail_uneven(directory);
}

void copy(const base::Spool& spool, base::Sink& sink) {
  spool.for_each([&](base::ByteView bytes) { sink.append(bytes); });
}

/// Keeps what is appended.
struct SpoolSink final : base::Sink {
  explicit SpoolSink(base::Scratch* scratch) : spool(scratch) {}
  void append(base::ByteView bytes) override { spool.append(bytes); }
  std::uint64_t size() const noexcept override { return spool.size(); }

  base::Spool spool;
};

/// The records of a shard.
class StoreRecords {
 public:
  /// Has the records of its function's partitions. `fetched` is null where all is in the directory.
  StoreRecords(const index::KeyDirectory& directory, const StoreOptions& store,
               const index::SectionShare& function, index::FetchedKeys* fetched,
               index::BuildFrame& frame)
      : plan_(store),
        source_(directory.files),
        duplicates_(
            index::duplicates_of(directory.totals.drops_repeats, directory.totals.repeated)),
        coding_(fetched == nullptr
                    ? plan_coding(directory, source_)
                    : plan_coding(directory, index::FetchedSample(*fetched, source_.piece_bits()))),
        ranks_(frame.context().scratch, function.partition_bits, function.run,
               index::cell_bits_for(source_.piece_bits(), directory.totals.units,
                                    directory.totals.record_bytes),
               coding_.segment_bits) {}

  /// The ranks of the keys of its function, which is built first.
  records::RankTable& ranks() noexcept { return ranks_; }

  /// Writes them, the last of the part's.
  void write(file::ContainerWriter& writer, index::BuildFrame& frame, index::PartHead& head) {
    const std::uint64_t tag = 1;
    const index::SectionShare& function = head.sections.front();
    index::SectionShare share{plan_.backend.section_type, function.partition_bits};
    share.run = function.run;
    ranks_.finish();
    records::CodecSection codec = coding_.section();
    base::Spool bumped(frame.context().scratch);
    SpoolSink slots(frame.context().scratch);
    records::PartRecordsWriter units(
        coding_.type(), writer.begin_section(file::kUnitSection, 0, kPageBytes), slots);
    records::build_record_parts(
        coding_, source_, duplicates_, ranks_, index::record_memory(frame), frame.context(),
        [&](const records::RecordPart& part) {
          share.pieces.push_back({part.begins_partition ? 1U : 0U, 0, part.bumped.size(), 0});
          units.add(part.body);
          bumped.append(part.bumped);
          codec.longest_raw = std::max(codec.longest_raw, part.longest_raw);
        });
    head.ranks = units.finish();
    copy(slots.spool, writer.begin_section(file::kSlotSection, 0, kPageBytes));
    writer.begin_section(file::kPartBodiesSection, tag);
    copy(bumped, writer.begin_section(file::kPartNotesSection, tag, kPageBytes));
    writer.begin_section(file::kPartSignaturesSection, tag);
    writer.begin_section(file::kCodecSection).append(codec.encode());
    head.sections.push_back(std::move(share));
  }

 private:
  records::RecordCoding plan_coding(const index::KeyDirectory& directory,
                                    const records::RecordSource& sample) const {
    return records::plan_coding(plan_.codec, directory.totals.keys, sample, duplicates_);
  }

  index::StorePlan plan_;
  index::DirectoryRecords source_;
  records::Duplicates duplicates_;
  records::RecordCoding coding_;
  records::RankTable ranks_;
};

/// The parts of the shard, whose ranks go to its records.
class ShardParts final : public index::BuiltParts {
 public:
  ShardParts(const index::Recipe& recipe, const stream::HashSource& keys,
             const base::BuildContext& context, const Share& shard, StoreRecords* records)
      : BuiltParts(recipe, keys, context, shard),
        shard_(shard),
        kind_(recipe.header.kind),
        records_(records) {}

  void for_each_part(std::size_t index, const index::Step& step, const UsePart& use) override {
    if (!index::are_unbuilt(kind_, step.assembly()->partition_bits(), shard_.count)) {
      BuiltParts::for_each_part(index, step, use);
      return;
    }
    index::for_each_unbuilt(keys(), index::unbuilt_range(shard_), index::has_values(kind_),
                            context(), [&](base::Bytes unbuilt) {
                              Part part{{}, std::move(unbuilt)};
                              use({0, {part.body, part.notes}, {}, 0, &part});
                            });
  }

 protected:
  /// Signatures are in the part already.
  void note_part(const Part& part) override {
    if (records_ != nullptr) records_->ranks().add(part.ranks);
  }

 private:
  Share shard_;
  file::Kind kind_;
  StoreRecords* records_;
};

/// Writes parts as they are, one behind the other.
class PartOutput final : public index::StepSink {
 public:
  /// `head` has a share for each step, of no pieces yet.
  PartOutput(file::PendingFile& file, index::PartHead& head, index::BuildFrame& frame,
             StoreRecords* records)
      : writer_(file), head_(head), frame_(frame), records_(records) {}

  file::ContainerWriter& writer() noexcept { return writer_; }

  void begin(const index::Recipe& recipe, const base::BuildContext& /*context*/) override {
    recipe_ = &recipe;
  }
  base::Sink& begin_step(std::size_t index) override {
    step_ = index;
    const index::Step& step = recipe_->steps[step_];
    if (step.assembly() == nullptr) return writer_.begin_section(step.section_type);
    index::SectionShare& share = head_.sections[step_];
    bodies_ = &writer_.begin_section(file::kPartBodiesSection, step_, kPageBytes);
    if (share.run.size() != 0)
      share.lead = recipe_->steps[step_].assembly()->place_in_page(share.run.begin);
    bodies_->append(base::Bytes(share.lead));
    notes_ = std::make_unique<base::Spool>(frame_.context().scratch);
    signatures_ = std::make_unique<base::Spool>(frame_.context().scratch);
    edge_.clear();
    return *bodies_;
  }
  void add(const index::MadePart& made) override {
    Part& part = *made.built;
    if (made.partitions != 0) recipe_->steps[step_].assembly()->join_edges(part, edge_);
    head_.sections[step_].pieces.push_back(
        {made.partitions, part.body.size(), part.notes.size(), part.signatures.size()});
    bodies_->append(part.body);
    notes_->append(part.notes);
    signatures_->append(part.signatures);
  }
  void end_step() override {
    if (notes_ == nullptr) return;
    copy(*notes_, writer_.begin_section(file::kPartNotesSection, step_));
    copy(*signatures_, writer_.begin_section(file::kPartSignaturesSection, step_, kPageBytes));
    notes_.reset();
    signatures_.reset();
  }
  /// They are in the parts of the function.
  void add_signatures(const index::Step& /*step*/, unsigned /*bits*/,
                      const index::Sources& /*sources*/) override {}
  base::Sink& begin_section(std::uint32_t type, std::uint64_t tag) override {
    return writer_.begin_section(type, tag);
  }
  void add_records(const index::Sources& /*sources*/) override {
    records_->write(writer_, frame_, head_);
  }

 private:
  file::ContainerWriter writer_;
  index::PartHead& head_;
  index::BuildFrame& frame_;
  StoreRecords* records_;
  const index::Recipe* recipe_ = nullptr;
  std::size_t step_ = 0;
  base::Sink* bodies_ = nullptr;
  std::unique_ptr<base::Spool> notes_;
  std::unique_ptr<base::Spool> signatures_;
  base::Bytes edge_;
};

/// A share of no pieces yet for each step that has parts.
std::vector<index::SectionShare> shares_of(const index::Recipe& plan, const Share& shard) {
  std::vector<index::SectionShare> shares;
  for (const index::Step& step : plan.in_parts()) {
    index::SectionShare& share =
        shares.emplace_back(step.section_type, step.assembly()->partition_bits());
    if (!index::are_unbuilt(plan.header.kind, share.partition_bits, shard.count))
      share.run = run_of_shard(share.partition_bits, shard.index, shard.count);
  }
  return shares;
}

/// Warns in the shards that have most, where that is over a quarter more than on average: whole
/// partitions of few cannot be dealt out evenly.
void warn_of_uneven_shards(const index::PartHead& head, const std::string& structure,
                           std::vector<Warning>& warnings) {
  if (head.sections.empty()) return;
  const index::SectionShare& first = head.sections.front();
  if (index::are_unbuilt(head.kind, first.partition_bits, head.shard.count)) return;
  const std::uint64_t partitions = std::uint64_t{1} << first.partition_bits;
  const std::uint64_t most = base::div_ceil(partitions, head.shard.count);
  if (first.run.size() != most || 4 * most * head.shard.count <= 5 * partitions) return;
  warnings.push_back({"this shard has " + std::to_string(most) + " of the " +
                          std::to_string(partitions) + " partitions of " + structure +
                          ", more than one in " + std::to_string(head.shard.count) +
                          "; the shares of " + std::to_string(std::bit_floor(head.shard.count)) +
                          " or " + std::to_string(std::bit_ceil(head.shard.count)) +
                          " shards are equal",
                      {}});
}

/// The least range in which the keys of all are; an empty one where they have none.
index::HashRange range_of(const index::PartHead& head) {
  if (head.kind == file::Kind::filter_set)
    return index::range_of_shard(index::list_bits(head.shard.count), head.shard);
  index::HashRange range{1, 0};
  for (const index::SectionShare& share : head.sections) {
    const bool is_unbuilt = index::are_unbuilt(head.kind, share.partition_bits, head.shard.count);
    if (!is_unbuilt && share.run.size() == 0) continue;
    const auto some = is_unbuilt ? index::unbuilt_range(head.shard)
                                 : index::HashRange::of(share.partition_bits, share.run);
    range = range.empty() ? some
                          : index::HashRange{std::min(range.least, some.least),
                                             std::max(range.most, some.most)};
  }
  return range;
}

}  // namespace

namespace index {

bool is_same_part(const std::filesystem::path& path, const file::Header& header,
                  const Share& shard) noexcept try {
  if (!std::filesystem::exists(path)) return false;
  const PartFile part(path);
  return part.container().header().build_id == header.build_id &&
         part.head().shard.index == shard.index && part.head().shard.count == shard.count;
} catch (...) {
  return false;
}

void check_shard(const Share& shard) {
  if (shard.index >= shard.count)
    throw Error(ErrorKind::usage, "no shard " + std::to_string(shard.index) + " of " +
                                      std::to_string(shard.count) + "; shards count from 0");
}

void check_hash(const KeyDirectory& directory, hashing::KeyHashId own,
                const std::string& structure) {
  if (hashing::stands_for(directory.totals.key_hash, own)) return;
  refuse_directory(directory.path,
                   "its keys are hashed by " +
                       std::string(hashing::key_hash_name(directory.totals.key_hash)) + ", and " +
                       structure + " takes " + std::string(hashing::key_hash_name(own)) +
                       "; partition the keys with that hash",
                   "hash");
}

void refuse_directory(const std::filesystem::path& path, const std::string& problem,
                      const char* remedy) {
  throw Error(ErrorKind::usage, path.string() + ": " + problem,
              {.file = path.string(), .remedy = remedy});
}

BuildSummary build_shard(const std::filesystem::path& path, const Share& shard,
                         const std::filesystem::path& output, BuildOptions options,
                         bool with_values, const MakeRecipe& make_recipe) {
  check_shard(shard);
  const PartExchange exchange(options);
  const auto fetched = get_tables(exchange, path, shard);
  KeyDirectory directory = KeyDirectory::open_finished(fetched != nullptr ? fetched->path() : path);
  const Totals& totals = directory.totals;
  Recipe plan = in_parts(make_recipe(directory));
  check_hash(directory, plan.header.key_hash, plan.algorithm);
  check_forms(directory, plan);
  file::Header header = plan.header;
  header.seed = totals.seed;
  header.key_hash = totals.key_hash;
  stream::KeySums sums = totals.sums;
  if (!with_values) sums.values = 0;
  if (plan.found_later) sums.values += plan.found_later().sum;
  header.build_id = build_id(header, sums, plan.metadata);
  options.replace = options.replace || is_same_part(output, header, shard);

  BuildFrame frame(options);
  refuse_notes(options);
  file::PendingFile file(frame.outputs().file(output, {}));
  PartHead head{plan.header.kind, shard, plan.value_width, plan.metadata, shares_of(plan, shard)};
  head.places = totals.keys;
  const HashRange range = range_of(head);
  frame.memory().require(path.string(), range.keys_of(totals.keys), shard_memory(plan.memory),
                         "a shard");
  if (fetched != nullptr) get_keys(*fetched, range, directory);
  const auto keys = load_keys(directory, range, with_values, frame);
  check_keys(directory, range, keys->keys());
  frame.end_reading({.keys = keys->keys(),
                     .seed = totals.seed,
                     .collected = keys->keys().size(),
                     .temp_bytes = keys->temp_bytes()});
  std::optional<StoreRecords> records;
  if (plan.store)
    records.emplace(directory, *plan.store, head.sections.front(), fetched.get(), frame);
  StoreRecords* const with_records = records ? &*records : nullptr;
  PartOutput part(file, head, frame, with_records);
  try {
    ShardParts source(plan, keys->keys(), frame.context(), shard, with_records);
    run(plan, source.sources(), part, frame.context());
  } catch (const stream::UnevenHashes&) {
    fail_uneven(directory);
  } catch (const stream::RepeatedHashes&) {
    fail_repeated(directory, keys->repeated(frame.context()));
  }
  file::ContainerWriter& writer = part.writer();
  if (plan.counts) writer.begin_section(file::kValueCountSection).append(csf::encode(*plan.counts));
  writer.begin_section(file::kPartSection).append(encode(head));
  frame.end_building();
  header.kind = file::Kind::part;
  const auto written = writer.finish(header, plan.metadata);
  UnpublishedSummary draft = frame.summarize(header, plan.algorithm, written);
  warn_of_uneven_shards(head, plan.algorithm, draft->warnings);
  BuildSummary summary = std::move(draft).published(file.publish());
  exchange.put_file(output);
  return summary;
}

}  // namespace index
}  // namespace crivo
