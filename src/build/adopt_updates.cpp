// SPDX-License-Identifier: Apache-2.0
#include "build/adopt_updates.hpp"

#include <sys/file.h>

#include "crivo/error.hpp"
#include "lookup/store_files.hpp"

namespace crivo::index {

void adopt_updates(const file::OutputTarget& target) try {
  if (target.function() || !target.look()) return;
  const base::FileDescriptor directory = target.open();
  // As a reader does, which this does not keep from it.
  if (!directory.is_open() || ::flock(directory.get(), LOCK_SH | LOCK_NB) != 0) return;
  const StoreFiles files = StoreFiles::open(target.place(), file::Loading::mapped);
  if (files.updates && file::leads_to(target.parent(), target.name(), directory.get()))
    (void)files.updates->adopt_last_commit(
        records::Overlay::open_to_change(files.updates_in(directory)));
  ::flock(directory.get(), LOCK_UN);  // a child that was forked meanwhile has the descriptor, too
} catch (const Error&) {
}

}  // namespace crivo::index
