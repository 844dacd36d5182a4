// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/build/environment_writer.hpp"

#include <lmdb.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "records/backends/lmdb/build/group_builder.hpp"
#include "records/backends/lmdb/environment.hpp"
#include "records/backends/lmdb/group.hpp"
#include "records/backends/lmdb/liblmdb.hpp"
#include "records/backends/lmdb/lmdb.hpp"
#include "records/backends/lmdb/lmdb_tree.hpp"
#include "records/block.hpp"
#include "records/content_hash.hpp"

namespace crivo::records {

class EnvironmentWriter::Impl {
 public:
  Impl(const file::PendingFile& file, std::uint64_t key_seed)
      : file_(file), key_seed_(key_seed), appender_(file) {}

  void add(std::span<const EncodedUnit> units) {
    for (const EncodedUnit& unit : units) {
      if (!group_.empty() && !group_.fits(unit)) close_group();
      group_.add(unit);
      packed_ += unit.records;
    }
    units_ += units.size();
  }

  FinishedEnvironment finish(const CodecSection& codec) {
    FinishedEnvironment finished;
    finished.codec = codec.encode();
    if (!group_.empty()) close_group();
    finished.content_id = content_.finish(finished.codec, packed_, key_seed_);
    const Identity identity{.content_id = finished.content_id, .records = packed_};
    appender_.append(kIdentityKey, identity.encode());
    appender_.finish();
    const EnvironmentSection section = describe(identity);
    finished.section = section.encode();
    finished.file_size = section.file_size;
    return finished;
  }

 private:
  void close_group() {
    const base::Bytes bytes = group_.finish();
    content_.add_group(bytes);
    appender_.append(packed_ - 1, bytes);
    max_group_ = std::max<std::uint64_t>(max_group_, bytes.size());
    ++groups_;
  }

  EnvironmentSection describe(const Identity& identity) const {
    const auto file = base::FileDescriptor::open_to_read(file_.path_to_open());
    EnvironmentSection section{.page_size = appender_.page_size(),
                               .file_size = file.size(),
                               .records = packed_,
                               .groups = groups_,
                               .units = units_,
                               .max_group = max_group_,
                               .key_seed = key_seed_,
                               .content_id = identity.content_id};
    section.structure_hash = scan_tree(file, section.page_size).structure_hash;
    section.file_hash = hash_file(file, section.file_size);
    return section;
  }

  const file::PendingFile& file_;
  std::uint64_t key_seed_;
  LmdbAppender appender_;
  ContentHash content_;

  GroupBuilder group_;
  std::uint64_t packed_ = 0;  // records in groups
  std::uint64_t units_ = 0;
  std::uint64_t groups_ = 0;
  std::uint64_t max_group_ = 0;
};

EnvironmentWriter::EnvironmentWriter(const file::PendingFile& file, std::uint64_t key_seed)
    : impl_(std::make_unique<Impl>(file, key_seed)) {}

EnvironmentWriter::~EnvironmentWriter() = default;

void EnvironmentWriter::add(std::span<const EncodedUnit> units) {
  impl_->add(units);
}

FinishedEnvironment EnvironmentWriter::finish(const CodecSection& codec) {
  return impl_->finish(codec);
}

static_assert(std::endian::native == std::endian::little && sizeof(std::size_t) == 8,
              "LMDB writes its file as the machine is: the format is that of 64-bit little-endian");

namespace {

// A transaction is committed when it holds this much.
constexpr std::uint64_t kCommitBytes = std::uint64_t{16} << 20;
// So much may the file grow in one transaction: that, and one value of any length. A value takes at
// most twice its length in whole pages.
constexpr std::uint64_t kMapReserve = 2 * kCommitBytes + kMaxRawBlock + (std::uint64_t{16} << 20);
constexpr std::uint64_t kFirstMapSize = std::uint64_t{256} << 20;
static_assert(kFirstMapSize > kMapReserve);

// Everyone may read; the umask has its say.
constexpr mdb_mode_t kFileMode = 0666;

}  // namespace

void LmdbAppender::fail(int result) const {
  // LMDB calls a write that was cut short, which is what a disk that fills up gives, an
  // input/output error.
  const int full = result == EIO ? file_.why_full() : 0;
  throw_lmdb_error(file_.output(), full != 0 ? full : result);
}

LmdbAppender::LmdbAppender(const file::PendingFile& file) : file_(file) {
  if (const int result = mdb_env_create(&environment_); result != 0) fail(result);
  try {
    map_size_ = kFirstMapSize;
    int result = mdb_env_set_mapsize(environment_, map_size_);
    // NOSYNC: finish() does that, once.
    constexpr unsigned kFlags = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC | MDB_NORDAHEAD;
    if (result == 0)
      result = mdb_env_open(environment_, file.path_to_open().c_str(), kFlags, kFileMode);
    if (result != 0) fail(result);
    MDB_stat stat;
    mdb_env_stat(environment_, &stat);
    page_size_ = stat.ms_psize;
    begin();
  } catch (...) {
    mdb_env_close(environment_);
    throw;
  }
}

LmdbAppender::~LmdbAppender() {
  if (transaction_ != nullptr) mdb_txn_abort(transaction_);
  if (environment_ != nullptr) mdb_env_close(environment_);
}

void LmdbAppender::begin() {
  int result = mdb_txn_begin(environment_, nullptr, 0, &transaction_);
  if (result != 0) fail(result);
  result = mdb_dbi_open(transaction_, nullptr, MDB_INTEGERKEY, &database_);
  if (result != 0) {
    mdb_txn_abort(transaction_);
    transaction_ = nullptr;
    fail(result);
  }
}

void LmdbAppender::commit() {
  const int result = mdb_txn_commit(transaction_);
  transaction_ = nullptr;  // gone, committed or not
  if (result != 0) fail(result);
  uncommitted_ = 0;
}

void LmdbAppender::append(std::uint64_t key, base::ByteView value) {
  if (uncommitted_ >= kCommitBytes) {
    commit();
    MDB_envinfo info;
    mdb_env_info(environment_, &info);
    const std::uint64_t used = (std::uint64_t{info.me_last_pgno} + 1) * page_size_;
    while (used + kMapReserve > map_size_) map_size_ *= 2;
    // Mapped anew in any case: pages that were read through the mapping count as memory.
    const int result = mdb_env_set_mapsize(environment_, map_size_);
    if (result != 0) fail(result);
    begin();
  }
  MDB_val key_value{sizeof key, &key};
  MDB_val data{value.size(), const_cast<std::byte*>(value.data())};
  const int result = mdb_put(transaction_, database_, &key_value, &data, MDB_APPEND);
  if (result != 0) fail(result);
  uncommitted_ += value.size();
}

void LmdbAppender::finish() {
  commit();
  const int result = mdb_env_sync(environment_, 1);
  mdb_env_close(environment_);
  environment_ = nullptr;
  if (result != 0) fail(result);
}

namespace {

class LmdbWriter final : public RecordFileWriter {
 public:
  LmdbWriter(file::PendingFile& data, file::ContainerWriter& index, const RecordFilePlan& plan)
      : index_(index), writer_(data, plan.key_seed) {}

  void add(std::span<const EncodedUnit> units) override { writer_.add(units); }
  FinishedRecords finish(CodecSection codec) override {
    const FinishedEnvironment finished = writer_.finish(codec);
    index_.begin_section(file::kEnvironmentSection).append(finished.section);
    index_.begin_section(file::kCodecSection).append(finished.codec);
    return {finished.content_id, finished.file_size, std::move(codec)};
  }

 private:
  file::ContainerWriter& index_;
  EnvironmentWriter writer_;
};

}  // namespace

std::unique_ptr<RecordFileWriter> write_lmdb(file::PendingFile& data, file::ContainerWriter& index,
                                             const RecordFilePlan& plan) {
  return std::make_unique<LmdbWriter>(data, index, plan);
}

}  // namespace crivo::records
