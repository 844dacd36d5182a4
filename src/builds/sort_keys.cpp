// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>

#include "base/as_error.hpp"
#include "builds/build_frame.hpp"
#include "crivo/read_keys.hpp"
#include "crivo/sort.hpp"
#include "crivo/text.hpp"
#include "file/pending_file.hpp"
#include "input/stream_texts.hpp"
#include "stream/huge_memory.hpp"
#include "stream/sorted_pieces.hpp"

namespace crivo {
namespace {

using stream::TextStream;

constexpr std::size_t kMostDigits = 20;  // of a count
constexpr std::uint64_t kRepeatBytes = std::uint64_t{1} << 20;

BuildOptions build_options(const SortOptions& options) {
  return {.replace = options.replace, .resources = options.resources};
}

/// How a text is written.
class Form {
 public:
  Form(const KeyInput& input, const SortOptions& options)
      : counts_(options.count),
        once_(options.count || options.unique),
        hex_(options.hex),
        ends_(input.format.framing != KeyFormat::Framing::fixed),
        end_(options.null_output ? '\0' : '\n') {
    const KeyFormat& format = input.format;
    if (!ends_ && (options.count || options.null_output))
      throw Error(ErrorKind::usage,
                  "keys of fixed width are written one behind the other: "
                  "without counts, and with no byte between them");
    const bool ends_alike = format.framing == (options.null_output ? KeyFormat::Framing::null
                                                                   : KeyFormat::Framing::lines);
    may_hold_end_ = ends_ && !hex_ && (!ends_alike || format.hex || format.quotes);
  }

  /// Whether equal texts are written once.
  bool once() const noexcept { return once_; }
  /// The most bytes that so many texts take.
  std::uint64_t most_bytes(const TextStream::Size& size) const noexcept {
    return (hex_ ? 2 : 1) * size.bytes + size.texts * (1 + (counts_ ? 1 + kMostDigits : 0));
  }
  /// Writes a text to `to`, which has room for it, and returns its end.
  char* write(char* to, std::string_view shared, std::string_view rest, std::uint64_t times) const {
    char* const begin = to;
    to = put(put(to, shared), rest);
    if (may_hold_end_ && std::memchr(begin, end_, static_cast<std::size_t>(to - begin)) != nullptr)
      refuse({begin, to});
    if (counts_) {
      *to++ = '\t';
      to = std::to_chars(to, to + kMostDigits, times).ptr;
    }
    if (ends_) *to++ = end_;
    return to;
  }

 private:
  char* put(char* to, std::string_view text) const noexcept {
    if (!hex_) return to + text.copy(to, text.size());
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      *to++ = kDigits[byte >> 4];
      *to++ = kDigits[byte & 15];
    }
    return to;
  }
  [[noreturn]] void refuse(std::string_view key) const {
    throw Error(
        ErrorKind::bad_input,
        "the key " + quote(key) + " holds " +
            (end_ == '\n' ? "a line feed, which would end it" : "a NUL, which would end it"),
        {.remedy = end_ == '\n' ? "null_output" : ""});
  }

  bool counts_;
  bool once_;
  bool hex_;
  bool may_hold_end_ = false;
  bool ends_;  ///< by the byte `end_`
  char end_;
};

/// What a thread sorts a piece in, and writes it to.
struct Room {
  stream::SortedTexts texts;
  stream::HugeRoom<char> text;
  std::size_t bytes = 0;
  std::uint64_t written = 0;
};

/// Sorts and writes the pieces of a stream, one behind the other.
class SortedWriter {
 public:
  SortedWriter(const Form& form, file::PendingFile& file, const base::BuildContext& context,
               std::uint64_t memory_bytes)
      : form_(form), file_(file), context_(context), pieces_(context.threads, memory_bytes) {}

  void write(const TextStream& texts) {
    pieces_.for_each(
        texts,
        [&](const TextStream& some, std::size_t piece, Room& room) { form(some, piece, room); },
        [&](const TextStream& some, std::size_t piece, const Room& room) {
          append({room.text.held().data(), room.bytes});
          written_ += room.written;
          context_.progress.add(some.size(piece).texts);
        },
        [&](std::string_view text, std::uint64_t times) { write_repeated(text, times); });
  }

  std::uint64_t written() const noexcept { return written_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::uint64_t temp_bytes() const noexcept { return pieces_.temp_bytes(); }

 private:
  /// A piece as it is written.
  void form(const TextStream& texts, std::size_t piece, Room& room) const {
    room.text.take(form_.most_bytes(texts.size(piece)));
    room.written = 0;
    char* to = room.text.held().data();
    const stream::SortedTexts& all = room.texts;
    for (std::size_t i = 0; i != all.size();) {
      std::size_t past = i + 1;
      if (form_.once()) {
        while (past != all.size() && all.rest(past) == all.rest(i)) ++past;
      }
      to = form_.write(to, texts.shared(piece), all.rest(i), past - i);
      ++room.written;
      i = past;
    }
    room.bytes = static_cast<std::size_t>(to - room.text.held().data());
  }

  void write_repeated(std::string_view text, std::uint64_t times) {
    std::string one(form_.most_bytes({1, text.size()}), '\0');
    one.resize(static_cast<std::size_t>(form_.write(one.data(), text, {}, times) - one.data()));
    const std::uint64_t lines = form_.once() ? 1 : times;
    const std::uint64_t at_once = std::clamp<std::uint64_t>(kRepeatBytes / one.size(), 1, lines);
    std::string some;
    for (std::uint64_t i = 0; i != at_once; ++i) some += one;
    for (std::uint64_t left = lines; left != 0;) {
      const std::uint64_t now = std::min(left, at_once);
      append(std::string_view(some).substr(0, now * one.size()));
      left -= now;
    }
    written_ += lines;
    context_.progress.add(times);
  }

  void append(std::string_view text) {
    file_.write_at(bytes_, base::as_bytes(text));
    bytes_ += text.size();
  }

  const Form& form_;
  file::PendingFile& file_;
  const base::BuildContext& context_;
  stream::SortedPieces<Room> pieces_;
  std::uint64_t written_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

SortSummary sort_keys(const KeyInput& input, const Output& output, const SortOptions& options) try {
  const auto begin = std::chrono::steady_clock::now();
  const BuildOptions build = build_options(options);
  index::BuildFrame frame(build);
  const Form form(input, options);
  const base::BuildContext context = frame.context();
  const Progress::Phase phases[] = {{"read", 1}, {"sort", 1.5}, {"write", 0.5}};
  context.progress.plan(phases);
  file::PendingFile file(frame.output_file(output, input));
  const std::uint64_t memory = frame.budget().stream_bytes();
  const input::ReadTexts read = input::stream_texts(input, {memory, frame.temp_dir()}, context);
  SortSummary summary;
  summary.keys = read.texts->texts();
  context.progress.begin("sort", summary.keys);
  SortedWriter writer(form, file, context, memory);
  writer.write(*read.texts);
  context.progress.begin("write", 0);
  summary.written = writer.written();
  summary.bytes = writer.bytes();
  summary.threads = frame.threads();
  summary.temp_bytes = read.texts->temp_bytes() + writer.temp_bytes();
  summary.warnings = read.warnings;
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
  const BuildOptions build = build_options(options);
  index::BuildFrame frame(build);
  const Form form(input, options);
  const base::BuildContext context = frame.context();
  const Progress::Phase phases[] = {{"read", 1}};
  context.progress.plan(phases);
  file::PendingFile file(frame.output_file(output, input));
  SortSummary summary;
  std::string some;
  read_keys(input, context.progress, [&](const KeyBlock& block) {
    for (const std::string_view key : block.keys) {
      const std::size_t held = some.size();
      some.resize(held + form.most_bytes({1, key.size()}));
      const char* const end = form.write(some.data() + held, key, {}, 1);
      some.resize(static_cast<std::size_t>(end - some.data()));
    }
    file.write_at(summary.bytes, base::as_bytes(some));
    summary.bytes += some.size();
    summary.keys += block.keys.size();
    some.clear();
  });
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
