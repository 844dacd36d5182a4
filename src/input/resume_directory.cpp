// SPDX-License-Identifier: Apache-2.0
#include "input/resume_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "crivo/error.hpp"
#include "input/chunk_reader.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

/// Throws Error(io) for a file that is not there, Error(usage) for one that cannot be read again.
InputStamp stamp_to_resume(const std::string& path) {
  if (auto stamp = stamp_of(path)) return *std::move(stamp);
  if (errno != 0) base::throw_system_error(path + ": cannot open", errno);
  throw Error(ErrorKind::usage,
              (path == "-" ? "(standard input)" : path) +
                  ": cannot be read twice, which a build that can be resumed needs; write the "
                  "keys to a file",
              {.remedy = "resume_dir"});
}

/// Makes the names that were given and taken away in an open directory durable.
void sync_names(const base::FileDescriptor& directory, const std::filesystem::path& path) {
  // Some file systems cannot flush a directory; those keep its order by themselves.
  if (::fsync(directory.get()) != 0 && errno != EINVAL)
    base::throw_system_error(path.string() + ": cannot make its names durable", errno);
}

/// The last half of the check that a journal ends with.
std::uint64_t check_of(base::ByteView journal) noexcept {
  return base::load_le<std::uint64_t>(journal.data() + journal.size() - sizeof(std::uint64_t));
}

/// All of a file; nothing if there is none.
std::optional<base::Bytes> read_whole(const std::filesystem::path& path) {
  if (!std::filesystem::exists(std::filesystem::symlink_status(path))) return std::nullopt;
  const auto file = base::FileDescriptor::open_to_read(path);
  base::Bytes bytes(file.size());
  if (!file.read_at(0, bytes)) {
    throw Error(ErrorKind::io, path.string() + ": shrank while it was read");
  }
  return bytes;
}

}  // namespace

ResumeDirectory::ResumeDirectory(std::filesystem::path directory,
                                 const std::vector<std::string>& paths, std::string choices,
                                 std::uint64_t part_bytes)
    : directory_(std::move(directory)), choices_(std::move(choices)), part_bytes_(part_bytes) {
  for (const std::string& path : paths) stamps_.push_back(stamp_to_resume(path));
  std::error_code error;
  std::filesystem::create_directory(directory_, error);
  lock_ = base::FileDescriptor(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_.is_open()) {
    const int failed = error ? error.value() : errno;
    base::throw_system_error(directory_.string() + ": cannot make or open the directory", failed);
  }
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Error(ErrorKind::io, directory_.string() + ": another build is using it");
  }
  const auto bytes = read_whole(journal_path());
  if (!bytes) {
    forget();
    return;
  }
  found_ = decode_journal(*bytes, journal_path().string());
  journal_check_ = check_of(*bytes);
  expect_same(*found_);
  part_bytes_ = found_->part_bytes;
}

void ResumeDirectory::expect_same(const BuildJournal& found) const {
  const auto refuse = [&](const std::string& how) {
    throw Error(ErrorKind::usage,
                directory_.string() + ": was started " + how +
                    "; run that build again, or remove the directory to start again");
  };
  if (found.choices != choices_) refuse("by a build with other options");
  if (found.inputs.size() != stamps_.size()) {
    refuse("with " + std::to_string(found.inputs.size()) + " inputs, not " +
           std::to_string(stamps_.size()));
  }
  for (std::size_t i = 0; i < stamps_.size(); ++i) {
    if (found.inputs[i].name != stamps_[i].name) {
      refuse("with the input " + found.inputs[i].name + ", not " + stamps_[i].name);
    }
    if (found.inputs[i] != stamps_[i]) {
      throw Error(ErrorKind::usage, input_name({stamps_[i].name}, 0) +
                                        ": has changed since the build in " + directory_.string() +
                                        " started; remove that directory to start again");
    }
  }
}

void ResumeDirectory::save(BuildJournal journal) {
  journal.choices = choices_;
  journal.inputs = stamps_;
  journal.part_bytes = part_bytes_;
  const base::Bytes bytes = encode(journal);
  const std::string path = journal_path().string();
  const std::string written = path + ".new";
  {
    const base::FileDescriptor file(
        ::open(written.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file.is_open()) base::throw_system_error(written + ": cannot write", errno);
    file.write_at(0, bytes);
    if (::fdatasync(file.get()) != 0) base::throw_system_error(written + ": cannot write", errno);
  }
  sync_names(lock_, directory_);  // the logs are there before what leads to them
  if (::rename(written.c_str(), path.c_str()) != 0) {
    base::throw_system_error(path + ": cannot replace", errno);
  }
  sync_names(lock_, directory_);
  journal_check_ = check_of(bytes);
}

void ResumeDirectory::forget() {
  found_.reset();
  const auto remove_name = [](const std::filesystem::path& path) {
    const bool removed = ::unlink(path.c_str()) == 0;
    if (!removed && errno != ENOENT) {
      base::throw_system_error(path.string() + ": cannot remove", errno);
    }
    return removed;
  };
  // The journal first: without it the logs are nothing, and with it they have to be there.
  if (remove_name(journal_path())) sync_names(lock_, directory_);
  for (const auto& path : {journal_path() += ".new", log(), record_log(), part_log()})
    remove_name(path);
}

void ResumeDirectory::remove() noexcept {
  try {
    forget();
  } catch (const std::exception&) {  // the next build finds a sound journal, or none
  }
  ::rmdir(directory_.c_str());
}

}  // namespace crivo::input
