// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "build/dedup_output.hpp"
#include "crivo/build/keys.hpp"
#include "lookup/key_hash.hpp"
#include "stream/sorted_pieces.hpp"

namespace crivo::index {
namespace {

using stream::TextStream;

constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kHeadBytes = kNumberBytes + 4;  ///< a hash and a length
constexpr std::size_t kPieces = std::size_t{1} << 10;

void append_big_endian(std::uint64_t value, std::size_t bytes, std::string& to) {
  for (std::size_t i = bytes; i-- > 0;) to += static_cast<char>(value >> (8 * i) & 0xff);
}

/// Splitters of texts that begin with a number, of which all below `end` are as frequent.
stream::TextSplitters even_splitters(std::uint64_t end) {
  std::vector<std::string> bounds(kPieces);
  for (std::size_t i = 0; i != kPieces; ++i)
    append_big_endian(end / kPieces * i, kNumberBytes, bounds[i]);
  return stream::TextSplitters::of_sample({bounds.begin(), bounds.end()}, kPieces);
}

/// Texts are sorted as hash, length, text, number: so equal ones are neighbours, the first one
/// first, and pieces are of one size whatever the texts.
void append_sortable(std::string_view text, const HashFunction& hash, std::uint64_t number,
                     std::string& to) {
  to.clear();
  append_big_endian(detail::HashAccess::raw(hash, text).hi, kNumberBytes, to);
  append_big_endian(text.size(), kHeadBytes - kNumberBytes, to);
  to += text;
  append_big_endian(number, kNumberBytes, to);
}

struct Room {
  stream::SortedTexts texts;
};

/// Calls visit(text) for all texts of a stream in order.
template <typename Visit>
std::uint64_t for_each_sorted(const TextStream& texts, unsigned threads, std::uint64_t memory_bytes,
                              const Visit& visit) {
  std::string whole;
  stream::SortedPieces<Room> pieces(threads, memory_bytes);
  pieces.for_each(
      texts, [](const TextStream&, std::size_t, Room&) {},
      [&](const TextStream& some, std::size_t piece, const Room& room) {
        for (std::size_t i = 0; i != room.texts.size(); ++i) {
          whole = some.shared(piece);
          whole += room.texts.rest(i);
          visit(std::string_view(whole));
        }
      },
      [&](std::string_view text, std::uint64_t) { visit(text); });  // no two are alike
  return pieces.temp_bytes();
}

}  // namespace

void keep_first(const std::vector<std::string>& paths, const Output& output,
                const DedupOptions& options, BuildFrame& frame, DedupSummary& summary) {
  const base::BuildContext context = frame.context();
  DedupOutput kept(frame.outputs().file(output, {paths, {}}), options.paragraphs);
  const std::uint64_t memory = frame.memory().budget().stream_bytes() / 2;
  const stream::TextStreamOptions stream_options{1, memory, frame.temp_dir()};

  context.progress.begin("read", input_bytes(paths).value_or(0), Progress::Unit::bytes);
  TextStream by_text(stream_options, even_splitters(UINT64_MAX));
  const HashFunction hash = hash_function({.key_hash = hashing::KeyHashId::xxh3});
  std::string sortable;
  input::for_each_unit(paths, unit_of(options), kMaxRecordBytes, context.progress,
                       [&](std::span<const std::string_view> texts) {
                         for (const std::string_view text : texts) {
                           append_sortable(text, hash, summary.texts++, sortable);
                           by_text.add(0, sortable);
                         }
                       });
  by_text.finish();

  context.progress.begin("write", 0);
  TextStream by_number(stream_options, even_splitters(summary.texts));
  std::string last;
  summary.temp_bytes +=
      for_each_sorted(by_text, context.threads, memory, [&](std::string_view one) {
        const std::string_view number = one.substr(one.size() - kNumberBytes);
        one.remove_suffix(kNumberBytes);
        if (one == last) return;
        last = one;
        ++summary.kept;
        sortable = number;
        sortable += one.substr(kHeadBytes);
        by_number.add(0, sortable);
      });
  by_number.finish();
  summary.temp_bytes +=
      for_each_sorted(by_number, context.threads, memory,
                      [&](std::string_view one) { kept.add(one.substr(kNumberBytes)); });
  summary.temp_bytes += by_text.temp_bytes() + by_number.temp_bytes();
  summary.bytes = kept.publish(summary.warnings);
}

}  // namespace crivo::index
