// SPDX-License-Identifier: Apache-2.0
#include "structures/tables/row_lists.hpp"

namespace crivo::tables {
namespace {

constexpr std::uint64_t kAlikeBytes = 24;

}  // namespace

RowLists::RowLists(const base::CheckedBytes& section) : pages_(section.checks) {
  base::FieldReader fields(section, "section of row lists");
  keys_ = fields.u64();
  places_ = fields.u64();
  width_ = fields.u8();
  signature_bits_ = fields.u8();
  fields.zeros(kRowListsHead - fields.position());
  if (width_ == 0 || width_ > kMostNumberBits) fields.fail("has numbers of 0 or over 56 bits");
  if (signature_bits_ != 8 && signature_bits_ != 16 && signature_bits_ != 32)
    fields.fail("has signatures of other than 8, 16 or 32 bits");
  if (places_ > kMostPlaces || keys_ > places_ || (keys_ == 0 && places_ != 0))
    fields.fail("has fewer places than keys, or too many");
  rows_ = fields.take(bits::padded_bytes(places_ * width_)).data();
  list_begins_ = bits::EliasFano(fields, places_);
  bucket_begins_ = bits::EliasFano(fields, keys_ + 1);
  if (list_begins_.size() != keys_ || bucket_begins_.size() != keys_)
    fields.fail("disagrees on the number of keys");
  signatures_ = fields.take(bits::padded_bytes(keys_ * signature_bits_)).data();
  alike_count_ = fields.u64();
  if (alike_count_ > keys_) fields.fail("has more keys that are alike than keys");
  alike_ = fields.take(alike_count_ * kAlikeBytes).data();
  fields.expect_end();
}

std::uint64_t RowLists::signature(std::uint64_t key) const noexcept {
  const std::uint64_t bit = key * signature_bits_;
  pages_.touch(signatures_ + bit / 8, 8);
  return bits::load_bits(signatures_, bit, signature_bits_);
}

std::uint64_t RowLists::find_alike(Hash128 hash) const noexcept {
  std::uint64_t begin = 0;
  for (std::uint64_t end = alike_count_; begin < end;) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    const std::byte* const at = alike_ + middle * kAlikeBytes;
    pages_.touch(at, kAlikeBytes);
    const Hash128 found{base::load_le<std::uint64_t>(at), base::load_le<std::uint64_t>(at + 8)};
    if (found == hash) return base::load_le<std::uint64_t>(at + 16);
    if (found < hash) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return keys_;
}

RowLists::Places RowLists::find(Hash128 hash) const noexcept {
  if (keys_ == 0) return {};
  const KeyMark mark(hash, keys_, signature_bits_);
  std::uint64_t key = bucket_begins_[mark.bucket];
  const std::uint64_t last = mark.bucket + 1 < keys_ ? bucket_begins_[mark.bucket + 1] : keys_;
  for (std::uint64_t end = last; key < end;) {  // hostile bytes may put many into a bucket
    const std::uint64_t middle = key + (end - key) / 2;
    if (signature(middle) < mark.signature) {
      key = middle + 1;
    } else {
      end = middle;
    }
  }
  if (key >= last || signature(key) != mark.signature) return {};
  if (key + 1 < last && signature(key + 1) == mark.signature) key = find_alike(hash);
  if (key >= last) return {};
  const Places all{list_begins_[key], key + 1 < keys_ ? list_begins_[key + 1] : places_};
  if (all.begin >= all.end) return {};
  const std::byte* const first = rows_ + all.begin * width_ / 8;
  pages_.touch(first, static_cast<std::uint64_t>(rows_ + (all.end * width_ + 7) / 8 - first));
  return all;
}

}  // namespace crivo::tables
