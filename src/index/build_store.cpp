// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "base/as_error.hpp"
#include "base/memory_limit.hpp"
#include "file/generation.hpp"
#include "file/pending_generation.hpp"
#include "file/section_types.hpp"
#include "index/build_frame.hpp"
#include "index/build_id.hpp"
#include "index/builds.hpp"
#include "index/codec_request.hpp"
#include "index/describe.hpp"
#include "index/key_hash.hpp"
#include "index/rank_index.hpp"
#include "index/store_files.hpp"
#include "records/backend.hpp"
#include "records/record_sorter.hpp"

namespace crivo {

namespace index {

namespace {

records::Duplicates kept_of(RepeatedRecords repeated) noexcept {
  switch (repeated) {
    case RepeatedRecords::first:
      return records::Duplicates::keep_first;
    case RepeatedRecords::last:
      return records::Duplicates::keep_last;
    case RepeatedRecords::all:
      break;
  }
  return records::Duplicates::join;
}

}  // namespace

BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options, const hashing::HashFamily& hash) {
  const mphf::Algorithm& algorithm = index::find_algorithm(store.algorithm);
  index::check_signature_bits(store.signature_bits, false);
  const records::Backend& backend = records::find_backend(store.backend);
  const records::CodecRequest codec = codec_request(store);
  if (!options.resume_dir.empty()) {
    throw Error(ErrorKind::usage, "a store's build cannot be resumed", {.remedy = "resume_dir"});
  }
  const unsigned signature_bits = backend.refuses_by_slot ? 0 : store.signature_bits;
  BuildFrame frame(options, hash);
  frame.refuse_counting();
  const file::OutputTarget target = frame.output_directory(output, store_file_families(), input);
  file::PendingFile index_file(target);
  file::PendingFile data_file(target);

  frame.prepare(input, Units::records, store_memory(store),
                mphf_phases(store.algorithm, 0, signature_bits));
  std::unique_ptr<records::RecordSorter> sorter;  // a new one for each pass over the records
  file::Header header;
  header.kind = file::Kind::store;
  header.key_hash = built_hash(hashing::KeyHash::xxh3, options);
  file::ContainerWriter::Written written;
  records::FinishedRecords finished;
  const auto begin = [&] {
    sorter = std::make_unique<records::RecordSorter>(
        frame.temp_dir(),
        options.ignore_duplicates ? kept_of(store.repeated) : records::Duplicates::refuse,
        frame.budget().bytes);
  };
  const auto take = [&](Hash128 key_hash, std::uint64_t ordinal, std::string_view key,
                        std::string_view record) { sorter->add(key_hash, ordinal, key, record); };
  const auto build = [&](const input::KeySet& set) {
    frame.note_read(set);
    index_file.restart();
    file::ContainerWriter writer(index_file);
    const auto written_function =
        index::write_rank_index(set.keys, algorithm, {}, signature_bits, frame.context(), writer);
    data_file.restart();
    base::give_back_freed_memory();
    const auto records = backend.writer(data_file, writer,
                                        {.records = set.keys.size(),
                                         .key_seed = set.seed,
                                         .codec = codec,
                                         .threads = frame.context().threads});
    sorter->emit(
        set.keys.size(),
        [&](std::span<const Hash128> hashes, std::uint64_t* ranks) {
          written_function.function->ranks(hashes, ranks);
        },
        [&](Hash128 key_hash, std::string_view key, std::string_view record) {
          records->append(key_hash.hi, key, record);
        },
        frame.context().progress);
    finished = records->finish();
    frame.note_built();

    header.keys = set.keys.size();
    header.seed = set.seed;
    header.build_id = build_id(header, set.sums(), choices_of(store));
    header.content_id = finished.content_id;
    written = writer.finish(header, {{"crivo.algorithm", store.algorithm}});
  };
  input::hash_records(input, frame.hash_options(), begin, take, frame.context(), build);

  BuildSummary summary = frame.summarize(header, store.algorithm, written);
  summary.bytes += finished.file_bytes;
  summary.signature_bits = signature_bits;
  summary.backend = store.backend;
  describe(finished.codec, summary.codec, summary.parameters);
  summary.fpr = 0;  // the key is stored with its record: answers are exact
  summary.temp_bytes += sorter->temp_bytes();
  file::PendingGeneration generation(
      target, {{file::generation_name(backend.family, written.digest), &data_file},
               {kIndexName, &index_file}});
  frame.note_published(generation.publish(), summary);
  return summary;
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
