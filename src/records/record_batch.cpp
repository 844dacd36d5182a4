// SPDX-License-Identifier: Apache-2.0
#include "records/record_batch.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "crivo/error.hpp"
#include "records/limits.hpp"

namespace crivo::records {

void RecordBatch::clear() noexcept {
  texts_.clear();
  records_.clear();
  sorted_.clear();
  sorted_size_ = 0;
}

void RecordBatch::add(Hash128 hash, std::uint64_t order, std::string_view key,
                      std::string_view record) {
  sorted_.push_back({hash.hi, records_.size()});
  records_.push_back({hash, order, texts_.size(), static_cast<std::uint32_t>(key.size()),
                      static_cast<std::uint32_t>(record.size())});
  for (const base::ByteView text : {base::as_bytes(key), base::as_bytes(record)})
    texts_.insert(texts_.end(), text.begin(), text.end());
}

void RecordBatch::sort(Duplicates duplicates) {
  std::ranges::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_size_), sorted_.end(),
                    [this](const Place& a, const Place& b) {
                      if (a.half != b.half) return a.half < b.half;
                      const Record& first = records_[a.record];
                      const Record& second = records_[b.record];
                      return std::tie(first.hash.lo, first.order) <
                             std::tie(second.hash.lo, second.order);
                    });
  std::size_t kept = sorted_size_;
  for (std::size_t begin = kept, end = 0; begin < sorted_.size(); begin = end) {
    const Hash128 hash = at(begin).hash;
    for (end = begin + 1; end < sorted_.size() && sorted_[end].half == hash.hi;) {
      if (at(end).hash != hash) break;
      ++end;
    }
    const std::size_t record =
        end == begin + 1 ? sorted_[begin].record : merge(begin, end, duplicates);
    sorted_[kept++] = {hash.hi, record};
  }
  sorted_.resize(kept);
  sorted_size_ = kept;
}

std::size_t RecordBatch::merge(std::size_t begin, std::size_t end, Duplicates duplicates) {
  switch (duplicates) {
    case Duplicates::refuse:
      throw Error(ErrorKind::bad_input, "records " + std::to_string(at(begin).order) + " and " +
                                            std::to_string(at(begin + 1).order) +
                                            " have one hash: is their key the same?");
    case Duplicates::keep_first:
      return sorted_[begin].record;
    case Duplicates::keep_last:
      return sorted_[end - 1].record;
    case Duplicates::join:
      break;
  }
  std::string joined;
  for (std::size_t i = begin; i < end; ++i) {
    if (i != begin) joined += '\n';
    joined += record(i);
  }
  const std::string own_key(key(begin));
  check_limits(own_key, joined);
  Record all = at(begin);
  all.begin = texts_.size();
  all.record_size = static_cast<std::uint32_t>(joined.size());
  for (const std::string_view text : {std::string_view(own_key), std::string_view(joined)}) {
    const base::ByteView bytes = base::as_bytes(text);
    texts_.insert(texts_.end(), bytes.begin(), bytes.end());
  }
  records_.push_back(all);
  return records_.size() - 1;
}

}  // namespace crivo::records
