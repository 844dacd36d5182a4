// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "build/build_file.hpp"
#include "build/build_frame.hpp"
#include "build/builds.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/dictionary_memory.hpp"
#include "build/keys_in_order.hpp"
#include "build/run.hpp"
#include "build/spooled_records.hpp"
#include "build/store_output.hpp"
#include "input/value_text.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/rank_index.hpp"
#include "lookup/store_files.hpp"
#include "records/build/bumped_records.hpp"
#include "records/build/neighbour_encoder.hpp"
#include "records/build/rank_table.hpp"
#include "records/build/record_parts.hpp"
#include "records/build/record_spool.hpp"
#include "records/build/record_text.hpp"
#include "stream/text_stream.hpp"
#include "structures/build/build_cost.hpp"

namespace crivo::index {

/// Sorts the records when they are asked for.
class OrderedParts final : public RecordsInOrder {
 public:
  /// Copies what is in the spool, within the memory of `frame`, but for long records: if
  /// needs_spool(), it must outlive this. Goes over the records where their order decides how they
  /// are encoded. The hashes of the store's keys, of which there are so
  /// many, are those that `hash` makes. Throws
  /// Error(bad_input) for equal keys that are refused, Error(corrupt, io).
  OrderedParts(const records::RecordSpool& spool, records::Duplicates duplicates,
               const records::CodecRequest& request, records::RecordCoding coding,
               const hashing::SeededHash& hash, std::uint64_t keys, BuildFrame& frame);

  bool needs_spool() const noexcept { return spool_ != nullptr; }

  const records::RecordCoding& coding() const noexcept override { return coding_; }
  void for_each(const std::function<void(const records::HalvedRecord& record)>& use) override;
  std::uint64_t temp_bytes() const noexcept override { return temp_bytes_; }

 private:
  void choose_coding(const records::CodecRequest& request);

  records::RecordCoding coding_;
  const hashing::SeededHash& hash_;
  base::BuildContext context_;
  std::uint64_t memory_bytes_;
  std::unique_ptr<stream::TextStream> texts_;
  const records::RecordSpool* spool_ = nullptr;  ///< if it is needed
  std::uint64_t temp_bytes_ = 0;
};

}  // namespace crivo::index

namespace crivo {

namespace index {

namespace {

/// The parts of a store, whose records are in a spool.
class SpooledParts final : public BuiltParts, public RecordParts {
 public:
  /// All that is given outlives this; `memory_bytes` are for what builds parts of records.
  SpooledParts(const Recipe& recipe, const stream::HashSource& keys,
               const base::BuildContext& context, const records::RecordSpool& spool,
               records::Duplicates duplicates, const records::RecordCoding& coding,
               unsigned cell_bits, std::uint64_t memory_bytes, PartLog* log)
      : BuiltParts(recipe, keys, context, {}, log),
        spool_(spool),
        duplicates_(duplicates),
        coding_(coding),
        memory_bytes_(memory_bytes),
        ranks_(context.scratch, bits_of(recipe), {0, std::uint64_t{1} << bits_of(recipe)},
               cell_bits, coding.segment_bits) {}

  Sources sources() noexcept {
    Sources sources = BuiltParts::sources();
    sources.records = this;
    return sources;
  }
  const records::RecordCoding& coding() const noexcept override { return coding_; }

  void collect_bumped(const WrittenFunction& function, records::BumpedRecords& bumped) override {
    ranks_.finish();
    records::collect_bumped(
        coding_, spool_, duplicates_, ranks_, context(), [&](base::ByteView some) {
          bumped.add(some, [&](std::span<const Hash128> hashes, std::uint64_t* ranks) {
            function.function->ranks(hashes, ranks);
          });
          function.section.file.forget();
        });
  }

  std::uint64_t for_each_entry(const UseEntry& use) override {
    std::uint64_t longest_raw = 0;
    records::build_record_parts(coding_, spool_, duplicates_, ranks_, memory_bytes_, context(),
                                [&](const records::RecordPart& part) {
                                  longest_raw = std::max(longest_raw, part.longest_raw);
                                  part.body.for_each(use);
                                });
    return longest_raw;
  }
  std::uint64_t temp_bytes() const noexcept override { return spool_.temp_bytes(); }

 protected:
  void note_part(const Part& part) override {
    BuiltParts::note_part(part);
    ranks_.add(part.ranks);
  }
  void note_whole() override { ranks_.add_bumped(keys().whole(context()).hashes); }

 private:
  static unsigned bits_of(const Recipe& recipe) noexcept {
    return recipe.function == nullptr ? 0 : recipe.function->partition_bits();
  }

  const records::RecordSpool& spool_;
  records::Duplicates duplicates_;
  const records::RecordCoding& coding_;
  std::uint64_t memory_bytes_;
  records::RankTable ranks_;
};

}  // namespace

BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options, const hashing::HashFamily& hash,
                         const file::OutputLock* held) {
  const StorePlan plan_of_store(store);
  BuildFrame frame(options, hash);
  StoreOutput files(output.write()
                        ? frame.outputs().file(output, input)
                        : frame.outputs().directory(output, store_file_families(), input),
                    store, frame, held);
  const records::Duplicates duplicates = duplicates_of(options.ignore_duplicates, store.repeated);
  std::optional<SpooledRecords> records;
  // The state of the pass at hand.
  const records::RecordSpool* spool = nullptr;
  records::RecordCoding coding;
  unsigned cell_bits = 0;
  std::optional<hashing::SeededHash> ordered_hash;
  FileBuild build{
      .choices = every_choice(chosen(store)),
      .units = Units::records,
      .memory = store_memory(store),
      .phases = is_ordered(store) ? std::vector<PhaseCost>{{"sort", 1.5}, {"build", 2}}
                                  : mphf_phases(store.algorithm, 0, plan_of_store.signature_bits),
      .read =
          [&](const KeyInput& lines, const input::HashOptions& hashing,
              const base::BuildContext& context, const input::UseKeys& use) {
            records.emplace(frame, hashing.resume != nullptr ? hashing.resume->record_log() : "",
                            lines.paths);
            input::hash_records(lines, hashing, *records, context, use);
          },
      .plan =
          [&](const input::KeySet& set, const base::BuildContext& context) {
            const std::uint64_t keys = set.keys.size();
            spool = &records->finish(context);
            coding = records::plan_coding(plan_of_store.codec, keys, *spool, duplicates);
            if (is_ordered(store)) return plan_in_order(store, keys);
            cell_bits = cell_bits_for(spool->piece_bits(), keys, keys * coding.usual_bytes);
            return plan(store, {.keys = keys, .cell_bits = cell_bits});
          },
      .with_sources =
          [&](const Recipe& recipe, const input::KeySet& set, const base::BuildContext& context,
              const UseSources& use) {
            if (is_ordered(store)) {
              // So repeats show, and the sums become known.
              set.keys.for_each({}, context, [](const stream::KeySlice&) {});
              ordered_hash.emplace(hash, set.seed);
              OrderedParts parts(*spool, duplicates, plan_of_store.codec, std::move(coding),
                                 *ordered_hash, set.keys.size(), frame);
              const std::uint64_t kept = parts.needs_spool() ? spool->memory_bytes() : 0;
              if (!parts.needs_spool()) records.reset();
              frame.set_scratch_bytes(DictionaryMemory::most_kept(frame.memory().budget(), kept));
              return use({.in_order = &parts});
            }
            SpooledParts parts(recipe, set.keys, context, *spool, duplicates, coding, cell_bits,
                               record_memory(frame, *spool), frame.part_log(set, cell_bits));
            use(parts.sources());
          }};
  build.header.kind = file::Kind::store;
  build.header.key_hash = built_hash(hashing::KeyHashId::xxh3, options);
  return build_file(frame, input, files, build, options);
}

BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options, const file::OutputLock& held) {
  return build_store(input, output, store, options, usual_family(options), &held);
}

}  // namespace index

BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options) try {
  index::OutputPlaces::refuse_function(output);
  return index::build_store(input, output, store, options, index::usual_family(options));
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo

namespace crivo::index {
namespace {

/// For the sorted texts, beside the spool and the hashes of all keys.
std::uint64_t text_memory(const BuildFrame& frame, const records::RecordSpool& spool,
                          std::uint64_t keys) noexcept {
  const std::uint64_t all = frame.memory().budget().stream_bytes();
  const std::uint64_t taken = spool.memory_bytes() + keys * sizeof(Hash128);
  return std::max(record_memory(frame, spool), all - std::min(all, taken));
}

}  // namespace

OrderedParts::OrderedParts(const records::RecordSpool& spool, records::Duplicates duplicates,
                           const records::CodecRequest& request, records::RecordCoding coding,
                           const hashing::SeededHash& hash, std::uint64_t keys, BuildFrame& frame)
    : coding_(std::move(coding)),
      hash_(hash),
      context_(frame.context()),
      memory_bytes_(text_memory(frame, spool, keys)),
      temp_bytes_(spool.temp_bytes()) {
  RecordTexts texts =
      record_texts_of(spool, duplicates, {memory_bytes_, frame.temp_dir()}, context_);
  texts_ = std::move(texts.texts);
  if (texts.refer_to_spool) spool_ = &spool;
  if (request.is_in_order()) choose_coding(request);
}

void OrderedParts::choose_coding(const records::CodecRequest& request) {
  records::NeighbourSample sample(texts_->texts());
  std::string key;
  base::Bytes room;
  temp_bytes_ += for_each_in_order(
      *texts_, false, memory_bytes_, context_, [&](std::string_view text, std::uint64_t) {
        const std::string_view behind_key = input::read_begun_text(text, key);
        if (sample.wants_next()) sample.add(records::read_record_text(spool_, behind_key, room));
      });
  records::choose_in_order(request, sample, texts_->texts(), coding_);
  base::give_back_freed_memory();
}

void OrderedParts::for_each(const std::function<void(const records::HalvedRecord& record)>& use) {
  std::string key;
  base::Bytes room;
  temp_bytes_ += for_each_in_order(
      *texts_, false, memory_bytes_, context_, [&](std::string_view text, std::uint64_t) {
        const std::string_view behind_key = input::read_begun_text(text, key);
        use({hash_(key).hi, key, records::read_record_text(spool_, behind_key, room)});
      });
  temp_bytes_ += texts_->temp_bytes();
  texts_.reset();
}

}  // namespace crivo::index
