// SPDX-License-Identifier: Apache-2.0
/// How an overlay comes to be: apart from its readers, as it writes a file.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/ownership.hpp"
#include "file/pending_file.hpp"
#include "records/lmdb_appender.hpp"
#include "records/updates/overlay.hpp"

namespace crivo::records {

void Overlay::create(const Place& place, const file::OutputTarget& target,
                     const file::OutputLock& lock, const base::FileDescriptor& like) {
  file::PendingFile pending(target);
  UpdateState state;
  state.content_id = place.content_id;
  {
    LmdbAppender appender(pending);
    appender.append(kIdentityKey, state.encode());
    appender.finish();
  }
  // Of none that is there; and what open() took for none.
  ::unlinkat(place.directory.get(), place.lock_name().c_str(), 0);
  ::unlinkat(place.directory.get(), place.name.c_str(), 0);
  pending.publish_in(lock, place.name);
  struct stat status {};
  const base::FileDescriptor made(
      ::openat(place.directory.get(), place.name.c_str(), O_RDWR | O_CLOEXEC));
  if (made.is_open() && ::fstat(like.get(), &status) == 0) {
    file::keep_ownership(made.get(), status, place.path);
  }
}

}  // namespace crivo::records
