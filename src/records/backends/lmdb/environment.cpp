// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/environment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/file_descriptor.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "records/backends/lmdb/liblmdb.hpp"
#include "records/backends/lmdb/lmdb_tree.hpp"
#include "records/content_hash.hpp"

namespace crivo::records {

/// The bytes of `data`, which messages call `path`, in a file that lies in memory and has no name.
/// Throws Error(io) where there is no memory for it, or no /proc, by which alone LMDB can open it;
/// Error(corrupt) if the file is cut short meanwhile.
base::FileDescriptor copy_of(const base::FileDescriptor& data, const std::filesystem::path& path);

namespace {

/// So many ranks are checked at once on a thread.
constexpr std::uint64_t kRanksAtOnce = 8192;

bool is_same_file(int a, int b) {
  struct stat first {};
  struct stat second {};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino && first.st_size == second.st_size;
}

}  // namespace

Environment::Environment(const std::filesystem::path& directory, base::ByteView section,
                         base::ByteView codec)
    : Environment(base::FileDescriptor::open_to_read(directory / kDataFile), directory / kDataFile,
                  section, StoredCodec(codec), file::Loading::for_a_pass) {}

Environment::Environment(base::FileDescriptor data, std::filesystem::path path,
                         base::ByteView section, StoredCodec codec, file::Loading loading)
    : path_(std::move(path)),
      section_(EnvironmentSection::decode(section)),
      codec_(std::move(codec)),
      file_(file::copies(loading) ? copy_of(data, path_) : std::move(data)) {
  check_file();
  if (file::copies(loading)) check_bytes(nullptr);
  if (loading == file::Loading::preload || loading == file::Loading::lock) {
    resident_.emplace(file_, path_.string(), loading);
  }
  open_lmdb();
}

Environment::~Environment() {
  mdb_env_close(environment_);
}

void Environment::fail(std::string_view problem) const {
  throw Error(ErrorKind::corrupt, path_.string() + ": " + std::string(problem));
}

void Environment::check_file() const {
  const std::uint64_t size = file_.size();
  const std::string wrong_size = "is " + std::to_string(size) + " bytes long instead of " +
                                 std::to_string(section_.file_size) +
                                 ": cut short, damaged, or of another build than the index";
  TreeScan scan;
  try {
    file_.expect(base::FileDescriptor::Access::at_random);  // pages between those of groups
    scan = scan_tree(file_, section_.page_size);
    file_.expect(base::FileDescriptor::Access::in_order);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    fail(size == section_.file_size ? error.what() : wrong_size);
  }
  if (!scan.identity) fail("has no content id");
  if (scan.identity->version > kStoreVersion) {
    throw Error(ErrorKind::too_new, path_.string() + ": of a newer version; use a newer crivo");
  }
  // A sound file of another build is told by its id, whatever its size.
  if (scan.identity->content_id != section_.content_id) {
    fail("the index and the environment are of different builds");
  }
  if (size != section_.file_size) fail(wrong_size);
  const bool complete = section_.records == 0
                            ? !scan.last_rank
                            : scan.last_rank && *scan.last_rank == section_.records - 1;
  if (scan.structure_hash != section_.structure_hash || scan.groups != section_.groups ||
      scan.max_group != section_.max_group || !complete ||
      scan.identity->version != kStoreVersion || scan.identity->records != section_.records) {
    fail("its B+tree is damaged: a checksum does not fit");
  }
}

void Environment::check_bytes(base::Progress* progress) const {
  if (hash_file(file_, section_.file_size, progress) == section_.file_hash) return;
  // Where it is damaged the units tell, once there is an LMDB environment to read them.
  if (environment_ != nullptr && section_.records != 0) {
    (void)check_groups(0, section_.records, {});
  }
  fail("damaged: the checksum of the whole file is wrong" +
       std::string(environment_ != nullptr ? ", in bytes between the records" : ""));
}

void Environment::open_lmdb() {
  require_lmdb(path_);
  if (const int result = mdb_env_create(&environment_); result != 0)
    throw_lmdb_error(path_, result);
  try {
    // The map is exactly the file, not the room for growth that the builder had.
    int result = mdb_env_set_assert(environment_, leave_lmdb);
    if (result == 0) result = mdb_env_set_mapsize(environment_, section_.file_size);
    // NORDAHEAD: a lookup needs a page or two, not the megabyte around it.
    constexpr unsigned kFlags = MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS | MDB_NORDAHEAD;
    // In /proc the file has a name even where `path_` leads to another by now.
    const std::string name = base::name_in_proc(file_).value_or(path_.string());
    if (result == 0) result = mdb_env_open(environment_, name.c_str(), kFlags, 0);
    MDB_txn* transaction = nullptr;
    if (result == 0) result = mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction);
    if (result != 0) throw_lmdb_error(path_, result);
    result = mdb_dbi_open(transaction, nullptr, 0, &database_);  // sets how keys compare
    mdb_txn_abort(transaction);
    if (result != 0) throw_lmdb_error(path_, result);
    int fd = -1;
    mdb_env_get_fd(environment_, &fd);
    // LMDB must read the file that was checked, though it opens it by its name again.
    if (!is_same_file(fd, file_.get())) fail("was replaced while it was opened; try again");
  } catch (...) {
    mdb_env_close(environment_);
    throw;
  }
}

void Environment::fail_damaged(std::string_view what, std::uint64_t rank,
                               std::uint64_t inside) const {
  std::optional<std::uint64_t> begin;  // of the group that holds the rank
  (void)scan_tree(file_, section_.page_size, [&](std::uint64_t last_rank, std::uint64_t at) {
    if (!begin && last_rank >= rank) begin = at;
  });
  fail("damaged: the " + std::string(what) + " that begins with rank " + std::to_string(rank) +
       (begin ? ", at byte " + std::to_string(*begin + inside) + " of the file" : ""));
}

void Environment::verify(base::Progress& progress, const Visit& visit, unsigned threads) const {
  progress.begin("checksum of data.mdb", section_.file_size, base::Progress::Unit::bytes);
  check_bytes(&progress);
  progress.begin("records", section_.records);
  ContentHash content;
  std::uint64_t rank = 0;
  std::uint64_t units = 0;
  base::parallel_ordered(
      threads, base::div_ceil(section_.records, kRanksAtOnce),
      [&](std::uint64_t range) {
        const std::uint64_t begin = range * kRanksAtOnce;
        return check_groups(begin, std::min(begin + kRanksAtOnce, section_.records), visit);
      },
      [&](std::uint64_t, const CheckedGroups& checked) {
        // The ranges were cut without a look at each other.
        if (checked.begin != rank) fail_damaged("group", rank);
        for (const base::ByteView group : checked.groups) content.add_group(group);
        units += checked.units;
        progress.add(checked.end - rank);
        rank = checked.end;
      });
  if (units != section_.units) fail("damaged: its number of units differs from the index");
  if (content.finish(codec_.section(), section_.records, section_.key_seed) !=
      section_.content_id) {
    fail("its records do not fit its content id");
  }
}

std::uint64_t Environment::visit_group(std::uint64_t first_rank, const Visit& visit) const {
  const CheckedGroups checked = check_groups(first_rank, first_rank + 1, visit);
  if (checked.begin != first_rank) fail_damaged("group", first_rank);
  return checked.end;
}

Environment::CheckedGroups Environment::check_groups(std::uint64_t begin, std::uint64_t end,
                                                     const Visit& visit) const {
  EnvironmentReader reader(*this);
  CheckedGroups checked;
  base::ByteView bytes;
  GroupReader group;
  std::uint64_t rank = begin;
  if (!reader.open_group(rank, bytes, group)) fail_damaged("group", rank);
  if (group.first_rank() < begin) rank = group.last_rank() + 1;  // it is of the range before
  checked.begin = rank;
  while (rank < end) {
    if (!reader.open_group(rank, bytes, group) || group.first_rank() != rank) {
      fail_damaged("group", rank);
    }
    checked.groups.push_back(bytes);
    checked.units += group.units();
    for (std::uint64_t u = 0; u < group.units(); ++u) {
      GroupReader::Unit unit;
      if (!group.find(rank, unit) || unit.first_rank != rank) fail_damaged("group", rank);
      const auto inside = static_cast<std::uint64_t>(unit.stored.data() - bytes.data());
      if (!reader.unit_.open(unit.stored, rank) || reader.unit_.records() != unit.records) {
        fail_damaged("unit", rank, inside);
      }
      const std::uint64_t first = rank;
      std::string_view key;
      std::string_view record;
      for (; reader.unit_.take(key, record); ++rank) {
        if (visit) visit(rank, key, record);
      }
      if (!reader.unit_.is_finished()) fail_damaged("unit", first, inside);
    }
    if (rank != group.last_rank() + 1) fail_damaged("group", group.first_rank());
  }
  checked.end = rank;
  return checked;
}

base::FileDescriptor copy_of(const base::FileDescriptor& data, const std::filesystem::path& path) {
  base::FileDescriptor copy(::memfd_create("crivo", MFD_CLOEXEC));
  if (!copy.is_open())
    base::throw_system_error(path.string() + ": not enough memory for a copy", errno);
  if (!base::name_in_proc(copy)) {
    throw Error(ErrorKind::io,
                path.string() +
                    ": no copy of it can be opened without /proc; mount /proc, or open it mapped");
  }
  const std::uint64_t size = data.size();
  const int error = size == 0 ? 0 : ::posix_fallocate(copy.get(), 0, static_cast<off_t>(size));
  if (error != 0) base::throw_system_error(path.string() + ": not enough memory for a copy", error);
  std::vector<std::byte> buffer(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
  for (std::uint64_t at = 0; at < size;) {
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), size - at));
    if (!data.read_at(at, piece)) {
      throw Error(ErrorKind::corrupt, path.string() + ": was cut short while it was read");
    }
    copy.write_at(at, piece);
    at += piece.size();
  }
  return copy;
}

base::Bytes EnvironmentSection::encode() const {
  base::FieldWriter fields;
  fields.u32(version).u32(page_size);
  for (const std::uint64_t field :
       {file_size, records, groups, units, max_group, key_seed,
        base::load_le<std::uint64_t>(content_id.data()),
        base::load_le<std::uint64_t>(content_id.data() + 8), structure_hash, file_hash}) {
    fields.u64(field);
  }
  return fields.take();
}

EnvironmentSection EnvironmentSection::decode(base::ByteView bytes) {
  base::FieldReader fields(bytes, "environment section");
  EnvironmentSection section;
  section.version = fields.u32();
  if (section.version > kStoreVersion) {
    throw Error(ErrorKind::too_new, "the record store has version " +
                                        std::to_string(section.version) +
                                        ", which this program does not know; use a newer crivo");
  }
  if (section.version != kStoreVersion) fields.fail("names an unknown version");
  section.page_size = fields.u32();
  section.file_size = fields.u64();
  section.records = fields.u64();
  section.groups = fields.u64();
  section.units = fields.u64();
  section.max_group = fields.u64();
  section.key_seed = fields.u64();
  std::ranges::copy(fields.take(section.content_id.size()), section.content_id.begin());
  section.structure_hash = fields.u64();
  section.file_hash = fields.u64();
  fields.expect_end();
  if (!std::has_single_bit(section.page_size) || section.page_size < 512 ||
      section.page_size > 32768 || section.file_size % section.page_size != 0) {
    fields.fail("has an impossible page size");
  }
  if (section.groups > section.units || section.units > section.records ||
      (section.groups == 0) != (section.records == 0)) {
    fields.fail("names impossible counts");
  }
  return section;
}

}  // namespace crivo::records
