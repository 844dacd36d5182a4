// SPDX-License-Identifier: Apache-2.0
/// The output of dedup().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "build/build_frame.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/sort.hpp"
#include "file/pending_file.hpp"
#include "input/text_units.hpp"

namespace crivo::index {

/// Texts one behind the other, in a file that is being written or handed on as they come.
class DedupOutput {
 public:
  DedupOutput(file::OutputTarget target, bool paragraphs)
      : file_(std::in_place, std::move(target)), end_(end_of(paragraphs)) {}
  DedupOutput(Output::Write write, bool paragraphs)
      : write_(std::move(write)), end_(end_of(paragraphs)) {}

  void add(std::string_view text) {
    some_ += text;
    some_ += end_;
    if (some_.size() >= kAtOnce) hand_on();
  }
  /// No more texts have come by now: who waits for those that have gets them.
  void end_block() {
    if (write_) hand_on();
  }
  /// Hands on the rest, and gives the file its name. Returns the bytes of all.
  std::uint64_t publish(std::vector<Warning>& warnings) {
    hand_on();
    if (file_) file::add_warnings(warnings, file_->publish());
    return bytes_;
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 20;

  static std::string_view end_of(bool paragraphs) noexcept { return paragraphs ? "\n\n" : "\n"; }

  void hand_on() {
    if (some_.empty()) return;
    const base::ByteView bytes = base::as_bytes(some_);
    if (file_) {
      file_->write_at(bytes_, bytes);
    } else {
      write_(bytes);
    }
    bytes_ += bytes.size();
    some_.clear();
  }

  std::optional<file::PendingFile> file_;
  Output::Write write_;
  std::string_view end_;
  std::string some_;
  std::uint64_t bytes_ = 0;
};

inline input::TextUnit unit_of(const DedupOptions& options) noexcept {
  return options.paragraphs ? input::TextUnit::paragraph : input::TextUnit::line;
}

/// dedup() with DedupOptions::exact: sorts all texts with their numbers, keeps the first of equal
/// ones, and sorts these by their numbers. Within the frame's budget of memory; the rest is on
/// temporary disk.
void keep_first(const std::vector<std::string>& paths, const Output& output,
                const DedupOptions& options, BuildFrame& frame, DedupSummary& summary);

}  // namespace crivo::index
