// SPDX-License-Identifier: Apache-2.0
#include "build/store_output.hpp"

#include <lmdb.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_limit.hpp"
#include "base/refuse_option.hpp"
#include "build/chosen.hpp"
#include "build/store_lock.hpp"
#include "file/build/pending_generation.hpp"
#include "file/names.hpp"
#include "file/section_types.hpp"
#include "lookup/describe.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/rank_index.hpp"
#include "lookup/store_files.hpp"
#include "records/backend.hpp"

namespace crivo {

std::span<const std::string_view> repeated_records() noexcept {
  static constexpr std::array<std::string_view, 3> kNames{"first", "last", "all"};
  return kNames;
}

namespace index {

StorePlan::StorePlan(const StoreOptions& options)
    : algorithm(find_algorithm(options)),
      backend(records::find_backend(options.backend)),
      codec(codec_request(options)),
      signature_bits(backend.refuses_by_slot ? 0 : options.signature_bits) {
  if (options.ordered && !backend.may_be_ordered) {
    base::refuse_option("ordered", "needs the backend flat: records of the backend " +
                                       options.backend + " are in the order of hashes");
  }
  if (codec.goal == records::Goal::smallest && !codec.keys_apart) {
    base::refuse_option("goal",
                        "smallest needs the backend flat, whose records can be in the order "
                        "of their keys");
  }
  if (codec.codec == records::CodecId::neighbours && !codec.keys_apart)
    base::refuse_option("codec",
                        "neighbours is for ordered stores, in which records that are "
                        "alike follow one another");
}

bool is_ordered(const StoreOptions& store) {
  return store.ordered ||
         (records::is_of_bytes(records::find_goal(store.goal)) && store.codec == "auto" &&
          records::find_backend(store.backend).may_be_ordered);
}

records::Duplicates duplicates_of(bool ignored, RepeatedRecords kept) noexcept {
  if (!ignored) return records::Duplicates::refuse;
  switch (kept) {
    case RepeatedRecords::first:
      return records::Duplicates::keep_first;
    case RepeatedRecords::last:
      return records::Duplicates::keep_last;
    case RepeatedRecords::all:
      break;
  }
  return records::Duplicates::join;
}

std::uint64_t record_memory(const BuildFrame& frame) noexcept {
  return frame.memory().budget().bytes / 4;
}

std::uint64_t record_memory(const BuildFrame& frame, const records::RecordSpool& spool) noexcept {
  constexpr std::uint64_t kBesideRecords = std::uint64_t{24} << 20;
  const std::uint64_t bytes = record_memory(frame);
  return spool.temp_bytes() != 0 ? bytes : std::min(bytes, kBesideRecords);
}

unsigned cell_bits_for(unsigned piece_bits, std::uint64_t records, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kCellBytes = std::uint64_t{1} << 20;
  constexpr unsigned kMost = 24;
  const std::uint64_t entries = std::min(bytes, records * records::RecordEntry::kLeastFar);
  return std::max(piece_bits,
                  std::min(static_cast<unsigned>(std::bit_width(entries / kCellBytes)), kMost));
}

StoreOutput::StoreOutput(const file::OutputTarget& target, const StoreOptions& options,
                         const BuildFrame& frame, const file::OutputLock* held)
    : target_(target),
      held_(held),
      options_(options),
      plan_(options),
      temp_dir_(frame.temp_dir()),
      memory_bytes_(frame.memory().budget().bytes),
      index_file_(target),
      data_file_(target) {}

file::ContainerWriter& StoreOutput::begin_index(file::HashTree tree) {
  tree_ = tree;
  index_.reset();
  index_file_.restart();
  data_file_.restart();
  index_ = std::make_unique<file::ContainerWriter>(index_file_, tree);
  return *index_;
}

void StoreOutput::write_records(const Sources& sources, const WrittenFunction* function,
                                const file::Header& header, const base::BuildContext& context) {
  if (function == nullptr) {
    write_in_order(*sources.in_order, header, context);
  } else {
    write_parts(*sources.records, *function, header, context);
  }
}

void StoreOutput::write_in_order(RecordsInOrder& records, const file::Header& header,
                                 const base::BuildContext& context) {
  const auto writer = records::writer_of(plan_.backend)
                          .writer(data_file_, *index_,
                                  {.records = header.keys, .key_seed = header.seed, .tree = tree_});
  records::RecordEncoder encoder(
      records.coding(), context.threads,
      [&](std::span<const records::EncodedUnit> units) { writer->add(units); });
  dictionary::Builder keys({}, context);
  records.for_each([&](const records::HalvedRecord& record) {
    keys.add(record.key);
    encoder.append(record);
  });
  if (keys.keys() != header.keys)
    throw Error(ErrorKind::bad_input,
                "the records do not match the keys; perhaps two keys are equal");
  finished_ = writer->finish(encoder.finish());
  temp_bytes_ = records.temp_bytes();
  candidates_ = records.coding().candidates;
  context.progress.begin("build", header.keys);
  keys.finish([&](dictionary::Builder::Part part) -> base::Sink& {
    return index_->begin_section(dictionary::section_of(part));
  });
}

void StoreOutput::write_parts(RecordParts& records, const WrittenFunction& function,
                              const file::Header& header, const base::BuildContext& context) {
  records::BumpedRecords bumped(temp_dir_, header.keys, memory_bytes_);
  records.collect_bumped(function, bumped);
  base::give_back_freed_memory();
  const auto writer = records::writer_of(plan_.backend)
                          .writer(data_file_, *index_,
                                  {.records = header.keys, .key_seed = header.seed, .tree = tree_});
  records::RecordEncoder encoder(
      records.coding(), context.threads,
      [&](std::span<const records::EncodedUnit> units) { writer->add(units); });
  const auto bumped_key = [&](std::uint64_t rank) { return bumped.take(rank); };
  bumped.finish();
  const std::uint64_t longest_raw = records.for_each_entry([&](const records::PartEntry& entry) {
    encoder.append_entry(entry, bumped_key);
    if (encoder.next_rank() > header.keys)
      throw Error(ErrorKind::corrupt, "damaged: there are more records than keys");
  });
  encoder.note_longest(longest_raw);
  while (encoder.next_rank() != header.keys) encoder.append(bumped_key(encoder.next_rank()));
  finished_ = writer->finish(encoder.finish());
  temp_bytes_ = records.temp_bytes() + bumped.temp_bytes();
  candidates_ = records.coding().candidates;
}

void StoreOutput::finish(file::Header header, const file::Metadata& metadata) {
  header.content_id = finished_.content_id;
  file::Metadata all = libraries_of(plan_.backend, finished_.codec);
  all.insert(metadata.begin(), metadata.end());
  written_ = index_->finish(header, all);
}

BuildSummary StoreOutput::publish(BuildFrame& frame, const file::Header& header,
                                  const std::string& structure) {
  UnpublishedSummary draft = frame.summarize(header, structure, written_);
  BuildSummary& summary = *draft;
  summary.bytes += finished_.file_bytes;
  describe_signatures(plan_.signature_bits, "each record has its key", summary);
  describe_records(options_.backend, finished_.codec, finished_.codec.dictionary.size(), summary);
  for (const records::CodecTrial& each : candidates_) {
    summary.candidates.push_back(
        {std::string(records::codec_type(each.codec).name), each.block_bytes,
         each.bytes / static_cast<double>(std::max<std::uint64_t>(header.keys, 1)),
         each.hit_cost / records::kCostsPerNanosecond});
  }
  summary.temp_bytes += temp_bytes_;
  if (target_.function()) return std::move(draft).published({});
  file::PendingGeneration generation(
      target_, {{file::generation_name(plan_.backend.family, written_.digest), &data_file_},
                {kIndexName, &index_file_}});
  if (held_ == nullptr) adopt_updates(target_);
  return std::move(draft).published(held_ != nullptr ? generation.publish_in(*held_)
                                                     : generation.publish());
}

}  // namespace index

namespace index {

records::CodecRequest codec_request(const StoreOptions& store) {
  records::CodecRequest request{.codec = {}, .block_bytes = store.block_bytes};
  request.keys_apart = is_ordered(store);
  request.goal = records::find_goal(store.goal);
  if (store.codec == "auto") return request;
  request.codec = records::find_codec(std::string_view(store.codec)).id;
  if (store.goal != StoreOptions{}.goal)
    base::refuse_option("goal",
                        "is what codec auto chooses by, and " + store.codec + " was asked for");
  return request;
}

}  // namespace index

std::span<const std::string_view> store_backends() noexcept {
  return records::backend_names();
}

std::span<const std::string_view> store_goals() noexcept {
  return records::goal_names();
}

std::span<const std::string_view> store_codecs() noexcept {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names{"auto"};
    const auto codecs = records::codec_names();
    names.insert(names.end(), codecs.begin(), codecs.end());
    return names;
  }();
  return kNames;
}

}  // namespace crivo

namespace crivo::index {

file::Metadata libraries_of(const records::Backend& backend, const records::CodecHead& codec) {
  file::Metadata libraries;
  const auto put = [&](const char* name, std::string version) {
    libraries[std::string(file::kLibraryPrefix) + name] = std::move(version);
  };
  if (backend.section_type == file::kEnvironmentSection) {
    int major = 0;
    int minor = 0;
    int patch = 0;
    mdb_version(&major, &minor, &patch);
    put("lmdb", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch));
  }
  if (codec.codec == records::CodecId::zstd || codec.codec == records::CodecId::neighbours)
    put("zstd", ZSTD_versionString());
  return libraries;
}

}  // namespace crivo::index
