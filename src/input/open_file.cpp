// SPDX-License-Identifier: Apache-2.0
#include "input/open_file.hpp"

#include <array>
#include <cstring>
#include <string_view>

#include "base/arithmetic.hpp"
#include "input/delimiter_scan.hpp"
#include "input/first_page.hpp"
#include "input/line_fields.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

constexpr std::uint64_t kNoEnd = UINT64_MAX;
constexpr std::size_t kOverlap = 4096;  // read past a block at once: most last units end within it

/// The index of the first `delimiter` at or after `from`, or bytes.size().
std::size_t find_delimiter(std::span<const char> bytes, std::size_t from, char delimiter) noexcept {
  if (from >= bytes.size()) return bytes.size();
  const void* at = std::memchr(bytes.data() + from, delimiter, bytes.size() - from);
  return at == nullptr ? bytes.size()
                       : static_cast<std::size_t>(static_cast<const char*>(at) - bytes.data());
}

/// The number of whole units in `bytes`, which begins with a unit.
std::uint64_t count_units(std::span<const char> bytes, const UnitFraming& framing) noexcept {
  if (!framing.delimiter) return bytes.size() / framing.width;
  return count_delimiters(bytes, *framing.delimiter) / framing.delimiters;
}

}  // namespace

/// The length of the mark that a file whose first bytes are `page` begins with. Throws
/// Error(bad_input) where it is of another format.
std::size_t OpenFile::mark_bytes_in(std::string_view page) const {
  refuse_other_format(input.name(), page, compressed);
  return page.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

void OpenFile::look_at_first_page() {
  if (!framing_.is_text) return;
  std::array<char, kFirstPageBytes> room{};
  const std::string_view page(room.data(), input.read_at(0, room));
  mark_bytes_ = mark_bytes_in(page);
}

/// Where the unit ends that goes on at `from`: behind its delimiter, or the end of the file; kNoEnd
/// beyond `most`. What is read for that is not kept, as a unit may be far longer than a block.
std::uint64_t OpenFile::end_of_unit(std::uint64_t from, std::uint64_t most) const {
  constexpr std::size_t kStep = std::size_t{64} << 10;
  std::vector<char> some(kStep);
  while (from <= most) {
    const auto read = std::span(some).first(input.read_at(from, some));
    const std::size_t end = find_delimiter(read, 0, *framing_.delimiter);
    from += end;
    if (end != read.size()) return from + 1;
    if (read.empty()) return from;
  }
  return kNoEnd;
}

bool OpenFile::cut_block(std::uint64_t block, Chunk& chunk, std::mutex& long_chunks) const {
  const std::uint64_t begin = std::max(block * block_bytes, first_byte);
  const std::uint64_t end = std::min({(block + 1) * block_bytes, end_byte, input.size()});
  if (!framing_.delimiter) {
    chunk.storage.resize(end - begin);
    chunk.storage.resize(input.read_at(begin, chunk.storage));
    chunk.start.offset = begin;
    chunk.bytes = chunk.storage;
    if (const std::uint64_t rest = chunk.storage.size() % framing_.width; rest != 0) {
      fail_cut_short({chunk.start.file, begin + chunk.storage.size() - rest, kUnknownLine}, rest);
    }
    return !chunk.bytes.empty();
  }

  // One byte more at the front: a delimiter there says that the block begins with a unit.
  const std::uint64_t from = begin == 0 ? 0 : begin - 1;
  const auto core = static_cast<std::size_t>(end - from);
  chunk.storage.resize(core + kOverlap);
  std::size_t have = input.read_at(from, chunk.storage);
  std::size_t first = begin == 0 ? mark_bytes_ : 0;
  if (begin != 0 || has_header_) {
    first = find_delimiter(std::span(chunk.storage).first(std::min(core, have)), 0,
                           *framing_.delimiter) +
            1;
    if (first >= core) return false;
    if (begin == 0) (void)named_columns({chunk.storage.data(), first});
  }
  if (first >= have) return false;
  std::size_t last =
      find_delimiter(std::span(chunk.storage).first(have), core - 1, *framing_.delimiter);
  if (last == have && have == chunk.storage.size()) {
    const std::uint64_t past = end_of_unit(from + have, from + core + framing_.max_bytes);
    if (past == kNoEnd) {
      // The last unit that begins in this block is the one that does not end.
      std::size_t unit = core;
      while (unit > first && chunk.storage[unit - 1] != *framing_.delimiter) --unit;
      refuse_long({chunk.start.file, from + unit, kUnknownLine});
    }
    const std::size_t old = have;
    const auto whole = static_cast<std::size_t>(past - from);
    if (whole > kLongChunkBytes) chunk.turn = std::unique_lock(long_chunks);
    chunk.storage.resize(whole);
    have += input.read_at(from + old, std::span(chunk.storage).subspan(old));
    last = find_delimiter(std::span(chunk.storage).first(have), old, *framing_.delimiter);
  }
  chunk.start.offset = from + first;
  chunk.bytes =
      std::span<const char>(chunk.storage).subspan(first, std::min(last + 1, have) - first);
  return true;
}

/// The length of the whole units at the front of `bytes`.
std::size_t OpenFile::cut_after_last_unit(std::span<const char> bytes) const noexcept {
  if (!framing_.delimiter) return bytes.size() / framing_.width * framing_.width;
  const void* at = ::memrchr(bytes.data(), *framing_.delimiter, bytes.size());
  if (at == nullptr) return 0;
  const auto last = static_cast<std::size_t>(static_cast<const char*>(at) - bytes.data());
  if (framing_.delimiters == 1 ||
      count_delimiters(bytes, *framing_.delimiter) % framing_.delimiters == 0) {
    return last + 1;
  }
  // An odd number of delimiters: the last one ends a key whose record has not come yet.
  const void* before = ::memrchr(bytes.data(), *framing_.delimiter, last);
  return before == nullptr
             ? 0
             : static_cast<std::size_t>(static_cast<const char*>(before) - bytes.data()) + 1;
}

/// The length of the mark at the front of `bytes`, with which the file begins; 0 where it has none.
/// Throws Error(bad_input) where it is of another format.
std::size_t OpenFile::take_mark(std::span<const char> bytes) {
  if (offset_ != 0 || begins_inside_ || !framing_.is_text) return 0;
  offset_ = mark_bytes_in({bytes.data(), std::min(bytes.size(), kFirstPageBytes)});
  return offset_;
}

/// The columns that the format names, as the header has them.
NamedColumns OpenFile::named_columns(std::string_view header) const {
  if (framing_.key_name.empty() && framing_.value_name.empty() && framing_.row_name.empty() &&
      framing_.leading_keys.empty())
    return {};
  return columns_of(header, framing_, {index, 0, 0});
}

/// The length of the header at the front of `bytes`, which are whole units. Notes the columns that
/// it names.
std::size_t OpenFile::take_header(std::span<const char> bytes) {
  const std::string_view text(bytes.data(), bytes.size());
  const std::size_t end = framing_.quotes
                              ? QuotedLines(framing_.column_delimiter).next_end(text)
                              : find_delimiter(bytes, 0, framing_.delimiter.value_or('\n'));
  const std::string_view header = text.substr(0, std::min(end + 1, text.size()));
  columns_ = named_columns(header);
  has_header_ = false;
  offset_ += header.size();
  line_ += std::max<std::uint64_t>(count_delimiters(header, '\n'), 1);
  return header.size();
}

std::uint64_t OpenFile::count_last_units(std::span<const char> bytes) const {
  if (!framing_.delimiter) return count_units(bytes, framing_);
  const std::uint64_t delimiters = count_delimiters(bytes, *framing_.delimiter);
  const bool open = bytes.back() != *framing_.delimiter;
  return base::div_ceil(delimiters + (open ? 1 : 0), framing_.delimiters);
}

std::optional<std::uint64_t> OpenFile::next(Chunk& chunk, bool eager) {
  std::swap(chunk.storage, carry_);
  std::size_t have = chunk.storage.size();
  std::size_t whole = 0;
  QuotedLines quoted(framing_.column_delimiter);
  const auto cut = [&] {
    const auto bytes = std::span<const char>(chunk.storage).first(have);
    return framing_.quotes ? quoted.whole({bytes.data(), bytes.size()})
                           : cut_after_last_unit(bytes);
  };
  // A file's format may take more than a line to tell; a pipe may have no more for now.
  const bool wants_page = offset_ == 0 && !begins_inside_ && framing_.is_text && input.is_regular();
  bool ended = false;
  while (!ended && whole == 0) {
    if (have > framing_.max_bytes + framing_.delimiters) {
      refuse_long(next_place());
    }
    const std::size_t goal = std::max(kChunkBytes, have + have / 4);
    chunk.storage.resize(goal);
    while (have < goal) {
      const std::size_t got = decoded->read(std::span(chunk.storage).subspan(have));
      ended = got == 0;
      if (ended) break;
      have += got;
      if (eager && (!wants_page || have >= kFirstPageBytes) && cut() != 0) break;
    }
    whole = cut();
  }
  if (ended) {
    if (framing_.delimiter) {
      whole = have;
    } else if (whole == 0 && have != 0) {  // those before it, if any, were handed out first
      fail_cut_short({index, offset_ + whole, line_ + whole / framing_.width}, have - whole);
    }
  }
  if (whole == 0) return std::nullopt;
  carry_.assign(chunk.storage.begin() + static_cast<std::ptrdiff_t>(whole),
                chunk.storage.begin() + static_cast<std::ptrdiff_t>(have));
  const std::size_t mark = take_mark(std::span<const char>(chunk.storage).first(have));
  const std::span<const char> units_read = std::span<const char>(chunk.storage).first(whole);
  const std::size_t header = has_header_ ? take_header(units_read.subspan(mark)) : 0;
  whole -= mark + header;
  if (whole == 0) return ended ? std::nullopt : next(chunk, eager);
  chunk.bytes = units_read.subspan(mark + header);
  chunk.start = next_place();
  chunk.columns = columns_;
  chunk.inner_lines = 0;
  chunk.sequence = sequence_++;
  std::uint64_t units = ended ? count_last_units(chunk.bytes) : count_units(chunk.bytes, framing_);
  offset_ += whole;
  line_ += units;
  if (framing_.quotes) {  // `units` are lines then
    const std::size_t in_whole = quoted.whole({chunk.storage.data(), have});
    units = quoted.lines() + (in_whole < mark + header + whole ? 1 : 0) - (header == 0 ? 0 : 1);
  }
  return units;
}

void OpenFile::fail_at(const Place& place, const std::string& problem) const {
  throw InputFault(place, problem);
}

void OpenFile::fail_cut_short(const Place& place, std::uint64_t rest) const {
  fail_at(place, "the last key has " + std::to_string(rest) + " bytes of " +
                     std::to_string(framing_.width));
}

void OpenFile::refuse_long(const Place& place) const {
  const std::string limit = framing_.limit == nullptr ? "" : framing_.limit;
  const std::uint64_t bytes = framing_.max_bytes - (framing_.strip_cr ? 1 : 0);
  throw InputFault(place,
                   (limit == "max_key_bytes" ? "the key" : "the line") +
                       (" is longer than the limit of " + std::to_string(bytes)) + " bytes" +
                       (framing_.quotes ? "; perhaps a quote is not closed" : ""),
                   limit);
}

}  // namespace crivo::input
