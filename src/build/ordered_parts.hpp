// SPDX-License-Identifier: Apache-2.0
/// The records of an ordered store, sorted by their keys.
#pragma once

#include <memory>

#include "build/build_frame.hpp"
#include "build/run.hpp"
#include "records/build/record_spool.hpp"
#include "stream/text_stream.hpp"

namespace crivo::index {

/// Sorts the records when they are asked for.
class OrderedParts final : public RecordsInOrder {
 public:
  /// Copies what is in the spool, within the memory of `frame`, but for long records: if
  /// needs_spool(), it must outlive this. The hashes of the store's keys, of which there are so
  /// many, are those that `hash` makes. Throws
  /// Error(bad_input) for equal keys that are refused, Error(corrupt, io).
  OrderedParts(const records::RecordSpool& spool, records::Duplicates duplicates,
               records::RecordCoding coding, const hashing::SeededHash& hash, std::uint64_t keys,
               BuildFrame& frame);

  bool needs_spool() const noexcept { return spool_ != nullptr; }

  const records::RecordCoding& coding() const noexcept override { return coding_; }
  void for_each(const std::function<void(const records::HalvedRecord& record)>& use) override;
  std::uint64_t temp_bytes() const noexcept override { return temp_bytes_; }

 private:
  records::RecordCoding coding_;
  const hashing::SeededHash& hash_;
  base::BuildContext context_;
  std::uint64_t memory_bytes_;
  std::unique_ptr<stream::TextStream> texts_;
  const records::RecordSpool* spool_ = nullptr;  ///< if it is needed
  std::uint64_t temp_bytes_ = 0;
};

}  // namespace crivo::index
