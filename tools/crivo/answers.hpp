/// Keys read from files block by block, and answers to them as `query` and its like print them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/common.hpp"
#include "crivo/keys.hpp"

namespace crivo::cli {

/// bytes as the field `name` of a JSON object; what is not UTF-8 goes under NAME_hex.
void put_bytes(Json& row, const char* name, std::string_view bytes);

/// Writes a line per key, or the parts of one JSON object.
class AnswerWriter {
 public:
  AnswerWriter(bool json, char terminator);

  /// `answer` is absent where it is a null pointer. `is_text` tells a record from a number.
  void write(std::string_view key, const std::string_view* answer, bool is_text);
  void write_number(std::string_view key, std::uint64_t number);
  void flush() { out_.flush(); }
  void finish();

 private:
  bool json_;
  char terminator_;
  Output out_;
  std::uint64_t keys_ = 0;
  std::uint64_t absent_ = 0;
};

/// A block of keys in the order of the input. With records, units[i] is keys[i] with the delimiter
/// and the record after it; else it is the key.
struct KeyBlock {
  std::vector<std::string_view> keys;
  std::vector<std::string_view> units;
  bool last_for_now = false;  ///< whoever feeds a pipe may wait for the answers so far
};

/// Reads the keys of files, or of records with `records`, on one thread with a progress line called
/// `phase`.
void stream_keys(const std::vector<std::string>& paths, const KeyFormat& format, bool records,
                 const char* phase, const ReportOptions& reports,
                 const std::function<void(const KeyBlock&)>& visit);

}  // namespace crivo::cli
