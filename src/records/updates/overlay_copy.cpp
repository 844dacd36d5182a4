// SPDX-License-Identifier: Apache-2.0
/// Copies of updates, for readers that cannot keep their pages.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "crivo/error.hpp"
#include "records/updates/overlay.hpp"

namespace crivo::records {

namespace {

/// A writer that commits all the time may write over what is being copied.
constexpr int kTries = 100;

/// The last transaction that the file names; 0 while a meta page is being written.
std::uint64_t last_transaction_of(const base::FileDescriptor& file) {
  try {
    return lmdb::TreeFile(file).last_meta().transaction;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    return 0;
  }
}

}  // namespace

void Overlay::make_copy() {
  for (int left = kTries;; --left) {
    const std::uint64_t last = last_transaction_of(file_);
    try {
      const lmdb::TreeFile file = open_overlay(file_);
      auto copy = std::make_unique<Copy>();
      const auto add = [&](std::uint64_t rank, const lmdb::LeafNode& node) {
        check_rank(rank);
        const std::uint64_t begin = copy->values.size();
        copy->entries.push_back({rank, begin});
        copy->values.resize(begin + node.size);
        file.read_value(node, std::span(copy->values).subspan(begin));
        if (!UpdateEntry::decode(base::ByteView(copy->values).subspan(begin), rank)) {
          throw Error(ErrorKind::corrupt,
                      "the update of rank " + std::to_string(rank) + " is damaged");
        }
      };
      const auto walked = walk_overlay(file, file.last_meta().transaction, add);
      if (!walked) lmdb::fail("its last transaction is in the wrong meta page");
      check_build(walked->state);
      copy->walked = *walked;
      for (const Copy::Entry& entry : copy->entries) mark(entry.rank);
      copy_ = std::move(copy);
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::corrupt) throw;
      if (last_transaction_of(file_) == last) fail_damaged(error.what());
      if (left == 1) {
        throw Error(ErrorKind::io, path_.string() + ": changes too often to be copied; try again");
      }
      ::usleep(1000);
    }
  }
}

base::ByteView Overlay::Copy::find(std::uint64_t rank) const noexcept {
  const auto entry = std::ranges::lower_bound(entries, rank, {}, &Entry::rank);
  if (entry == entries.end() || entry->rank != rank) return {};
  const auto next = entry + 1;
  const std::uint64_t end = next == entries.end() ? values.size() : next->begin;
  return base::ByteView(values).subspan(entry->begin, end - entry->begin);
}

bool Overlay::is_old_copy() const noexcept {
  if (!copy_) return false;
  try {
    return last_transaction_of(file_) != copy_->walked.transaction;
  } catch (const Error&) {
    return true;  // opening it anew will say why
  }
}

}  // namespace crivo::records
