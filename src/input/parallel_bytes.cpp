// SPDX-License-Identifier: Apache-2.0
#include "input/parallel_bytes.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "input/decoder.hpp"

namespace crivo::input {
namespace {

constexpr unsigned kMostThreads = 4;
/// The bytes of a range of the compressed file; ranges are as much longer as it takes to end where
/// a stream begins.
constexpr std::uint64_t kRangeBytes = std::uint64_t{1} << 20;
/// So far a begin of a stream is looked for before a file is taken for a single one.
constexpr std::uint64_t kMostSearched = std::uint64_t{64} << 20;
constexpr std::size_t kDecodedBytes = std::size_t{256} << 10;
/// The most pieces of a range that wait to be read.
constexpr std::size_t kMostWaiting = 8;

/// Some decoded bytes.
struct Decoded {
  std::vector<char> bytes;
  std::vector<std::size_t> starts;  ///< of them, where streams begin
};

/// The streams from `begin` to before `end`, and what has been decoded of them.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::deque<Decoded> waiting;
  bool ended = false;  ///< nothing more will come
  std::exception_ptr failure;
};

/// Ranges are decoded side by side, and read one after another. Where one turns out to have been
/// cut inside a stream, the file is read on by the caller alone.
class ParallelBytes final : public InputBytes {
 public:
  ParallelBytes(std::string path, unsigned threads)
      : path_(std::move(path)), file_(path_), most_ranges_(threads + 1) {
    try {
      for (unsigned i = 0; i != threads; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no more threads
      if (workers_.empty()) read_alone(0, 0);
    } catch (...) {
      stop();
      throw;
    }
  }
  ~ParallelBytes() override { stop(); }
  ParallelBytes(const ParallelBytes&) = delete;
  ParallelBytes& operator=(const ParallelBytes&) = delete;

  std::size_t read(std::span<char> room) override {
    while (!alone_) {
      if (position_ != at_hand_.bytes.size()) return take(room);
      if (!next_bytes()) return 0;
    }
    const std::size_t got = alone_->read(room);
    if (const auto start = alone_->stream_start()) stream_start_ = alone_from_ + *start;
    return got;
  }

  std::uint64_t consumed() const noexcept override { return consumed_; }
  std::optional<std::uint64_t> stream_start() const noexcept override { return stream_start_; }

 private:
  /// Reads some of what is at hand, up to the next stream.
  std::size_t take(std::span<char> room) {
    if (next_start_ != at_hand_.starts.size() && at_hand_.starts[next_start_] == position_) {
      stream_start_ = made_;
      ++next_start_;
    }
    const std::size_t end = next_start_ != at_hand_.starts.size() ? at_hand_.starts[next_start_]
                                                                  : at_hand_.bytes.size();
    const std::size_t count = std::min(room.size(), end - position_);
    std::memcpy(room.data(), at_hand_.bytes.data() + position_, count);
    position_ += count;
    made_ += count;
    return count;
  }

  /// Waits for more to be at hand: false at the end.
  bool next_bytes() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] {
        return ranges_.empty() ? all_taken_
                               : !ranges_.front()->waiting.empty() || ranges_.front()->ended;
      });
      if (ranges_.empty()) {
        if (failure_) std::rethrow_exception(failure_);
        return false;
      }
      const std::shared_ptr<Range> range = ranges_.front();
      if (!range->waiting.empty()) {
        at_hand_ = std::move(range->waiting.front());
        range->waiting.pop_front();
        position_ = next_start_ = 0;
        range_made_ += at_hand_.bytes.size();
        changed_.notify_all();
        return true;
      }
      if (range->failure) {
        lock.unlock();
        return go_on_behind(*range);
      }
      ranges_.pop_front();
      consumed_ = range->end;
      range_made_ = 0;
      changed_.notify_all();
    }
  }

  /// The reason that a range was not decoded.
  bool go_on_behind(const Range& range) {
    try {
      std::rethrow_exception(range.failure);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
    }
    read_alone(range.begin, range_made_);
    return true;
  }

  /// Goes on at the stream that begins at `begin`, behind the first bytes of it.
  void read_alone(std::uint64_t begin, std::uint64_t made) {
    stop();
    alone_ = open_range(file_, begin, UINT64_MAX);
    alone_from_ = made_ - made;
    std::array<char, 4096> room{};
    while (made != 0) {
      const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(made, room.size()));
      const std::size_t got = alone_->read(std::span(room).first(most));
      if (got == 0) break;
      made -= got;
    }
  }

  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    workers_.clear();
  }

  void work() {
    while (const std::shared_ptr<Range> range = take_range()) decode(*range);
  }

  /// The next range, where one is left.
  std::shared_ptr<Range> take_range() {
    const std::scoped_lock one_by_one(taking_);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || all_taken_ || ranges_.size() < most_ranges_; });
      if (stopped_ || all_taken_) return nullptr;
    }
    std::shared_ptr<Range> range;
    std::exception_ptr failure;
    try {
      range = std::make_shared<Range>();
      range->begin = next_begin_;
      range->end = next_stream(file_, Compression::gzip, next_begin_ + kRangeBytes);
      next_begin_ = range->end;
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::scoped_lock lock(mutex_);
      failure_ = failure;
      all_taken_ = failure || range->end == file_.size();
      if (!failure) ranges_.push_back(range);
    }
    changed_.notify_all();
    return failure ? nullptr : range;
  }

  void decode(Range& range) {
    std::exception_ptr failure;
    try {
      InputFile file(path_);
      const bool is_last = range.end >= file_.size();
      const auto bytes = open_range(file, range.begin, is_last ? UINT64_MAX : range.end);
      while (decode_some(*bytes, range)) continue;
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::scoped_lock lock(mutex_);
      range.failure = failure;
      range.ended = true;
    }
    changed_.notify_all();
  }

  /// False at the range's end, and where nobody reads any more. Throws what reading does, behind
  /// what came before.
  bool decode_some(InputBytes& bytes, Range& range) {
    Decoded some;
    some.bytes.resize(kDecodedBytes);
    std::size_t held = 0;
    std::size_t got = 0;
    std::exception_ptr failure;
    try {
      do {
        const auto before = bytes.stream_start();
        got = bytes.read(std::span(some.bytes).subspan(held));
        if (got != 0 && bytes.stream_start() != before) some.starts.push_back(held);
        held += got;
      } while (got != 0 && held != kDecodedBytes);
    } catch (...) {
      failure = std::current_exception();
    }
    some.bytes.resize(held);
    const bool goes_on = hand_over(std::move(some), range) && got != 0;
    if (failure) std::rethrow_exception(failure);
    return goes_on;
  }

  /// False where nobody reads any more.
  bool hand_over(Decoded some, Range& range) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || range.waiting.size() < kMostWaiting; });
      if (stopped_) return false;
      if (!some.bytes.empty()) range.waiting.push_back(std::move(some));
    }
    changed_.notify_all();
    return true;
  }

  std::string path_;
  InputFile file_;
  std::size_t most_ranges_;

  std::mutex taking_;  ///< of a range
  std::uint64_t next_begin_ = 0;

  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Range>> ranges_;  ///< not read to their ends, in order
  bool all_taken_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;  ///< to find the next range

  // The state of who reads.
  Decoded at_hand_;
  std::size_t position_ = 0;    ///< in what is at hand
  std::size_t next_start_ = 0;  ///< of its starts, not before the position
  std::uint64_t range_made_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t consumed_ = 0;
  std::optional<std::uint64_t> stream_start_;
  std::unique_ptr<InputBytes> alone_;
  std::uint64_t alone_from_ = 0;

  std::vector<std::jthread> workers_;
};

/// Whether a file is worth it. Of zstd, what is read before damage depends on the room that there
/// is, and a frame may need the dictionary in another: its frames are decoded one after another.
bool can_be_cut(const InputFile& file) {
  return file.is_regular() && file.size() > kRangeBytes &&
         compression_of(file) == Compression::gzip &&
         next_stream(file, Compression::gzip, kRangeBytes, kMostSearched) < file.size();
}

using namespace std::string_view_literals;

constexpr std::size_t kScanBytes = std::size_t{1} << 20;
/// So much decoded without damage is no accident.
constexpr std::uint64_t kTrialBytes = std::uint64_t{1} << 16;

/// Whether a stream begins at `at`, where its first bytes do.
bool decodes_from(const InputFile& file, Compression compression, std::uint64_t at) {
  const std::unique_ptr<Decoder> decoder =
      compression == Compression::gzip ? gzip_decoder() : zstd_decoder();
  decoder->begin_stream();
  std::vector<char> input(kTrialBytes);
  std::vector<char> output(kTrialBytes);
  std::uint64_t made = 0;
  while (made < kTrialBytes) {
    const std::size_t got = file.read_at(at, input);
    at += got;
    std::span<const char> rest = std::span<const char>(input).first(got);
    do {
      const DecodeStep step = decoder->decode(rest, output);
      if (step.damage != nullptr) return false;
      if (step.ended || step.memory_needed != 0) return true;
      rest = rest.subspan(step.taken);
      made += step.made;
      if (step.taken == 0 && step.made == 0) break;
    } while (made < kTrialBytes);
    if (got == 0) return true;  // cut short, which its reader will say
  }
  return true;
}

}  // namespace

OpenedBytes open_bytes(const std::string& path, InputFile& file, unsigned threads) {
  threads = std::min(base::thread_count(threads), kMostThreads);
  if (threads > 1 && can_be_cut(file))
    return {std::make_unique<ParallelBytes>(path, threads), Compression::gzip};
  return open_bytes(file);
}

std::uint64_t next_stream(const InputFile& file, Compression compression, std::uint64_t from,
                          std::uint64_t most) {
  const std::string_view magic =
      compression == Compression::gzip ? "\x1f\x8b\x08"sv : "\x28\xb5\x2f\xfd"sv;
  std::vector<char> room(kScanBytes);
  const std::uint64_t end = from + std::min(most, file.size() - std::min(from, file.size()));
  while (from < end) {
    const std::size_t got = file.read_at(from, room);
    const std::string_view bytes(room.data(), got);
    for (std::size_t at = bytes.find(magic); at != std::string_view::npos;
         at = bytes.find(magic, at + 1)) {
      if (decodes_from(file, compression, from + at)) return from + at;
    }
    if (got < room.size()) break;
    from += got - (magic.size() - 1);
  }
  return file.size();
}

}  // namespace crivo::input
