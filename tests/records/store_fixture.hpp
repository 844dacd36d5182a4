// SPDX-License-Identifier: Apache-2.0
/// Records, and environments built of them, for the store's tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "crivo/error.hpp"
#include "records/backends/lmdb/build/environment_writer.hpp"
#include "records/backends/lmdb/environment.hpp"
#include "records/build/encoding.hpp"
#include "support/read_file.hpp"
#include "support/temp_directory.hpp"

namespace crivo::test {

/// A key and its record.
using Record = std::pair<std::string, std::string>;
using Records = std::vector<Record>;

inline std::string random_bytes(std::mt19937_64& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(&bytes[i], &word, std::min(size - i, sizeof word));
  }
  return bytes;
}

/// `prefix` and a number.
inline std::string numbered(std::string prefix, std::uint64_t number) {
  prefix += std::to_string(number);
  return prefix;
}

/// Records with distinct keys that compress well, some of them empty, some with NUL and LF.
inline Records text_records(std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  Records records;
  for (std::size_t i = 0; i < count; ++i) {
    std::string key = numbered("http://host", random() % 50);
    key += numbered(".example/page/", i);
    std::string record;
    if (i % 17 != 0) {
      record = numbered(R"({"status":"ok","bytes":)", random() % 100000);
      record += R"(,"lang":"pl"})";
      if (i % 5 == 0) record += std::string("\0\n\t", 3);
      if (i % 97 == 0) record += std::string(random() % 6000, 'x') + random_bytes(random, 50);
    }
    records.emplace_back(std::move(key), std::move(record));
  }
  return records;
}

/// Records that do not compress, of `size` bytes each.
inline Records random_records(std::size_t count, std::size_t size) {
  std::mt19937_64 random(2);
  Records records;
  for (std::size_t i = 0; i < count; ++i) {
    records.emplace_back(numbered("key", i), random_bytes(random, size));
  }
  return records;
}

/// A request for a codec; zstd's blocks are of 2048 bytes.
inline records::CodecRequest codec(records::CodecId id) {
  return {.codec = id};
}

/// How such records are encoded where they come in this order.
inline records::RecordCoding coding_of(const Records& records, const records::CodecRequest& request,
                                       std::uint64_t all = 0) {
  records::RecordSample sample(request);
  for (const auto& [key, record] : records) {
    if (!sample.is_full()) sample.add(key, record);
  }
  return sample.coding(all == 0 ? records.size() : all);
}

inline records::FinishedEnvironment write_environment(const std::filesystem::path& directory,
                                                      const Records& records, unsigned threads = 1,
                                                      std::uint64_t seed = 0,
                                                      const records::CodecRequest& request = {}) {
  file::PendingFile file(file::OutputTarget::file(directory / "data.mdb", file::IfExists::refuse));
  records::EnvironmentWriter writer(file, seed);
  records::RecordEncoder encoder(
      coding_of(records, request), threads,
      [&](std::span<const records::EncodedUnit> units) { writer.add(units); });
  for (const auto& [key, record] : records) encoder.append({0, key, record});
  records::FinishedEnvironment finished = writer.finish(encoder.finish());
  (void)file.publish();
  return finished;
}

inline std::string file_bytes(const std::filesystem::path& path) {
  return text_of(path);
}

/// The kind of Error that `action` throws, and its message; fails the test if it throws none.
template <typename Action>
std::pair<ErrorKind, std::string> error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  ADD_FAILURE() << "no Error was thrown";
  return {ErrorKind::mismatch, ""};
}

}  // namespace crivo::test
