// SPDX-License-Identifier: Apache-2.0
/// A store that is being written: how its records are encoded, and its two files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "build/build_frame.hpp"
#include "build/run.hpp"
#include "crivo/build/build.hpp"
#include "file/container.hpp"
#include "file/metadata.hpp"
#include "file/output_target.hpp"
#include "file/pending_file.hpp"
#include "records/backend.hpp"
#include "records/build/backend_writer.hpp"
#include "records/build/encoding.hpp"
#include "records/build/record_batch.hpp"
#include "records/build/record_spool.hpp"
#include "records/codec.hpp"
#include "structures/build/mphf.hpp"

namespace crivo::index {

/// Their versions, those that this program runs with, for the metadata of a store with that backend
/// and codec.
file::Metadata libraries_of(const records::Backend& backend, const records::CodecHead& codec);

/// Throws Error(usage) for a codec that there is not, or a block out of bounds.
records::CodecRequest codec_request(const StoreOptions& store);

/// Whether the records lie in the order of their keys: where that is asked for, and where bytes
/// alone count, if the backend can.
bool is_ordered(const StoreOptions& store);

/// How a store is made of its records, wherever its parts are.
struct StorePlan {
  /// Throws Error(usage) for options that are unsound.
  explicit StorePlan(const StoreOptions& options);

  const mphf::Builder& algorithm;
  const records::Backend& backend;
  records::CodecRequest codec;
  unsigned signature_bits;  ///< of the function; 0 where the backend's slots refuse keys
};

/// Returns how records of equal keys are kept.
records::Duplicates duplicates_of(bool ignored, RepeatedRecords kept) noexcept;

/// The cells by which records are put in order, of so many bytes in all, which are in 2^piece_bits
/// pieces: so small that the entries of those in work fit in memory.
unsigned cell_bits_for(unsigned piece_bits, std::uint64_t records, std::uint64_t bytes) noexcept;

/// Returns the bytes of the frame's budget that builders of records may take.
std::uint64_t record_memory(const BuildFrame& frame) noexcept;
/// The same where the records are in this spool, which may have taken all else.
std::uint64_t record_memory(const BuildFrame& frame, const records::RecordSpool& spool) noexcept;

/// The files of a store, index and records.
class StoreOutput final : public OutputFiles {
 public:
  /// Throws Error(usage) for options that are unsound, Error(io). `held` is the lock of the target,
  /// if the caller has it, and outlives this.
  StoreOutput(const file::OutputTarget& target, const StoreOptions& options,
              const BuildFrame& frame, const file::OutputLock* held = nullptr);

  void finish(file::Header header, const file::Metadata& metadata) override;
  /// There is no name to give if the target is a function.
  BuildSummary publish(BuildFrame& frame, const file::Header& header,
                       const std::string& structure) override;

 private:
  file::ContainerWriter& begin_index(file::HashTree tree) override;
  void write_records(const Sources& sources, const WrittenFunction* function,
                     const file::Header& header, const base::BuildContext& context) override;
  void write_parts(RecordParts& records, const WrittenFunction& function,
                   const file::Header& header, const base::BuildContext& context);
  void write_in_order(RecordsInOrder& records, const file::Header& header,
                      const base::BuildContext& context);

  file::OutputTarget target_;
  const file::OutputLock* held_;
  const StoreOptions& options_;
  StorePlan plan_;
  std::filesystem::path temp_dir_;
  std::uint64_t memory_bytes_;
  file::PendingFile index_file_;
  file::PendingFile data_file_;
  std::unique_ptr<file::ContainerWriter> index_;
  file::HashTree tree_ = file::HashTree::sha256;
  records::FinishedRecords finished_;
  std::vector<records::CodecTrial> candidates_;  ///< of which the codec was chosen
  std::uint64_t temp_bytes_ = 0;                 ///< of records
  file::ContainerWriter::Written written_{};
};

}  // namespace crivo::index
