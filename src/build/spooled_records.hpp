// SPDX-License-Identifier: Apache-2.0
/// The records of an input, as a build reads them.
#pragma once

#include <bit>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "build/build_frame.hpp"
#include "input/record_taker.hpp"
#include "input/sources.hpp"
#include "records/build/record_spool.hpp"

namespace crivo::index {

/// Puts them in a spool, a new one for each pass over the input; long ones of plain files stay
/// there, and are read again.
class SpooledRecords final : public input::RecordTaker {
 public:
  /// `frame` is prepared, and outlives this. `log_name` is of the spool's file, where it is to
  /// outlive the process: then it has all of them. `paths` are the input's files.
  explicit SpooledRecords(const BuildFrame& frame, std::filesystem::path log_name = {},
                          std::span<const std::string> paths = {});

  void begin() override;
  void take(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
            std::string_view record, const input::InputPlace& in_input) override {
    if (in_input.file < files_.size()) {
      spool_->add_from_input(thread, hash, order, key, record, in_input.file, in_input.offset);
    } else {
      spool_->add(thread, hash, order, key, record);
    }
  }
  stream::LoggedRuns log_all() override { return spool_->log_all(); }
  void go_on_from(const stream::LoggedRuns& logged) override;

  /// Those of the last pass, all of which were taken. Once for each; throws Error(io).
  const records::RecordSpool& finish(const base::BuildContext& context) {
    spool_->finish(context.threads);
    return *spool_;
  }

 private:
  void make_spool(unsigned bits);

  const BuildFrame& frame_;
  std::filesystem::path log_name_;
  std::vector<records::InputText> files_;  ///< of which records are read again
  std::unique_ptr<records::RecordSpool> spool_;
};

inline SpooledRecords::SpooledRecords(const BuildFrame& frame, std::filesystem::path log_name,
                                      std::span<const std::string> paths)
    : frame_(frame), log_name_(std::move(log_name)) {
  if (!log_name_.empty() || paths.size() > records::RecordSpool::kMostFiles) return;
  for (const std::string& path : paths) {
    if (path == "-" || !input::is_regular_file(path)) break;
    files_.push_back({path, base::FileDescriptor::open_to_read(path)});
  }
}

inline void SpooledRecords::make_spool(unsigned bits) {
  spool_ =
      std::make_unique<records::RecordSpool>(frame_.temp_dir(), bits, frame_.memory().threads(),
                                             frame_.memory().spool_bytes(), log_name_, files_);
}

inline void SpooledRecords::begin() {
  make_spool(frame_.memory().spool_bits());
}

inline void SpooledRecords::go_on_from(const stream::LoggedRuns& logged) {
  make_spool(static_cast<unsigned>(std::countr_zero(logged.pieces)));
  spool_->go_on_from(logged);
}

}  // namespace crivo::index
