// SPDX-License-Identifier: Apache-2.0
#include "build/spooled_records.hpp"

#include <bit>
#include <utility>

namespace crivo::index {

SpooledRecords::SpooledRecords(const BuildFrame& frame, std::filesystem::path log_name)
    : frame_(frame), log_name_(std::move(log_name)) {}

void SpooledRecords::make_spool(unsigned bits) {
  spool_ = std::make_unique<records::RecordSpool>(
      frame_.temp_dir(), bits, frame_.memory().threads(), frame_.memory().spool_bytes(), log_name_);
}

void SpooledRecords::begin() {
  make_spool(frame_.memory().spool_bits());
}

void SpooledRecords::go_on_from(const stream::LoggedRuns& logged) {
  make_spool(static_cast<unsigned>(std::countr_zero(logged.pieces)));
  spool_->go_on_from(logged);
}

}  // namespace crivo::index
