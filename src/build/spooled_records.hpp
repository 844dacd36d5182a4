// SPDX-License-Identifier: Apache-2.0
/// The records of an input, as a build reads them.
#pragma once

#include <bit>
#include <filesystem>
#include <memory>
#include <utility>

#include "build/build_frame.hpp"
#include "input/record_taker.hpp"
#include "records/build/record_spool.hpp"

namespace crivo::index {

/// Puts them in a spool, a new one for each pass over the input.
class SpooledRecords final : public input::RecordTaker {
 public:
  /// `frame` is prepared, and outlives this. `log_name` is of the spool's file, where it is to
  /// outlive the process.
  explicit SpooledRecords(const BuildFrame& frame, std::filesystem::path log_name = {});

  void begin() override;
  void take(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
            std::string_view record) override {
    spool_->add(thread, hash, order, key, record);
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
  std::unique_ptr<records::RecordSpool> spool_;
};

inline SpooledRecords::SpooledRecords(const BuildFrame& frame, std::filesystem::path log_name)
    : frame_(frame), log_name_(std::move(log_name)) {}

inline void SpooledRecords::make_spool(unsigned bits) {
  spool_ = std::make_unique<records::RecordSpool>(
      frame_.temp_dir(), bits, frame_.memory().threads(), frame_.memory().spool_bytes(), log_name_);
}

inline void SpooledRecords::begin() {
  make_spool(frame_.memory().spool_bits());
}

inline void SpooledRecords::go_on_from(const stream::LoggedRuns& logged) {
  make_spool(static_cast<unsigned>(std::countr_zero(logged.pieces)));
  spool_->go_on_from(logged);
}

}  // namespace crivo::index
