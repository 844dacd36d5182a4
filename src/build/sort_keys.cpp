// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "base/memory.hpp"
#include "base/progress.hpp"
#include "build/build_frame.hpp"
#include "build/sorted_file.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/sort.hpp"
#include "crivo/error.hpp"
#include "file/pending_file.hpp"
#include "input/stream_texts.hpp"
#include "stream/number_parts.hpp"
#include "stream/sorted_pieces.hpp"

namespace crivo::index {

struct NumbersWritten {
  std::uint64_t keys = 0;     ///< read
  std::uint64_t written = 0;  ///< distinct ones, where equal keys are written once
  std::uint64_t temp_bytes = 0;
};

/// Reads the keys of `input` on this thread, and writes them in order to `file`, as `text` says:
/// what sort_keys() does for keys of any size, by a radix sort. Throws Error: bad_input (a key of
/// another size), io, cancelled.
NumbersWritten sort_numbers(const KeyInput& input, const KeyText& text, SortedFile& file,
                            std::uint64_t memory_bytes, const std::filesystem::path& temp_dir,
                            const base::BuildContext& context);

}  // namespace crivo::index

namespace crivo {
namespace {

using stream::TextStream;

BuildOptions build_options(const SortOptions& options) {
  return {.replace = options.replace, .resources = options.resources};
}

/// The room in which a thread sorts a piece, and the writer it goes to.
struct Room {
  stream::SortedTexts texts;
  base::HugeRoom<char> text;
  std::vector<std::uint32_t> sizes;  ///< of what is written, where they are wanted
  std::size_t bytes = 0;
  std::uint64_t written = 0;
};

/// Sorts and writes the pieces of a stream, one behind the other.
class SortedWriter {
 public:
  SortedWriter(const index::KeyText& form, index::SortedFile& file,
               const base::BuildContext& context, std::uint64_t memory_bytes)
      : form_(form), file_(file), context_(context), pieces_(context.threads, memory_bytes) {}

  void write(const TextStream& texts) {
    pieces_.for_each(
        texts,
        [&](const TextStream& some, std::size_t piece, Room& room) { form(some, piece, room); },
        [&](const TextStream& some, std::size_t piece, const Room& room) {
          file_.append({room.text.held().data(), room.bytes}, room.sizes);
          written_ += room.written;
          context_.progress.add(some.size(piece).texts);
        },
        [&](std::string_view text, std::uint64_t times) {
          written_ += file_.append_repeated(form_, text, times);
          context_.progress.add(times);
        });
  }

  std::uint64_t written() const noexcept { return written_; }
  std::uint64_t temp_bytes() const noexcept { return pieces_.temp_bytes(); }

 private:
  /// A piece as it is written.
  void form(const TextStream& texts, std::size_t piece, Room& room) const {
    room.text.take(form_.most_bytes(texts.size(piece)));
    room.written = 0;
    room.sizes.clear();
    char* to = room.text.held().data();
    const stream::SortedTexts& all = room.texts;
    for (std::size_t i = 0; i != all.size();) {
      std::size_t past = i + 1;
      if (form_.once()) {
        while (past != all.size() && all.rest(past) == all.rest(i)) ++past;
      }
      char* const begin = to;
      to = form_.write(to, texts.shared(piece), all.rest(i), past - i);
      if (form_.lists_sizes()) room.sizes.push_back(static_cast<std::uint32_t>(to - begin));
      ++room.written;
      i = past;
    }
    room.bytes = static_cast<std::size_t>(to - room.text.held().data());
  }

  const index::KeyText& form_;
  index::SortedFile& file_;
  const base::BuildContext& context_;
  stream::SortedPieces<Room> pieces_;
  std::uint64_t written_ = 0;
};

}  // namespace

SortSummary sort_keys(const KeyInput& input, const Output& output, const SortOptions& options) try {
  const auto begin = std::chrono::steady_clock::now();
  index::check_input(input, KindInput::keys, "a sort");
  const BuildOptions build = build_options(options);
  index::BuildFrame frame(build);
  const index::KeyText form(input, options);
  const base::BuildContext context = frame.context();
  const Progress::Phase phases[] = {{"read", 1}, {"sort", 1.5}, {"write", 0.5}};
  context.progress.plan(phases);
  file::PendingFile file(frame.outputs().file(output, input));
  const std::uint64_t memory = frame.memory().budget().stream_bytes();
  SortSummary summary;
  index::SortedFile keys(file, form.lists_sizes(), frame.temp_dir());
  if (options.numbers) {
    const auto all = index::sort_numbers(input, form, keys, memory, frame.temp_dir(), context);
    summary.keys = all.keys;
    summary.written = all.written;
    summary.temp_bytes = all.temp_bytes;
  } else {
    const input::ReadTexts read = input::stream_texts(input, {memory, frame.temp_dir()}, context);
    summary.keys = read.texts->texts();
    context.progress.begin("sort", summary.keys);
    SortedWriter writer(form, keys, context, memory);
    writer.write(*read.texts);
    summary.written = writer.written();
    summary.temp_bytes = read.texts->temp_bytes() + writer.temp_bytes();
    summary.warnings = read.warnings;
  }
  context.progress.begin("write", 0);
  summary.bytes = keys.finish();
  summary.threads = frame.memory().threads();
  summary.temp_bytes += keys.temp_bytes();
  file::add_warnings(summary.warnings, file.publish());
  context.progress.finish();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

SortSummary copy_keys(const KeyInput& input, const Output& output, const SortOptions& options) try {
  if (options.count || options.unique)
    throw Error(ErrorKind::usage, "keys are counted, or written once, where they are sorted");
  const auto begin = std::chrono::steady_clock::now();
  index::check_input(input, KindInput::keys, "a sort");
  const BuildOptions build = build_options(options);
  index::BuildFrame frame(build);
  const index::KeyText form(input, options);
  const base::BuildContext context = frame.context();
  const Progress::Phase phases[] = {{"read", 1}};
  context.progress.plan(phases);
  file::PendingFile file(frame.outputs().file(output, input));
  SortSummary summary;
  index::SortedFile keys(file, form.lists_sizes(), frame.temp_dir());
  std::string some;
  std::vector<std::uint32_t> sizes;
  read_keys(input, context.progress, [&](const KeyBlock& block) {
    for (const std::string_view key : block.keys) {
      const std::size_t held = some.size();
      some.resize(held + form.most_bytes({1, key.size()}));
      const char* const end = form.write(some.data() + held, key, {}, 1);
      some.resize(static_cast<std::size_t>(end - some.data()));
      if (form.lists_sizes()) sizes.push_back(static_cast<std::uint32_t>(some.size() - held));
    }
    keys.append(some, sizes);
    summary.keys += block.keys.size();
    some.clear();
    sizes.clear();
  });
  summary.bytes = keys.finish();
  summary.temp_bytes = keys.temp_bytes();
  summary.written = summary.keys;
  summary.threads = 1;
  file::add_warnings(summary.warnings, file.publish());
  context.progress.finish();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo

namespace crivo::index {
namespace {

constexpr std::size_t kNumberKeyBytes = sizeof(std::uint64_t);
constexpr unsigned kNumberBits = 64;

/// The number whose order is that of the key's bytes.
std::uint64_t number_of(std::string_view key) {
  if (key.size() != kNumberKeyBytes)
    throw Error(ErrorKind::bad_input, "a key of " + std::to_string(key.size()) + " bytes, not 8");
  return base::load_be<std::uint64_t>(key.data());
}

std::array<char, kNumberKeyBytes> key_of(std::uint64_t number) noexcept {
  std::array<char, kNumberKeyBytes> key{};
  base::store_be(key.data(), number);
  return key;
}

/// The room in which a thread sorts some numbers, and the writer they go to.
struct NumberRoom {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> spare;
  std::vector<char> text;
  std::size_t bytes = 0;
  std::vector<std::uint32_t> sizes;  ///< of what is written, where they are wanted
  std::uint64_t written = 0;
};

void write_numbers(const KeyText& text, NumberRoom& room) {
  const std::size_t count = room.numbers.size();
  const std::uint64_t most = text.most_bytes({count, count * kNumberKeyBytes});
  if (room.text.size() < most) room.text.resize(most);
  room.sizes.clear();
  room.written = 0;
  char* to = room.text.data();
  for (std::size_t i = 0; i != count;) {
    std::size_t past = i + 1;
    if (text.once()) {
      while (past != count && room.numbers[past] == room.numbers[i]) ++past;
    }
    const auto key = key_of(room.numbers[i]);
    char* const begin = to;
    to = text.write(to, {}, {key.data(), key.size()}, past - i);
    if (text.lists_sizes()) room.sizes.push_back(static_cast<std::uint32_t>(to - begin));
    ++room.written;
    i = past;
  }
  room.bytes = static_cast<std::size_t>(to - room.text.data());
}

}  // namespace

NumbersWritten sort_numbers(const KeyInput& input, const KeyText& text, SortedFile& file,
                            std::uint64_t memory_bytes, const std::filesystem::path& temp_dir,
                            const base::BuildContext& context) {
  base::Scratch scratch(temp_dir, memory_bytes / 2, context.progress);
  const auto parts = std::make_unique<stream::NumberParts>(kNumberBits, scratch);
  NumbersWritten all;
  read_keys(input, context.progress, [&](const KeyBlock& block) {
    for (const std::string_view key : block.keys) parts->add(number_of(key));
    all.keys += block.keys.size();
  });
  context.progress.begin("sort", all.keys);
  stream::SortedNumbers<NumberRoom> sorted(context.threads, memory_bytes, scratch);
  sorted.for_each(
      *parts, [&](NumberRoom& room) { write_numbers(text, room); },
      [&](const NumberRoom& room) {
        file.append({room.text.data(), room.bytes}, room.sizes);
        all.written += room.written;
        context.progress.add(room.numbers.size());
      },
      [&](std::uint64_t number, std::uint64_t times) {
        const auto key = key_of(number);
        const std::uint64_t written = file.append_repeated(text, {key.data(), key.size()}, times);
        all.written += written;
        context.progress.add(times);
      });
  all.temp_bytes = scratch.temp_bytes();
  return all;
}

}  // namespace crivo::index
