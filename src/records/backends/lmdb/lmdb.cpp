// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/lmdb.hpp"

#include <utility>

#include "file/section_types.hpp"
#include "records/backends/lmdb/environment.hpp"

namespace crivo::records {

namespace {

/// The cost of verify(), measured: of a byte that is checked, and of a record, in ns of one thread.
constexpr double kLmdbByteCost = 0.15;
constexpr double kLmdbRecordCost = 350;

class LmdbReader final : public RecordReader {
 public:
  explicit LmdbReader(const Environment& environment) : reader_(environment) {}

  Lookup find(std::uint64_t rank, std::uint64_t, std::string_view key) noexcept override {
    return reader_.find(rank, key);
  }
  Lookup read(std::uint64_t rank, std::string_view key) noexcept override {
    return reader_.find(rank, key);
  }
  std::optional<std::string_view> built_key(std::uint64_t rank) noexcept override {
    return reader_.key_of(rank);
  }
  void find(std::span<const std::uint64_t> ranks, std::span<const std::uint64_t>,
            std::span<const std::string_view> keys, const Visit& visit) override {
    reader_.find(ranks, keys, visit);
  }

 private:
  EnvironmentReader reader_;
};

/// The section about the environment. What is wrong with it is of the index.
base::ByteView checked_section(const file::Container& index) {
  const base::ByteView section = index.require(file::kEnvironmentSection, "environment");
  file::naming(index.name(), [&] { (void)EnvironmentSection::decode(section); });
  return section;
}

class LmdbFile final : public RecordFile {
 public:
  LmdbFile(base::FileDescriptor data, std::filesystem::path path, const file::Container& index,
           file::Loading loading)
      : environment_(std::move(data), std::move(path), checked_section(index), codec_of(index),
                     loading) {}

  const ContentId& content_id() const noexcept override { return described().content_id; }
  std::uint64_t records() const noexcept override { return described().records; }
  std::uint64_t key_seed() const noexcept override { return described().key_seed; }
  std::uint64_t file_bytes() const noexcept override { return described().file_size; }
  const StoredCodec& codec() const noexcept override { return environment_.codec(); }
  bool may_hold(std::uint64_t, std::uint64_t) const noexcept override { return true; }

  std::unique_ptr<RecordReader> reader() const override {
    return std::make_unique<LmdbReader>(environment_);
  }

  std::vector<Progress::Phase> verify_phases(unsigned threads) const override {
    return {{"checksum of data.mdb", 1 + kLmdbByteCost * static_cast<double>(file_bytes())},
            {"records", 1 + kLmdbRecordCost * static_cast<double>(records()) / threads}};
  }
  void verify(const base::BuildContext& context, const Visit& visit) const override {
    environment_.verify(context.progress, visit, context.threads);
  }
  std::uint64_t visit_some(std::uint64_t begin, const Visit& visit) const override {
    return environment_.visit_group(begin, visit);
  }

 private:
  const EnvironmentSection& described() const noexcept { return environment_.description(); }

  Environment environment_;
};

}  // namespace

std::unique_ptr<const RecordFile> open_lmdb(base::FileDescriptor data, std::filesystem::path path,
                                            const file::Container& index,
                                            const KeysInOrder& /*keys*/, file::Loading loading) {
  return std::make_unique<LmdbFile>(std::move(data), std::move(path), index, loading);
}

}  // namespace crivo::records
