// SPDX-License-Identifier: Apache-2.0
#include "input/chunk_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <utility>

#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "input/delimiter_scan.hpp"
#include "input/input_fault.hpp"
#include "input/line_fields.hpp"
#include "input/quoted_lines.hpp"

namespace crivo::input {
namespace {

constexpr std::size_t kOverlap = 4096;  // read past a block at once: most last units end within it

constexpr std::uint64_t kMaxSourceUnits = std::uint64_t{1} << 24;  // in a chunk

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

/// A file that is being cut. In blocks, only `next_block` changes; otherwise the rest does, by the
/// thread that has it.
struct ChunkReader::OpenFile {
  explicit OpenFile(const std::string& path) : input(path) {}

  bool is_used_up() const noexcept {
    return in_blocks && (next_block >= end_block || next_block * block_bytes >= input.size());
  }

  std::uint64_t bytes_taken() const noexcept {
    if (!in_blocks) return consumed;
    return std::min(next_block * block_bytes, input.size()) - first_block * block_bytes;
  }

  InputFile input;
  std::size_t index = 0;
  bool in_blocks = false;
  std::uint64_t block_bytes = 0;
  std::uint64_t first_block = 0;
  std::uint64_t next_block = 0;
  std::uint64_t end_block = UINT64_MAX;
  std::unique_ptr<ByteSource> source;
  bool compressed = false;
  bool has_header = false;  ///< which is still to be left out
  NamedColumns columns{};
  std::vector<char> carry;  ///< the beginning of a unit that the last chunk left behind
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::uint64_t sequence = 0;

  // Under the reader's mutex.
  bool taken = false;          ///< by a thread that cuts its next chunk
  std::uint64_t consumed = 0;  ///< by the chunks that were cut
  std::exception_ptr failure;  ///< to be thrown once no file before it is open
};

ChunkReader::ChunkReader(Sources sources, const UnitFraming& framing, ChunkOptions options)
    : sources_(std::move(sources)),
      framing_(framing),
      options_(options),
      next_path_(options.part.first_file),
      end_path_(std::min(sources_.paths.size() - 1, options.part.last_file) + 1) {
  check_framing(sources_, framing_);
}

ChunkReader::~ChunkReader() = default;

bool ChunkReader::may_open_next() const {
  if (next_path_ >= end_path_) return false;
  if (open_.empty()) return true;
  return !options_.in_order && !opens_alone_ && open_.back()->input.is_regular() &&
         is_regular_file(sources_.paths[next_path_]);
}

void ChunkReader::open_next_file() {
  auto file = std::make_shared<OpenFile>(sources_.paths[next_path_]);
  file->index = next_path_;
  file->has_header = framing_.skip_header;
  if (!options_.in_order && is_cut_in_blocks(file->input, framing_)) {
    file->in_blocks = true;
    file->block_bytes = block_bytes_of(framing_);
    if (file->index == options_.part.first_file) file->first_block = options_.part.first_block;
    if (file->index == options_.part.last_file) file->end_block = options_.part.end_block;
    file->next_block = file->first_block;
  } else {
    OpenedSource opened = open_source(file->input);
    file->source = std::move(opened.source);
    file->compressed = opened.compression != Compression::none;
  }
  open_.push_back(std::move(file));
  ++next_path_;
}

/// The first file that a chunk can be cut from, which is the caller's until it is given back unless
/// it is cut in blocks; nothing at the end of all.
std::shared_ptr<ChunkReader::OpenFile> ChunkReader::take_file(std::unique_lock<std::mutex>& lock) {
  while (true) {
    if (!open_.empty() && open_.front()->failure) {
      const std::exception_ptr failure = open_.front()->failure;
      note_failed(open_.front()->index);
      std::rethrow_exception(failure);
    }
    const auto idle = std::ranges::find_if(
        open_, [](const auto& file) { return !file->taken && !file->failure; });
    if (idle != open_.end()) {
      std::shared_ptr<OpenFile> file = *idle;  // not const: it is moved on
      if (file->is_used_up()) {
        close(*file);
        continue;
      }
      file->taken = !file->in_blocks;
      return file;
    }
    if (may_open_next()) {
      try {
        open_next_file();
      } catch (const Error&) {
        if (open_.empty()) {
          note_failed(next_path_);
          throw;
        }
        opens_alone_ = true;  // for what stands before may have a fault
      }
      continue;
    }
    if (open_.empty()) return nullptr;
    changed_.wait(lock);
  }
}

void ChunkReader::close(const OpenFile& file) {
  consumed_before_ += file.bytes_taken();
  std::erase_if(open_, [&](const auto& open) { return open.get() == &file; });
  changed_.notify_all();
}

/// Closes all files from `file` on.
void ChunkReader::drop_from(std::size_t file) {
  end_path_ = std::min(end_path_, file);
  source_ended_ = true;
  const auto first =
      std::ranges::find_if(open_, [&](const auto& open) { return open->index >= file; });
  if (first != open_.end() && (!stopped_ || (*first)->index < stopped_->index)) stopped_ = *first;
  open_.erase(first, open_.end());
  changed_.notify_all();
}

void ChunkReader::note_failed(std::size_t file) {
  failed_ = file;
  drop_from(0);
}

std::size_t ChunkReader::failed_file() const {
  const std::scoped_lock lock(mutex_);
  return failed_.value_or(0);
}

void ChunkReader::end_before(std::size_t file) {
  const std::scoped_lock lock(mutex_);
  drop_from(file);
}

/// The next chunk of the source. One that has a size is cut under the lock, and written outside.
bool ChunkReader::next_from_source(Chunk& chunk) {
  KeySource& source = *sources_.source;
  std::unique_lock lock(mutex_);
  if (source_ended_) return false;
  chunk.storage.clear();
  KeyWriter writer(chunk.storage);
  chunk.ordinal = ordinal_;
  chunk.sequence = source_chunks_++;
  if (const auto size = source.size()) {
    const std::uint64_t begin = ordinal_;
    const std::uint64_t last = std::min(*size, begin + kMaxSourceUnits);
    std::uint64_t end = begin;
    std::uint64_t bytes = 0;
    while (end < last && bytes < kChunkBytes) {
      bytes += source.bytes(end, end + 1);
      ++end;
    }
    chunk.start = {0, begin << 28, begin};  // more than a chunk has bytes
    consumed_before_ += bytes;
    ordinal_ = end;
    source_ended_ = end == *size;
    lock.unlock();
    source.write(begin, end, writer);
  } else {
    chunk.start = {0, consumed_before_, ordinal_};
    while (!source_ended_ && chunk.storage.size() < kChunkBytes) {
      source_ended_ = true;  // also if it throws
      source_ended_ = !source.next(writer);
      if (options_.eager && !chunk.storage.empty()) break;
    }
    ordinal_ += writer.units();
    consumed_before_ += chunk.storage.size();
  }
  chunk.bytes = chunk.storage;
  if (writer.texts() != framing_.delimiters * writer.units() || writer.units() > kMaxSourceUnits) {
    throw Error(ErrorKind::usage,
                writer.units() > kMaxSourceUnits ? "more than 2^24 keys were handed over at once"
                : framing_.delimiters == 1
                    ? "values or records were given, but this call takes keys alone"
                    : "each key needs its value or record");
  }
  return !chunk.bytes.empty();
}

bool ChunkReader::next(Chunk& chunk) {
  if (sources_.source) return next_from_source(chunk);
  std::unique_lock lock(mutex_);
  while (true) {
    const std::shared_ptr<OpenFile> file = take_file(lock);
    if (!file) return false;
    if (file->in_blocks) {
      const std::uint64_t block = file->next_block++;
      lock.unlock();
      chunk.sequence = block;
      chunk.start = {file->index, 0, kUnknownLine};
      chunk.ordinal = kUnknownLine;
      bool any = false;
      try {
        any = cut_block(*file, block, chunk);
      } catch (const InputFault&) {
        throw;
      } catch (const Error&) {
        lock.lock();
        if (failed_) return false;
        note_failed(file->index);
        throw;
      }
      if (any) return true;
      lock.lock();
      continue;
    }
    lock.unlock();
    bool any = false;
    try {
      any = next_of_source(*file, chunk);
    } catch (const InputFault&) {
      end_before(file->index);
      throw;
    } catch (const Error&) {
      lock.lock();
      drop_from(file->index + 1);
      file->failure = std::current_exception();
      changed_.notify_all();
      continue;
    } catch (...) {  // no memory: nobody waits for this thread to give the file back
      end_before(0);
      throw;
    }
    lock.lock();
    file->taken = false;
    file->consumed = file->source->consumed();
    if (any) {
      changed_.notify_one();
      return true;
    }
    close(*file);
  }
}

void ChunkReader::check_data(std::size_t file) {
  const std::scoped_lock lock(mutex_);
  // A file that is not the one that was stopped was decoded to its end.
  if (!stopped_ || stopped_->index != file || !stopped_->compressed) return;
  std::vector<char> room(kChunkBytes);
  while (stopped_->source->read(room) != 0) continue;
}

/// A unit belongs to the block that its first byte is in. False if none begins in this block.
bool ChunkReader::cut_block(const OpenFile& open, std::uint64_t block, Chunk& chunk) const {
  const InputFile& file = open.input;
  const std::uint64_t begin = block * open.block_bytes;
  const std::uint64_t end = std::min(begin + open.block_bytes, file.size());
  if (!framing_.delimiter) {
    chunk.storage.resize(end - begin);
    chunk.storage.resize(file.read_at(begin, chunk.storage));
    chunk.start.offset = begin;
    chunk.bytes = chunk.storage;
    if (const std::uint64_t rest = chunk.storage.size() % framing_.width; rest != 0) {
      fail_at({chunk.start.file, begin + chunk.storage.size() - rest, kUnknownLine},
              "the last key has " + std::to_string(rest) + " bytes of " +
                  std::to_string(framing_.width));
    }
    return !chunk.bytes.empty();
  }

  // One byte more at the front: a delimiter there says that the block begins with a unit.
  const std::uint64_t from = begin == 0 ? 0 : begin - 1;
  const auto core = static_cast<std::size_t>(end - from);
  chunk.storage.resize(core + kOverlap);
  std::size_t have = file.read_at(from, chunk.storage);
  std::size_t first = 0;
  if (begin != 0 || open.has_header) {
    first = find_delimiter(std::span(chunk.storage).first(std::min(core, have)), 0,
                           *framing_.delimiter) +
            1;
    if (first >= core) return false;
  }
  if (first >= have) return false;
  std::size_t last =
      find_delimiter(std::span(chunk.storage).first(have), core - 1, *framing_.delimiter);
  while (last == have && have == chunk.storage.size()) {
    if (have > core + framing_.max_bytes) {
      // The last unit that begins in this block is the one that does not end.
      std::size_t unit = core;
      while (unit > first && chunk.storage[unit - 1] != *framing_.delimiter) --unit;
      fail_at({chunk.start.file, from + unit, kUnknownLine}, too_long());
    }
    const std::size_t old = have;
    chunk.storage.resize(2 * old);
    have += file.read_at(from + old, std::span(chunk.storage).subspan(old));
    last = find_delimiter(std::span(chunk.storage).first(have), old, *framing_.delimiter);
  }
  chunk.start.offset = from + first;
  chunk.bytes =
      std::span<const char>(chunk.storage).subspan(first, std::min(last + 1, have) - first);
  return true;
}

/// The length of the whole units at the front of `bytes`.
std::size_t ChunkReader::cut_after_last_unit(std::span<const char> bytes) const noexcept {
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

/// The length of the header at the front of `bytes`, which are whole units; `file` notes the
/// columns that it names.
std::size_t ChunkReader::take_header(std::span<const char> bytes, OpenFile& file) const {
  const std::string_view text(bytes.data(), bytes.size());
  const std::size_t end = framing_.quotes
                              ? QuotedLines(framing_.column_delimiter).next_end(text)
                              : find_delimiter(bytes, 0, framing_.delimiter.value_or('\n'));
  const std::string_view header = text.substr(0, std::min(end + 1, text.size()));
  if (framing_.has_names()) file.columns = columns_of(header, framing_, {file.index, 0, 0});
  file.has_header = false;
  file.offset += header.size();
  file.line += std::max<std::uint64_t>(count_delimiters(header, '\n'), 1);
  return header.size();
}

/// The next chunk of a file that is read from front to back: false at its end.
bool ChunkReader::next_of_source(OpenFile& file, Chunk& chunk) {
  std::swap(chunk.storage, file.carry);
  std::size_t have = chunk.storage.size();
  std::size_t whole = 0;
  QuotedLines quoted(framing_.column_delimiter);
  const auto cut = [&] {
    const auto bytes = std::span<const char>(chunk.storage).first(have);
    return framing_.quotes ? quoted.whole({bytes.data(), bytes.size()})
                           : cut_after_last_unit(bytes);
  };
  bool ended = false;
  while (!ended && whole == 0) {
    if (have > framing_.max_bytes + framing_.delimiters) {
      fail_at({file.index, file.offset, file.line}, too_long());
    }
    const std::size_t goal = std::max(kChunkBytes, 2 * have);
    chunk.storage.resize(goal);
    while (have < goal) {
      const std::size_t got = file.source->read(std::span(chunk.storage).subspan(have));
      ended = got == 0;
      if (ended) break;
      have += got;
      if (options_.eager && cut() != 0) break;
    }
    whole = cut();
  }
  if (ended) {
    if (framing_.delimiter) {
      whole = have;
    } else if (whole == 0 && have != 0) {  // those before it, if any, were handed out first
      fail_at({file.index, file.offset + whole, file.line + whole / framing_.width},
              "the last key has " + std::to_string(have - whole) + " bytes of " +
                  std::to_string(framing_.width));
    }
  }
  if (whole == 0) return false;
  file.carry.assign(chunk.storage.begin() + static_cast<std::ptrdiff_t>(whole),
                    chunk.storage.begin() + static_cast<std::ptrdiff_t>(have));
  std::size_t header = 0;
  if (file.has_header) {
    header = take_header(std::span<const char>(chunk.storage).first(whole), file);
    whole -= header;
    if (whole == 0) return !ended && next_of_source(file, chunk);
  }
  chunk.bytes = std::span<const char>(chunk.storage).subspan(header, whole);
  chunk.start = {file.index, file.offset, file.line};
  chunk.columns = file.columns;
  chunk.inner_lines = 0;
  chunk.ordinal = options_.in_order ? ordinal_ : kUnknownLine;
  chunk.sequence = file.sequence++;
  std::uint64_t units = count_units(chunk.bytes, framing_);
  if (ended && framing_.delimiter) {  // the last unit may lack delimiters
    const std::uint64_t delimiters = count_delimiters(chunk.bytes, *framing_.delimiter);
    const bool open = chunk.bytes.back() != *framing_.delimiter;
    units = bits::div_ceil(delimiters + (open ? 1 : 0), framing_.delimiters);
  }
  file.offset += whole;
  file.line += units;
  if (framing_.quotes) {  // `units` are lines then
    const std::size_t in_whole = quoted.whole({chunk.storage.data(), have});
    units = quoted.lines() + (in_whole < header + whole ? 1 : 0) - (header == 0 ? 0 : 1);
  }
  if (options_.in_order) ordinal_ += units;  // no other file is open
  return true;
}

std::uint64_t ChunkReader::consumed() const {
  const std::scoped_lock lock(mutex_);
  std::uint64_t all = consumed_before_;
  for (const auto& file : open_) {
    all += file->bytes_taken();
  }
  return all;
}

void ChunkReader::fail_at(const Place& place, const std::string& problem) const {
  throw InputFault(place, problem);
}

std::string ChunkReader::too_long() const {
  if (framing_.quotes) {
    return "the line is longer than the limit of " + std::to_string(framing_.max_bytes) +
           " bytes; perhaps a quote is not closed";
  }
  if (framing_.max_bytes > kMaxKeyBytes + 1) {
    return "a record or its key is longer than the limits of " + std::to_string(kMaxRecordBytes) +
           " and " + std::to_string(kMaxKeyBytes) + " bytes";
  }
  return "the key is longer than the limit of " + std::to_string(kMaxKeyBytes) + " bytes";
}

}  // namespace crivo::input
