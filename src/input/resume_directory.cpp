// SPDX-License-Identifier: Apache-2.0
#include "input/resume_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "crivo/error.hpp"
#include "hashing/hash128.hpp"
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

std::optional<InputStamp> stamp_of(const std::string& path) {
  struct stat status {};
  errno = 0;
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  if (result != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return InputStamp{path, static_cast<std::uint64_t>(status.st_size),
                    status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

namespace {

constexpr std::string_view kMagic = "CRIVOJNL";
constexpr std::size_t kCheckBytes = sizeof(Hash128);
constexpr std::uint64_t kMostPartitions = std::uint64_t{1} << 13;
constexpr std::uint64_t kCheckSeed = 0;

void write_text(base::FieldWriter& w, std::string_view text) {
  w.u64(text.size()).bytes(base::as_bytes(text));
}

std::string read_text(base::FieldReader& r) {
  const std::uint64_t size = r.u64();
  return std::string(base::as_text(r.take(size)));
}

/// The length of a list whose entries take `least_bytes` each, so that a wrong one asks for no
/// memory.
std::uint64_t read_count(base::FieldReader& r, std::uint64_t least_bytes) {
  const std::uint64_t count = r.u64();
  if (count > r.remaining() / least_bytes) r.fail("a list is longer than the file");
  return count;
}

void check_partitions(const base::FieldReader& r, std::uint64_t partitions) {
  if (!std::has_single_bit(partitions) || partitions > kMostPartitions) {
    r.fail("an impossible number of partitions");
  }
}

stream::LoggedStream read_logged(base::FieldReader& r, std::uint32_t hashed_bytes) {
  stream::LoggedStream logged;
  logged.log_bytes = r.u64();
  logged.value_bits = r.u64();
  const std::uint64_t partitions = read_count(r, 2 * sizeof(std::uint64_t));
  check_partitions(r, partitions);
  logged.partitions.resize(partitions);
  for (auto& partition : logged.partitions) {
    partition.extents.resize(read_count(r, sizeof(stream::Extent)));
    for (stream::Extent& extent : partition.extents) {
      extent.offset = r.u64();
      extent.bytes = r.u64();
      if (extent.bytes > logged.log_bytes || extent.offset > logged.log_bytes - extent.bytes ||
          extent.bytes % hashed_bytes != 0) {
        r.fail("an extent that is not in the log");
      }
    }
    partition.check = r.u64();
  }
  return logged;
}

std::optional<stream::LoggedRuns> read_record_log(base::FieldReader& r) {
  stream::LoggedRuns records;
  records.pieces = r.u64();
  if (records.pieces == 0) return std::nullopt;
  check_partitions(r, records.pieces);
  records.salt = r.u64();
  records.log_bytes = r.u64();
  records.runs.resize(read_count(r, sizeof(stream::LoggedRuns::Run)));
  for (auto& run : records.runs) {
    run.offset = r.u64();
    run.bytes = r.u64();
    if (!records.has(run)) r.fail("a run that is not in the log of records");
  }
  return records;
}

void write_record_log(base::FieldWriter& w, const std::optional<stream::LoggedRuns>& records) {
  w.u64(records ? records->pieces : 0);
  if (!records) return;
  w.u64(records->salt).u64(records->log_bytes).u64(records->runs.size());
  for (const auto& run : records->runs) w.u64(run.offset).u64(run.bytes);
}

}  // namespace

base::Bytes encode(const BuildJournal& journal) {
  base::FieldWriter w;
  w.bytes(base::as_bytes(kMagic));
  write_text(w, journal.choices);
  w.u64(journal.inputs.size());
  for (const InputStamp& input : journal.inputs) {
    write_text(w, input.name);
    w.u64(input.size).u64(static_cast<std::uint64_t>(input.changed));
  }
  w.u64(journal.seed).u32(journal.hashed_bytes).u64(journal.part_bytes).u64(journal.parts);
  w.u64(journal.logged.log_bytes).u64(journal.logged.value_bits);
  w.u64(journal.logged.partitions.size());
  for (const auto& partition : journal.logged.partitions) {
    w.u64(partition.extents.size());
    for (const stream::Extent& extent : partition.extents) w.u64(extent.offset).u64(extent.bytes);
    w.u64(partition.check);
  }
  w.u64(journal.units.size());
  for (const auto& file : journal.units) {
    w.u64(file.size());
    for (const std::uint64_t units : file) w.u64(units);
  }
  w.u64(journal.signs.size());
  for (const std::uint8_t sign : journal.signs) w.u8(sign);
  write_record_log(w, journal.records);
  w.u64(journal.names.size()).bytes(journal.names);
  const Hash128 check = hash_key(base::as_text(w.view()), kCheckSeed);
  w.u64(check.hi).u64(check.lo);
  return w.take();
}

BuildJournal decode_journal(base::ByteView bytes, std::string_view name) {
  const std::string what = std::string(name) + ": is damaged";
  base::FieldReader whole(bytes, what);
  if (bytes.size() < kMagic.size() + kCheckBytes) whole.fail("too short");
  const base::ByteView checked = whole.take(bytes.size() - kCheckBytes);
  const Hash128 check = hash_key(base::as_text(checked), kCheckSeed);
  const std::uint64_t hi = whole.u64();
  if (hi != check.hi || whole.u64() != check.lo) whole.fail("its checksum does not match");

  base::FieldReader r(checked, what);
  if (base::as_text(r.take(kMagic.size())) != kMagic) r.fail("it is not the journal of a build");
  BuildJournal journal;
  journal.choices = read_text(r);
  journal.inputs.resize(read_count(r, 3 * sizeof(std::uint64_t)));
  for (InputStamp& input : journal.inputs) {
    input.name = read_text(r);
    input.size = r.u64();
    input.changed = static_cast<std::int64_t>(r.u64());
  }
  journal.seed = r.u64();
  journal.hashed_bytes = r.u32();
  if (journal.hashed_bytes == 0) r.fail("hashed keys without a size");
  journal.part_bytes = r.u64();
  journal.parts = r.u64();
  journal.logged = read_logged(r, journal.hashed_bytes);
  journal.units.resize(read_count(r, sizeof(std::uint64_t)));
  for (auto& file : journal.units) {
    file.resize(read_count(r, sizeof(std::uint64_t)));
    for (std::uint64_t& units : file) units = r.u64();
  }
  if (!journal.units.empty() && journal.units.size() != journal.inputs.size()) {
    r.fail("units of another number of files");
  }
  journal.signs.resize(read_count(r, 1));
  for (std::uint8_t& sign : journal.signs) sign = r.u8();
  if (journal.signs.size() != journal.inputs.size()) r.fail("signs of another number of files");
  journal.records = read_record_log(r);
  const base::ByteView names = r.take(read_count(r, 1));
  journal.names.assign(names.begin(), names.end());
  r.expect_end();
  return journal;
}

}  // namespace crivo::input
