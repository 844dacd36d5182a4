// SPDX-License-Identifier: Apache-2.0
/// The parts that the applications share: a filter's options, input and output, and index files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "crivo/build/options.hpp"
#include "options/program.hpp"

namespace crivo::apps {

/// --type and --fpr, of a filter to be built.
void add_filter_options(options::Command& command, FilterOptions& filter);

/// A file, or standard input for "-", read in order.
class Input {
 public:
  /// Throws Error(io).
  explicit Input(const std::string& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// The path, or "(standard input)".
  const std::string& name() const noexcept { return name_; }
  /// Fills the buffer; less only at the end. Throws Error(io).
  std::size_t read(std::span<char> buffer);

 private:
  std::string name_;
  int descriptor_;
};

/// An input's lines, without their LF, from number 1.
class Lines {
 public:
  explicit Lines(const std::string& path) : input_(path) {}

  /// Makes `line` the next line, valid until the next call; false at the end. Throws Error(io).
  bool next(std::string_view& line);
  /// "FILE:LINE" of that line.
  std::string place() const { return input_.name() + ":" + std::to_string(number_); }
  std::size_t number() const noexcept { return number_; }
  /// Whether an LF ended it; only the last may lack one.
  bool has_end() const noexcept { return has_end_; }

 private:
  Input input_;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of what is not yet given out
  std::size_t number_ = 0;
  bool at_end_ = false;
  bool has_end_ = false;
};

/// Standard output, buffered.
class Output {
 public:
  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  /// Hands everything on; call it last. Throws Error(io).
  void flush();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
  std::string buffer_;
};

/// Makes a directory whole: calls `fill` with an empty one beside it, which then takes its name or,
/// if anything fails, is removed. Throws Error(usage) if `path` exists, io, and what `fill` does.
void make_directory(const std::filesystem::path& path,
                    const std::function<void(const std::filesystem::path&)>& fill);

/// Makes a file of `bytes`, whole or not at all. Throws Error(usage) if `path` exists, io.
void make_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace crivo::apps
