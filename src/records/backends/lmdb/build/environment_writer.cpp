// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/build/environment_writer.hpp"

#include <algorithm>
#include <utility>

#include "records/backends/lmdb/build/group_builder.hpp"
#include "records/backends/lmdb/build/lmdb_appender.hpp"
#include "records/backends/lmdb/environment_section.hpp"
#include "records/backends/lmdb/group.hpp"
#include "records/backends/lmdb/tree_scan.hpp"
#include "records/content_hash.hpp"
#include "records/file_hash.hpp"

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

}  // namespace crivo::records
