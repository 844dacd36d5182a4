// SPDX-License-Identifier: Apache-2.0
/// The parts of dictionaries.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/dictionary_memory.hpp"
#include "build/keys_in_order.hpp"
#include "build/notes.hpp"
#include "crivo/build/shards.hpp"
#include "file/pending_file.hpp"
#include "file/section_types.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/kinds.hpp"
#include "shards/build_part.hpp"
#include "shards/dictionary_parts.hpp"
#include "shards/exact_parts.hpp"
#include "shards/key_exchange.hpp"

namespace crivo {
namespace {

/// Throws Error(usage) for a directory of which no such dictionary can be built.
void check_directory(const index::KeyDirectory& directory, const DictionaryOptions& dictionary) {
  const index::Totals& totals = directory.totals;
  if (!totals.texts)
    index::refuse_directory(
        directory.path, "it has hashes of its keys, and not the keys; use texts when partitioning",
        "texts");
  const bool has_values = totals.values == index::KeyValues::given;
  if (dictionary.values != has_values) {
    index::refuse_directory(directory.path,
                            has_values ? "its keys have values; build with values"
                                       : "its keys have no values; partition keys with values",
                            "values");
  }
  if (has_values && dictionary.form != totals.form) {
    index::refuse_directory(directory.path,
                            "its values are " + value_type_name(totals.form.type) + " of scale " +
                                std::to_string(totals.form.scale) + "; build with the same",
                            "form");
  }
  index::check_hash(directory, hashing::KeyHashId::xxh3, "a dictionary");
}

/// The whole file's.
file::Header header_of(const index::Totals& totals, const DictionaryOptions& dictionary) {
  file::Header header;
  header.kind = file::Kind::dictionary;
  header.keys = totals.keys;
  header.seed = totals.seed;
  header.key_hash = totals.key_hash;
  if (dictionary.values) index::set_value_form(dictionary.form, header);
  header.build_id = index::build_id(header, totals.sums, index::metadata_of(dictionary));
  return header;
}

/// The keys of a shard's hashes.
class ShardTexts {
 public:
  ShardTexts(const index::KeyDirectory& directory, bool values, const Share& shard,
             index::BuildFrame& frame)
      : directory_(directory), values_(values), frame_(frame), source_(directory.files) {
    using index::DictionaryMemory;
    const unsigned bits = index::list_bits(shard.count);
    const unsigned fine = std::max(bits, source_.piece_bits());
    stream::PartitionRun run = run_of_shard(bits, shard.index, shard.count);
    run = {run.begin << (fine - bits), run.end << (fine - bits)};
    texts_ = index::texts_of(
        source_, fine, run, values,
        {DictionaryMemory::most_streamed(frame.memory().budget()), frame.temp_dir()},
        frame.context());
  }

  /// Writes them in order; returns the bytes. Throws Error(bad_input) for equal ones, unless the
  /// directory keeps the first.
  std::uint64_t write(base::Sink& sink) {
    const index::Totals& totals = directory_.totals;
    const hashing::SeededHash hash(hashing::hash_family(totals.key_hash), totals.seed);
    index::KeyListWriter list(sink, values_);
    std::vector<Hash128> repeated;
    std::uint64_t temp_bytes = index::for_each_in_order(
        *texts_, values_, index::DictionaryMemory::most_streamed(frame_.memory().budget()),
        frame_.context(), [&](std::string_view key, std::uint64_t value) {
          if (list.keys() == 0 || key != list.last()) return list.add(key, value);
          if (!totals.drops_repeats) note_repeated(hash(key), repeated);
        });
    temp_bytes += texts_->temp_bytes();
    if (!repeated.empty()) index::fail_repeated(directory_, repeated);
    frame_.end_reading({.keys = list.keys(),
                        .collected = texts_->texts(),
                        .seed = totals.seed,
                        .temp_bytes = temp_bytes});
    return list.finish();
  }

 private:
  static void note_repeated(const Hash128& hash, std::vector<Hash128>& repeated) {
    constexpr std::size_t kMost = std::size_t{1} << 16;
    if (repeated.size() < kMost && (repeated.empty() || repeated.back() != hash))
      repeated.push_back(hash);
  }

  const index::KeyDirectory& directory_;
  bool values_;
  index::BuildFrame& frame_;
  index::DirectoryRecords source_;
  std::unique_ptr<stream::TextStream> texts_;
};

}  // namespace

BuildSummary build_dictionary_part(const std::filesystem::path& path, const Share& shard,
                                   const std::filesystem::path& output,
                                   const DictionaryOptions& dictionary,
                                   const BuildOptions& given) try {
  index::check_shard(shard);
  (void)dictionary::shape_of(dictionary);
  const index::PartExchange exchange(given);
  const auto fetched = index::get_tables(exchange, path, shard);
  auto directory = index::KeyDirectory::open_finished(fetched != nullptr ? fetched->path() : path);
  check_directory(directory, dictionary);
  const file::Header header = header_of(directory.totals, dictionary);
  BuildOptions options = given;
  options.replace = options.replace || index::is_same_part(output, header, shard);
  index::BuildFrame frame(options);
  index::refuse_notes(options);
  file::PendingFile file(frame.outputs().file(output, {}));
  frame.memory().require(path.string(), 0, index::dictionary_need(), "a shard");
  const unsigned bits = index::list_bits(shard.count);
  if (fetched != nullptr) index::get_keys(*fetched, index::range_of_shard(bits, shard), directory);

  file::ContainerWriter writer(file);
  index::PartHead head{
      .kind = header.kind, .shard = shard, .choices = index::metadata_of(dictionary)};
  index::SectionShare& share = head.sections.emplace_back(file::kDictionaryBlocksSection, bits);
  share.run = run_of_shard(bits, shard.index, shard.count);
  base::Sink& sink = writer.begin_section(file::kPartBodiesSection, 0, kPageBytes);
  const std::uint64_t bytes = ShardTexts(directory, dictionary.values, shard, frame).write(sink);
  if (share.run.size() != 0) share.pieces.push_back({share.run.size(), bytes, 0, 0});
  writer.begin_section(file::kPartNotesSection);
  writer.begin_section(file::kPartSignaturesSection, 0, kPageBytes);
  writer.begin_section(file::kPartSection).append(encode(head));
  frame.end_building();
  file::Header own = header;
  own.kind = file::Kind::part;
  const auto written = writer.finish(own, head.choices);
  index::UnpublishedSummary draft = frame.summarize(own, "blocks", written);
  BuildSummary summary = std::move(draft).published(file.publish());
  exchange.put_file(output);
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
