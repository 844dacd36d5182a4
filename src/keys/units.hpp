/// Takes a chunk apart into its keys, or its keys with their records.
#pragma once

#include <cstring>
#include <functional>
#include <string_view>

#include "crivo/keys.hpp"
#include "keys/chunk_reader.hpp"
#include "keys/input_fault.hpp"

namespace crivo::keys {

/// The place of unit `index` of a chunk, which begins `offset` bytes into it.
inline Place place_in(const Chunk& chunk, std::uint64_t index, std::size_t offset) noexcept {
  const std::uint64_t line =
      chunk.start.line == kUnknownLine ? kUnknownLine : chunk.start.line + index;
  return {chunk.start.file, chunk.start.offset + offset, line};
}

/// Throws InputFault unless `key` keeps to the limits.
inline void check_key(std::string_view key, const KeyFormat& format, const Chunk& chunk,
                      std::uint64_t index, std::size_t offset) {
  if (key.empty() && !format.allow_empty) {
    throw InputFault(place_in(chunk, index, offset),
                     "the key is empty; remove the line, or allow it with --allow-empty");
  }
  if (key.size() > kMaxKeyBytes) {
    throw InputFault(place_in(chunk, index, offset),
                     "the key is longer than the limit of " + std::to_string(kMaxKeyBytes) + " bytes");
  }
}

/// Calls visit(key, index, offset) for each key of the chunk in order: `index` counts from 0, `offset`
/// is the key's place in chunk.bytes. Throws InputFault at a key that is empty (unless allowed) or
/// longer than kMaxKeyBytes.
template <typename Visit>
void for_each_key(const Chunk& chunk, const KeyFormat& format, Visit&& visit) {
  const std::string_view bytes(chunk.bytes.data(), chunk.bytes.size());
  if (format.framing == KeyFormat::Framing::fixed) {
    for (std::uint64_t i = 0; i < bytes.size() / format.width; ++i) {
      visit(bytes.substr(i * format.width, format.width), i, i * format.width);
    }
    return;
  }
  const bool lines = format.framing == KeyFormat::Framing::lines;
  const char delimiter = lines ? '\n' : '\0';
  std::uint64_t index = 0;
  for (std::size_t begin = 0; begin < bytes.size(); ++index) {
    const void* at = std::memchr(bytes.data() + begin, delimiter, bytes.size() - begin);
    const std::size_t end =
        at == nullptr ? bytes.size()
                      : static_cast<std::size_t>(static_cast<const char*>(at) - bytes.data());
    std::string_view key = bytes.substr(begin, end - begin);
    if (lines && format.strip_cr && !key.empty() && key.back() == '\r') key.remove_suffix(1);
    check_key(key, format, chunk, index, begin);
    visit(key, index, begin);
    begin = end + 1;
  }
}

/// Calls visit(key, record, index, offset) for each pair of the chunk in order: key TAB record lines,
/// where the record is all after the first TAB, or key NUL record NUL. Throws InputFault at a line
/// without TAB, a key without record, or one over the limits.
template <typename Visit>
void for_each_record(const Chunk& chunk, const KeyFormat& format, Visit&& visit) {
  const std::string_view bytes(chunk.bytes.data(), chunk.bytes.size());
  const bool lines = format.framing == KeyFormat::Framing::lines;
  const auto find = [&](char delimiter, std::size_t from) {
    const std::size_t at = bytes.find(delimiter, from);
    return at == std::string_view::npos ? bytes.size() : at;
  };
  std::uint64_t index = 0;
  for (std::size_t begin = 0; begin < bytes.size(); ++index) {
    std::size_t key_end = 0;
    std::size_t end = 0;
    if (lines) {
      end = find('\n', begin);
      key_end = bytes.substr(0, end).find('\t', begin);
      if (key_end == std::string_view::npos) {
        throw InputFault(place_in(chunk, index, begin),
                         "no TAB between a key and its record; each line must be key<TAB>record");
      }
    } else {
      key_end = find('\0', begin);
      if (key_end == bytes.size()) {
        throw InputFault(place_in(chunk, index, begin),
                         "the last key has no record; the input must be key NUL record NUL");
      }
      end = find('\0', key_end + 1);
    }
    const std::string_view key = bytes.substr(begin, key_end - begin);
    std::string_view record = bytes.substr(key_end + 1, end - key_end - 1);
    if (lines && format.strip_cr && !record.empty() && record.back() == '\r') {
      record.remove_suffix(1);
    }
    check_key(key, format, chunk, index, begin);
    if (record.size() > kMaxRecordBytes) {
      throw InputFault(place_in(chunk, index, begin), "the record is longer than the limit of " +
                                                          std::to_string(kMaxRecordBytes) + " bytes");
    }
    visit(key, record, index, begin);
    begin = end + 1;
  }
}

/// Takes the keys of a chunk, for a caller that need not know whether records stand between them.
using VisitKey = std::function<void(std::string_view key, std::uint64_t index, std::size_t offset)>;
using ParseKeys = std::function<void(const Chunk& chunk, const VisitKey& visit)>;

}  // namespace crivo::keys
