// SPDX-License-Identifier: Apache-2.0
#include "build/store_lock.hpp"

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "crivo/error.hpp"
#include "file/directory.hpp"
#include "file/names.hpp"
#include "lookup/store_files.hpp"

namespace crivo::index {

namespace {

const std::filesystem::path& refuse_manifest(const std::filesystem::path& path) {
  if (std::filesystem::is_regular_file(path) && is_store(path)) {
    throw Error(ErrorKind::usage,
                path.string() + ": a manifest cannot be changed; merge its parts first");
  }
  return path;
}

file::OutputTarget target_of(const std::filesystem::path& directory, Progress* progress) {
  auto target = file::OutputTarget::directory(refuse_manifest(directory), file::IfExists::replace,
                                              store_file_families());
  target.set_progress(progress);
  adopt_updates(target);
  return target;
}

}  // namespace

StoreLock::StoreLock(const std::filesystem::path& directory, Progress* progress)
    : target_(target_of(directory, progress)), lock_(target_) {
  if (!lock_.replaced()) {
    throw Error(ErrorKind::io, directory.string() + ": the store does not exist",
                {.file = directory.string(), .system_error = ENOENT});
  }
  directory_ = target_.open();
  file::remove_leftovers(target_);
}

/// Expressly: a child that was forked meanwhile has the descriptor, too.
StoreLock::~StoreLock() {
  ::flock(lock_.get(), LOCK_UN);
}

void StoreLock::remove_other_generations(const StoreFiles& files) const {
  const file::Directory here(target_.open(), target_.path());
  for (const std::string& name : here.names()) {
    const std::string family = file::family_of(name);
    const bool is_of_a_generation = family != name && file::is_member(name, target_.members());
    if (!is_of_a_generation || name == file::generation_name(family, files.index.digest()))
      continue;
    remove(name);
  }
}

void StoreLock::remove(const std::string& name) const {
  if (::unlinkat(directory_.get(), name.c_str(), 0) != 0 && errno != ENOENT)
    base::throw_file_error((target_.path() / name).string(), "cannot remove", errno);
}

StoreFiles StoreLock::open(const std::filesystem::path& path) const {
  // A key that a damaged index hides would be taken for a new one.
  StoreLoading loading = file::Loading::mapped;
  loading.checks_reads = true;
  StoreFiles files = StoreFiles::open(path, loading);
  remove_other_generations(files);
  if (files.updates) {
    (void)files.updates->adopt_last_commit(
        records::Overlay::open_to_change(files.updates_in(directory_)));
  }
  return files;
}

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
