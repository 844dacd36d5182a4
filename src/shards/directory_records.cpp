// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "shards/key_directory.hpp"

namespace crivo::index {

DirectoryRecords::DirectoryRecords(const std::vector<std::unique_ptr<const KeyFile>>& files)
    : files_(files) {
  for (const auto& file : files_) piece_bits_ = std::max(piece_bits_, file->table().piece_bits);
}

void DirectoryRecords::read(unsigned bits, std::uint64_t begin, std::uint64_t end,
                            records::RecordBatch& to) const {
  to.set_source(*this);
  for (std::size_t number = 0; number < files_.size(); ++number) {
    const KeyFile& file = *files_[number];
    const unsigned own_bits = file.table().piece_bits;
    const bool is_finer = bits > own_bits;
    const Pieces pieces = pieces_of(own_bits, bits, begin, end);
    for (std::uint64_t piece = pieces.begin; piece != pieces.end; ++piece) {
      if (file.table().counts[piece] == 0) continue;
      file.for_each_record(piece, [&](Hash128 hash, std::string_view key, std::string_view record,
                                      std::uint64_t place) {
        if (is_finer && !is_in(hash.hi, bits, begin, end)) return;
        if (record.size() < records::RecordEntry::kLeastFar) {
          to.add(hash, number, key, record);
        } else {
          to.add_far(hash, number, key, record.size(), {place, number});
        }
      });
    }
  }
}

void DirectoryRecords::append_far(const records::RecordEntry& entry, base::Bytes& to) const {
  const records::RecordEntry::Place place = entry.place();
  const base::ByteView record =
      base::as_bytes(files_[place.check]->record_at(place.at, entry.record_size()));
  to.insert(to.end(), record.begin(), record.end());
}

}  // namespace crivo::index
