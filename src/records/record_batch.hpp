// SPDX-License-Identifier: Apache-2.0
/// Records in memory, with the hashes of their keys, and where they come from.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"

namespace crivo::records {

/// What becomes of a second record for a key. The order is that of the input.
enum class Duplicates {
  refuse,      ///< Error(bad_input)
  keep_first,  ///< the first record stays
  keep_last,   ///< the last one
  join,        ///< all, in their order, with a LF between each two
};

/// Some records, which are collected and then put in the order of their keys' hashes. Its memory
/// serves one filling after another.
class RecordBatch {
 public:
  void clear() noexcept;
  /// Copies a record. Of equal keys that with the lower `order` is the first.
  void add(Hash128 hash, std::uint64_t order, std::string_view key, std::string_view record);
  /// Sorts what was added since it was sorted last by hash, and leaves one record of each. Throws
  /// Error(bad_input) if two are equal that are to be refused, and for joined records over the
  /// limit.
  void sort(Duplicates duplicates);

  /// Of what was left when it was sorted, and was added since.
  std::size_t size() const noexcept { return sorted_.size(); }
  /// What it holds in memory, about.
  std::uint64_t bytes() const noexcept {
    return texts_.size() + records_.size() * (sizeof(Record) + sizeof(Place));
  }

  Hash128 hash(std::size_t i) const noexcept { return at(i).hash; }
  /// The key and the record behind it.
  std::string_view pair(std::size_t i) const noexcept {
    return text(at(i).begin, at(i).key_size + std::size_t{at(i).record_size});
  }
  /// Asks for what pair(i) and hash(i) will read.
  void prefetch(std::size_t i) const noexcept {
    const std::string_view bytes = pair(i).substr(0, 256);
    for (std::size_t line = 0; line < bytes.size(); line += 64)
      __builtin_prefetch(bytes.data() + line);
  }
  std::string_view key(std::size_t i) const noexcept { return text(at(i).begin, at(i).key_size); }
  std::string_view record(std::size_t i) const noexcept {
    return text(at(i).begin + at(i).key_size, at(i).record_size);
  }

 private:
  struct Record {
    Hash128 hash;
    std::uint64_t order;
    std::size_t begin;  ///< of the key in texts_; the record follows it
    std::uint32_t key_size;
    std::uint32_t record_size;
  };
  /// What is sorted: of most records it tells all.
  struct Place {
    std::uint64_t half;
    std::size_t record;
  };

  const Record& at(std::size_t i) const noexcept { return records_[sorted_[i].record]; }
  std::string_view text(std::size_t begin, std::size_t size) const noexcept {
    return base::as_text(base::ByteView(texts_).subspan(begin, size));
  }
  /// Makes one record of those in sorted_ from `begin` to before `end`; returns its number.
  std::size_t merge(std::size_t begin, std::size_t end, Duplicates duplicates);

  base::Bytes texts_;
  std::vector<Record> records_;
  std::vector<Place> sorted_;
  std::size_t sorted_size_ = 0;  ///< of them are sorted
};

/// Records that can be read by their keys' hashes, from any thread.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  /// It is read by 2^bits pieces, of the keys whose hash begins with these bits; by more of them it
  /// reads as much for each.
  virtual unsigned piece_bits() const noexcept = 0;
  /// Adds the records of piece `index` of 2^bits, those of equal keys among them. Throws
  /// Error(corrupt, io).
  virtual void read(unsigned bits, std::uint64_t index, RecordBatch& to) const = 0;
};

}  // namespace crivo::records
