// SPDX-License-Identifier: Apache-2.0
/// A store that is being written: how its records are encoded, and its two files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "builds/build_frame.hpp"
#include "crivo/build.hpp"
#include "file/container.hpp"
#include "file/output_target.hpp"
#include "file/pending_file.hpp"
#include "records/backend.hpp"
#include "records/part_body.hpp"
#include "records/rank_table.hpp"
#include "records/record_batch.hpp"
#include "records/record_sample.hpp"
#include "records/record_spool.hpp"
#include "records/stray_records.hpp"
#include "structures/mphf.hpp"

namespace crivo::index {

/// How a store is made of its records, wherever its parts are.
struct StorePlan {
  /// Throws Error(usage) for options that are unsound.
  explicit StorePlan(const StoreOptions& options);

  const mphf::Algorithm& algorithm;
  const records::Backend& backend;
  records::CodecRequest codec;
  unsigned signature_bits;  ///< of the function; 0 where the backend's slots refuse keys
};

/// What becomes of equal keys' records.
records::Duplicates duplicates_of(bool ignored, RepeatedRecords kept) noexcept;

/// The cells by which records are put in order, of so many bytes in all, which are in 2^piece_bits
/// pieces: so small that those in work fit in memory.
unsigned cell_bits_for(unsigned piece_bits, std::uint64_t bytes) noexcept;

/// What builders of records may take of the frame's budget.
std::uint64_t record_memory(const BuildFrame& frame) noexcept;
/// The same where the records are in this spool, which may have taken all else.
std::uint64_t record_memory(const BuildFrame& frame, const records::RecordSpool& spool) noexcept;

/// The files of a store, index and records.
class StoreOutput {
 public:
  StoreOutput(const file::OutputTarget& target, const StoreOptions& options, const StorePlan& plan);

  /// Begins the index, again if it was begun before: the caller writes the function's sections.
  file::ContainerWriter& begin();

  /// Calls use(entry) for those of the parts, in order, and shows the progress; returns the bytes
  /// of their longest unit, raw.
  using UseEntry = std::function<void(const records::PartEntry& entry)>;
  using ForEachEntry = std::function<std::uint64_t(const UseEntry& use)>;
  /// Writes the records: those of the parts, and the strays, of which all were added, at all other
  /// ranks. `header` has the number of keys and the seed; its content id is
  /// set. Throws Error(bad_input) if there are not as many records as keys, and what the files
  /// throw.
  void write_records(const records::RecordCoding& coding, const ForEachEntry& for_each_entry,
                     records::StrayRecords& strays, const base::BuildContext& context,
                     file::Header& header);
  /// Ends the index.
  void finish(const file::Header& header, const file::Metadata& metadata);
  /// Gives the store its name, if the target has one. Call last.
  BuildSummary publish(BuildFrame& frame, const file::Header& header, std::uint64_t temp_bytes);

 private:
  file::OutputTarget target_;
  const StoreOptions& options_;
  const StorePlan& plan_;
  file::PendingFile index_file_;
  file::PendingFile data_file_;
  std::unique_ptr<file::ContainerWriter> index_;
  records::FinishedRecords finished_;
  file::ContainerWriter::Written written_{};
};

}  // namespace crivo::index
