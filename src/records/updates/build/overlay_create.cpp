// SPDX-License-Identifier: Apache-2.0
/// How an overlay comes to be: apart from its readers, as it writes a file.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "file/output_target.hpp"
#include "file/pending_file.hpp"
#include "records/updates/overlay.hpp"

namespace crivo::records {

void Overlay::create(const Place& place, const file::OutputTarget& target,
                     const file::OutputLock& lock, const base::FileDescriptor& like) {
  const base::Bytes record = CommitRecord{}.encode();
  const std::uint64_t check = XXH3_64bits(record.data(), record.size());
  LogSlot slot;
  slot.content_id = place.content_id;
  slot.record_begin = kLogFront + CommitHead::kBytes;
  slot.end = slot.record_begin + record.size();
  slot.record_check = check;
  const CommitHead head{0, slot.end - kLogFront, record.size(), check};
  file::PendingFile pending(target);
  pending.write_at(LogSlot::place(0), slot.encode());
  pending.write_at(kLogFront, head.encode(kLogFront));
  pending.write_at(slot.record_begin, record);
  pending.publish_in(lock, place.name);
  struct stat status {};
  const base::FileDescriptor made = open_to_change(place);
  if (::fstat(like.get(), &status) == 0) {
    file::keep_ownership(made.get(), status, place.path);
  }
}

}  // namespace crivo::records
