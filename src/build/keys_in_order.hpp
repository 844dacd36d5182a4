// SPDX-License-Identifier: Apache-2.0
/// Keys that are sorted for a dictionary, wherever they were read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/progress.hpp"
#include "input/stream_texts.hpp"
#include "input/value_text.hpp"
#include "records/build/record_batch.hpp"
#include "records/build/record_spool.hpp"
#include "stream/hash_source.hpp"
#include "stream/sorted_pieces.hpp"
#include "stream/text_stream.hpp"

namespace crivo::index {

/// The keys of a source of records: of its 2^bits pieces those in `run`. With `values` they are
/// written by input::write_valued_text(), their values being input::TextRecord, and their places
/// the records' orders. They are divided by a sample of the first pieces, in which keys are as
/// their hashes deal them out. Throws Error(corrupt, io).
std::unique_ptr<stream::TextStream> texts_of(const records::RecordSource& source, unsigned bits,
                                             const stream::PartitionRun& run, bool values,
                                             const input::TextOptions& options,
                                             const base::BuildContext& context);

/// The keys of a spool with their records.
struct RecordTexts {
  std::unique_ptr<stream::TextStream> texts;
  bool refer_to_spool = false;  ///< which must outlive them
};
/// The same of all keys with what records::append_record_text() has behind input::begin_text(), of
/// equal keys one. Throws what RecordBatch::sort() does, too.
RecordTexts record_texts_of(const records::RecordSpool& spool, records::Duplicates duplicates,
                            const input::TextOptions& options, const base::BuildContext& context);

/// `shared` and `rest` in the place of what was in `to`.
inline void join_text(std::string_view shared, std::string_view rest, std::string& to) {
  to.assign(shared);
  to.append(rest);
}

/// Calls visit(key, value) for the texts of a stream in order, equal keys one by one in the order
/// of their places; with `values` the texts are those of input::write_valued_text(). Returns the
/// temporary disk that sorting took. Throws Error(corrupt, io).
template <typename Visit>
std::uint64_t for_each_in_order(const stream::TextStream& texts, bool values,
                                std::uint64_t memory_bytes, const base::BuildContext& context,
                                const Visit& visit) {
  struct Room {
    stream::SortedTexts texts;
  };
  std::string text;
  std::string key;
  const auto take = [&](std::string_view some) {
    if (!values) return visit(some, std::uint64_t{0});
    const input::TextValue placed = input::read_valued_text(some, key);
    visit(key, placed.value);
  };
  context.progress.begin("sort", texts.texts());
  stream::SortedPieces<Room> pieces(context.threads, memory_bytes);
  pieces.for_each(
      texts, [](const stream::TextStream&, std::size_t, Room&) {},
      [&](const stream::TextStream& some, std::size_t piece, const Room& room) {
        for (std::size_t i = 0; i != room.texts.size(); ++i) {
          join_text(some.shared(piece), room.texts.rest(i), text);
          take(text);
        }
        context.progress.add(room.texts.size());
      },
      [&](std::string_view same, std::uint64_t times) {
        context.progress.add(times);
        for (; times != 0; --times) take(same);
      });
  return pieces.temp_bytes();
}

}  // namespace crivo::index
