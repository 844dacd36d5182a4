// SPDX-License-Identifier: Apache-2.0
/// What is wrong with the records of a collection.
#pragma once

#include <cstdint>
#include <string>

#include "crivo/build/extract.hpp"
#include "crivo/error.hpp"

namespace crivo::extract {

/// Counts what is wrong with one file and names it, or, where it is strict, throws it.
class FaultLog {
 public:
  FaultLog(std::string file, bool strict, ExtractSummary& summary)
      : file_(std::move(file)), strict_(strict), summary_(summary) {}

  /// A record that is not what its format asks for, at `offset` of the decompressed file. Throws
  /// Error(bad_input) where it is strict.
  /// `remedy` is as that of an Error.
  void bad_record(std::uint64_t offset, const std::string& problem,
                  const std::string& remedy = {}) {
    ++summary_.bad_records;
    note(text_of(offset, problem), remedy);
  }
  /// The file ends, or is damaged, at `offset`. Likewise.
  void cut_short(std::uint64_t offset, const std::string& problem) {
    ++summary_.cut_files;
    note(text_of(offset, problem), {});
  }

 private:
  std::string text_of(std::uint64_t offset, const std::string& problem) const {
    return file_ + ": byte " + std::to_string(offset) + ": " + problem;
  }
  void note(const std::string& text, const std::string& remedy) {
    constexpr std::size_t kMostNamed = 100;
    if (strict_) throw Error(ErrorKind::bad_input, text, {.remedy = remedy});
    if (summary_.warnings.size() < kMostNamed)
      summary_.warnings.push_back({.text = text, .remedy = remedy});
  }

  std::string file_;
  bool strict_;
  ExtractSummary& summary_;
};

}  // namespace crivo::extract
