// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/small_set.hpp"

#include <utility>

namespace crivo::ribbon {

SmallSet::SmallSet(const Header& header, const base::CheckedBytes& section)
    : rows_(header.part, header.seed, small_slots(header.n)), width_(header.width) {
  narrow_blocks_ = width_.narrow_blocks(rows_.starts());
  base::FieldReader fields(section, "ribbon section");
  fields.take(kHeaderBytes);
  const base::ByteView slots =
      fields.take_touched(layer_bytes(width_, small_slots(header.n), rows_.starts()));
  slots_ = slots.data();
  fields.zeros(kEndPadding);
  fields.expect_end();
  if (small_slots(header.n) < kBandBits) {
    // The kernels load all blocks of a row, of which the section has but the first.
    base::Bytes whole_row(slots.begin(), slots.end());
    whole_row.resize(std::size_t{kRowBlocks} * width_.bits + kEndPadding);
    whole_row_ = std::make_shared<const base::Bytes>(std::move(whole_row));
    slots_ = whole_row_->data();
  }
}

}  // namespace crivo::ribbon
