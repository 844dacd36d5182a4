// SPDX-License-Identifier: Apache-2.0
#include "records/backends/flat/build/slot_writer.hpp"

namespace crivo::records {

void SlotWriter::add_unit(std::uint16_t fingerprint, base::ByteView unit) {
  if (unit.size() <= kMostEntryBytes) {
    line_.add_unit(fingerprint, unit);
  } else {  // it goes before the entries of its line, so that none of it is kept here
    line_.add_reference(fingerprint, units_.size(), unit.size());
    units_.append(unit);
  }
  end_slot();
}

void SlotWriter::add_member(std::uint16_t fingerprint) {
  line_.add_member(fingerprint);
  end_slot();
}

void SlotWriter::finish() {
  if (!line_.empty()) close_line();
}

void SlotWriter::end_slot() {
  if (line_.full()) close_line();
}

void SlotWriter::close_line() {
  const std::uint64_t place = units_.size();
  units_.append(line_.entries());
  slots_.append(line_.finish(place));
}

}  // namespace crivo::records
