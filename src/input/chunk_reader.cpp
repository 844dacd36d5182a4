// SPDX-License-Identifier: Apache-2.0
#include "input/chunk_reader.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/memory.hpp"
#include "crivo/error.hpp"
#include "input/open_file.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

constexpr std::uint64_t kMaxSourceUnits = std::uint64_t{1} << 24;  // in a chunk

}  // namespace

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
  auto file = std::make_shared<OpenFile>(sources_, next_path_, framing_);
  const std::uint64_t begin = options_.part.begin_in(next_path_);
  const std::uint64_t end = options_.part.end_in(next_path_);
  if (!options_.in_order && is_cut_in_blocks(file->input, framing_)) {
    file->in_blocks = true;
    file->look_at_first_page();
    file->block_bytes = block_bytes_of(framing_);
    file->cut_only(begin, end);
  } else {
    file->cut_only(begin, end);
    const bool is_whole = begin == 0 && end == UINT64_MAX;
    OpenedBytes opened =
        is_whole ? open_bytes(file->input)
                 : open_streams(file->input, framing_.delimiter.value_or('\n'), begin, end);
    file->decoded = std::move(opened.bytes);
    file->compressed = opened.compression != Compression::none;
  }
  open_.push_back(std::move(file));
  ++next_path_;
}

/// The first file that a chunk can be cut from, which is the caller's until it is given back unless
/// it is cut in blocks; nothing at the end of all.
std::shared_ptr<OpenFile> ChunkReader::take_file(std::unique_lock<std::mutex>& lock) {
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

bool ChunkReader::may_have_more() const {
  const std::scoped_lock lock(mutex_);
  if (sources_.source) return !source_ended_;
  return next_path_ < end_path_ ||
         std::ranges::any_of(open_, [](const auto& file) { return !file->is_used_up(); });
}

void ChunkReader::end_before(std::size_t file) {
  const std::scoped_lock lock(mutex_);
  drop_from(file);
}

/// The next chunk of the source. One that has a size is cut under the lock, and written outside.
/// Who waits for the turn to have a long one keeps the lock, as who has the turn gives it back
/// without that: else each thread would have a chunk that waits.
bool ChunkReader::next_from_source(Chunk& chunk) {
  KeySource& source = *sources_.source;
  std::unique_lock lock(mutex_);
  if (source_ended_) return false;
  chunk.storage.clear();
  chunk.is_plain = false;
  KeyWriter writer(chunk.storage);
  chunk.ordinal = ordinal_;
  chunk.sequence = source_chunks_++;
  if (const auto size = source.size()) {
    const std::uint64_t begin = ordinal_;
    const std::uint64_t last = std::min(*size, begin + kMaxSourceUnits);
    std::uint64_t end = begin;
    std::uint64_t bytes = 0;
    // By twice as many keys each time, as long as they surely fit.
    for (std::uint64_t step = 1; end < last && bytes < kChunkBytes;) {
      step = std::min(step, last - end);
      bytes += source.bytes(end, end + step);
      end += step;
      const std::uint64_t of_each = bytes / (end - begin) + 1;
      const std::uint64_t left = kChunkBytes - std::min<std::uint64_t>(kChunkBytes, bytes);
      step = std::clamp<std::uint64_t>(left / (2 * of_each), 1, end - begin);
    }
    chunk.start = {0, begin << 28, begin};  // more than a chunk has bytes
    consumed_before_ += bytes;
    ordinal_ = end;
    source_ended_ = end == *size;
    if (bytes > kLongChunkBytes) chunk.turn = std::unique_lock(long_chunks_);
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
    if (chunk.storage.size() > kLongChunkBytes) chunk.turn = std::unique_lock(long_chunks_);
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

Place ChunkReader::in_file(const Place& place) const {
  const std::uint64_t begin = options_.part.begin_in(place.file);
  if (begin == 0 || place.line != kUnknownLine) return place;
  const InputFile file(sources_.paths[place.file]);
  if (is_cut_in_blocks(file, framing_) || !framing_.delimiter) return place;
  const std::uint64_t before =
      decoded_before(sources_.paths[place.file], *framing_.delimiter, begin);
  return {place.file, before + place.offset, kUnknownLine};
}

void ChunkReader::give_back(Chunk& chunk) {
  if (!chunk.turn) return;
  for (std::vector<char>* const room : {&chunk.storage, &chunk.decoded, &chunk.joined})
    base::free_memory(*room);
  chunk.turn.unlock();
  chunk.turn = {};
}

bool ChunkReader::next(Chunk& chunk) {
  give_back(chunk);
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
      chunk.is_plain = true;
      bool any = false;
      try {
        any = file->cut_block(block, chunk, long_chunks_);
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
      any = next_of_file(*file, chunk);
      // Meanwhile nobody reads on in the file. Who has no units goes on to another file, and would
      // wait for itself there, or for who waits for this turn.
      if (any && chunk.storage.size() > kLongChunkBytes)
        chunk.turn = std::unique_lock(long_chunks_);
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
    file->consumed = file->decoded->consumed();
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
  while (stopped_->decoded->read(room) != 0) continue;
}

/// The next chunk of a file that is read from front to back: false at its end.
bool ChunkReader::next_of_file(OpenFile& file, Chunk& chunk) {
  const std::optional<std::uint64_t> units = file.next(chunk, options_.eager);
  if (!units) return false;
  chunk.ordinal = options_.in_order ? ordinal_ : kUnknownLine;
  if (options_.in_order) ordinal_ += *units;  // no other file is open
  chunk.is_plain = !file.compressed && file.input.is_regular() && file.first_byte == 0;
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

}  // namespace crivo::input
