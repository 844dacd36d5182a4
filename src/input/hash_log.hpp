// SPDX-License-Identifier: Apache-2.0
/// The hashes of an input in a ResumeDirectory, so that it is read once, and by another process
/// from where the last one ended; and how such an input is read, part by part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "hashing/hash128.hpp"
#include "input/chunk.hpp"
#include "input/chunk_numbers.hpp"
#include "input/first_page.hpp"
#include "input/for_each_chunk.hpp"
#include "input/input_parts.hpp"
#include "input/noted_names.hpp"
#include "input/record_taker.hpp"
#include "input/resume_directory.hpp"
#include "input/unit_framing.hpp"

namespace crivo::input {

/// Where a log is, and what it may take of memory while it is written and read, about.
struct HashLogPlace {
  ResumeDirectory* directory = nullptr;  ///< null: there is no log
  std::uint64_t memory_bytes = 0;
  std::uint64_t* resumed_bytes = nullptr;  ///< grows by what another process read of the input
};

class HashLog {
 public:
  virtual ~HashLog() = default;

  using Visit = std::function<void(unsigned thread, std::span<const Hash128> hashes,
                                   std::span<const std::uint64_t> groups)>;
  /// Has the keys of a chunk visited.
  using HashChunk = std::function<void(unsigned thread, const Chunk& chunk, const Visit& visit)>;

  /// Reads what is not in the log yet. Once. Throws Error(corrupt, io), and what `hash` does.
  virtual void fill(const KeyInput& input, const UnitFraming& framing, const HashChunk& hash,
                    const base::BuildContext& context) = 0;
  /// Visits all, on all threads, as often as is asked.
  virtual void for_each(const base::BuildContext& context, const Visit& visit) const = 0;
};

/// An empty log, or what another process left; of hashes with another seed nothing is left.
/// `grouped`: hashes have those of groups beside them, 24 bytes a key on disk, else 16.
std::unique_ptr<HashLog> open_hash_log(const HashLogPlace& place, bool grouped, std::uint64_t seed,
                                       unsigned threads);

struct ResumedInput {
  const Sources& sources;
  const UnitFraming& framing;
  std::uint64_t seed;          ///< of the pass
  std::uint32_t hashed_bytes;  ///< of the stream
  // The signs and numbers that chunks note beside the stream.
  TextSigns& signs;
  ChunkNumbers* numbers;  ///< or null
  RecordTaker* records;   ///< or null
  NotedNames* names;      ///< or null
  InputPart part;         ///< of the input
};

/// Reads the input part by part, from the first on that was not read before, calls
/// hash_chunk(thread, chunk) for its chunks, which adds their keys to `stream`, and notes in the
/// journal what each part comes to. Returns how many bytes of the input, about, were read before.
/// Throws Error(corrupt) for a journal of another build.
template <typename KeyStream, typename HashChunk>
std::uint64_t read_parts(ResumeDirectory& resume, const ResumedInput& input, KeyStream& stream,
                         const base::BuildContext& context, const HashChunk& hash_chunk) {
  const std::vector<InputPart> parts =
      cut_input(input.sources.paths, input.framing, resume.part_bytes(), input.part);
  std::uint64_t next = 0;
  std::uint64_t resumed_bytes = 0;
  if (const auto& found = resume.found()) {
    if (found->parts > parts.size() || found->hashed_bytes != input.hashed_bytes ||
        found->units.empty() != (input.numbers == nullptr) ||
        found->records.has_value() != (input.records != nullptr) ||
        found->names.empty() != (input.names == nullptr)) {
      throw Error(ErrorKind::corrupt, resume.log().string() + ": its journal is of another build");
    }
    stream.go_on_from(found->logged);
    input.signs.go_on_from(found->signs);
    if (input.numbers != nullptr) input.numbers->go_on_from(found->units);
    if (const auto& records = found->records) input.records->go_on_from(*records);
    if (input.names != nullptr) input.names->go_on_from(found->names, resume.log().string());
    for (; next < found->parts; ++next) resumed_bytes += parts[next].bytes;
    context.progress.add(resumed_bytes);
  }
  for (; next < parts.size(); ++next) {
    ChunkReader reader(input.sources, input.framing, {.part = parts[next]});
    for_each_chunk(reader, input.sources, input.framing, context, hash_chunk);
    BuildJournal journal;
    journal.seed = input.seed;
    journal.hashed_bytes = input.hashed_bytes;
    journal.parts = next + 1;
    journal.logged = stream.log_all();
    if (input.numbers != nullptr) journal.units = input.numbers->noted();
    if (input.records != nullptr) journal.records = input.records->log_all();
    if (input.names != nullptr) journal.names = input.names->noted();
    journal.signs = input.signs.seen();
    resume.save(std::move(journal));
  }
  return resumed_bytes;
}

}  // namespace crivo::input
