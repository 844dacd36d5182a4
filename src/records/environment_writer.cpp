#include "records/environment_writer.hpp"

#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_limit.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/zstd_blocks.hpp"
#include "records/content_hash.hpp"
#include "records/environment_section.hpp"
#include "records/file_hash.hpp"
#include "records/group.hpp"
#include "records/lmdb_appender.hpp"
#include "records/tree_scan.hpp"

namespace crivo::records {

namespace {

// Blocks are compressed when so many raw bytes have come together: enough that starting the threads
// costs little.
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
// A longer output buffer is not kept for the next batch.
constexpr std::size_t kKeptCapacity = std::size_t{16} << 10;

}  // namespace

class EnvironmentWriter::Impl {
 public:
  Impl(const file::PendingFile& file, std::uint64_t key_seed, unsigned threads)
      : file_(file), key_seed_(key_seed), threads_(std::max(threads, 1U)), appender_(file) {}

  void append(std::string_view key, std::string_view record) {
    check_limits(key, record);
    if (block_records_ > 0 && block_size() + raw_record_size(key, record) > kBlockTarget) {
      close_block();
      if (raw_.size() >= (codec_ ? kBatchBytes : kDictionarySample)) compress_batch();
    }
    append_raw_record(raw_, key, record);
    ++block_records_;
    ++records_;
  }

  FinishedEnvironment finish() {
    if (block_records_ > 0) close_block();
    compress_batch();
    if (!group_.empty()) close_group();
    FinishedEnvironment finished;
    finished.content_id = content_.finish(dictionary_, records_, key_seed_);
    const Identity identity{.content_id = finished.content_id, .records = records_};
    appender_.append(kIdentityKey, identity.encode());
    appender_.finish();
    const EnvironmentSection section = describe(identity);
    finished.section = section.encode();
    finished.file_size = section.file_size;
    finished.dictionary = std::move(dictionary_);
    return finished;
  }

 private:
  struct RawBlock {
    std::size_t size;
    std::uint32_t records;
  };
  // What compressing takes, once the dictionary is known.
  struct Codec {
    CompressionDictionary dictionary;
    std::vector<BlockCompressor> compressors;  // one a thread

    Codec(base::ByteView dictionary_bytes, unsigned threads) : dictionary(dictionary_bytes) {
      for (unsigned t = 0; t < threads; ++t) compressors.emplace_back(dictionary);
    }
  };

  std::size_t block_size() const noexcept { return raw_.size() - block_start_; }

  void close_block() {
    blocks_.push_back({block_size(), block_records_});
    max_raw_block_ = std::max<std::uint64_t>(max_raw_block_, block_size());
    block_start_ = raw_.size();
    block_records_ = 0;
  }

  // Compresses the closed blocks on all threads, then packs them in order.
  void compress_batch() {
    if (!codec_) prepare_codec();
    std::vector<std::size_t> starts(blocks_.size());
    for (std::size_t i = 1; i < blocks_.size(); ++i)
      starts[i] = starts[i - 1] + blocks_[i - 1].size;
    if (stored_.size() < blocks_.size()) stored_.resize(blocks_.size());
    std::atomic<std::size_t> next{0};
    base::run_threads(threads_, [&](unsigned thread) {
      for (std::size_t i = next++; i < blocks_.size(); i = next++) {
        codec_->compressors[thread].compress(
            base::ByteView(raw_).subspan(starts[i], blocks_[i].size), stored_[i]);
      }
    });
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      pack(blocks_[i], stored_[i]);
      if (stored_[i].capacity() > kKeptCapacity) stored_[i] = {};
    }
    blocks_.clear();
    raw_.clear();
    block_start_ = 0;
  }

  void prepare_codec() {
    std::vector<std::size_t> sizes;
    sizes.reserve(blocks_.size());
    for (const RawBlock& block : blocks_) sizes.push_back(block.size);
    dictionary_ = train_dictionary(raw_, sizes);
    base::give_back_freed_memory();  // which was far more than what compressing takes
    codec_.emplace(dictionary_, threads_);
  }

  void pack(const RawBlock& raw, base::ByteView stored) {
    const StoredBlock block{
        .records = raw.records, .raw_size = static_cast<std::uint32_t>(raw.size), .stored = stored};
    if (!group_.empty() && !group_.fits(block)) close_group();
    group_.add(block, packed_);
    packed_ += raw.records;
    ++packed_blocks_;
  }

  void close_group() {
    const std::uint64_t last_rank = packed_ - 1;
    const base::Bytes bytes = group_.finish(last_rank);
    content_.add_group(bytes);
    appender_.append(last_rank, bytes);
    max_group_ = std::max<std::uint64_t>(max_group_, bytes.size());
    ++groups_;
  }

  EnvironmentSection describe(const Identity& identity) const {
    const auto file = base::FileDescriptor::open_to_read(file_.path_to_open());
    EnvironmentSection section{.page_size = appender_.page_size(),
                               .file_size = file.size(),
                               .records = records_,
                               .groups = groups_,
                               .blocks = packed_blocks_,
                               .max_raw_block = max_raw_block_,
                               .max_group = max_group_,
                               .key_seed = key_seed_,
                               .content_id = identity.content_id};
    section.structure_hash = scan_tree(file, section.file_size, section.page_size).structure_hash;
    section.file_hash = hash_file(file, section.file_size);
    section.dictionary_size = dictionary_.size();
    section.dictionary_hash = XXH3_64bits(dictionary_.data(), dictionary_.size());
    return section;
  }

  const file::PendingFile& file_;
  std::uint64_t key_seed_;
  unsigned threads_;
  LmdbAppender appender_;
  ContentHash content_;

  base::Bytes raw_;               // the closed blocks, then the open one
  std::vector<RawBlock> blocks_;  // closed and not yet compressed
  std::size_t block_start_ = 0;   // of the open block in raw_
  std::uint32_t block_records_ = 0;
  std::uint64_t records_ = 0;

  base::Bytes dictionary_;
  std::optional<Codec> codec_;
  std::vector<base::Bytes> stored_;  // of a batch; kept for their memory

  GroupBuilder group_;
  std::uint64_t packed_ = 0;  // records in groups
  std::uint64_t packed_blocks_ = 0;
  std::uint64_t groups_ = 0;
  std::uint64_t max_raw_block_ = 0;
  std::uint64_t max_group_ = 0;
};

EnvironmentWriter::EnvironmentWriter(const file::PendingFile& file, std::uint64_t key_seed,
                                     unsigned threads)
    : impl_(std::make_unique<Impl>(file, key_seed, threads)) {}

EnvironmentWriter::~EnvironmentWriter() = default;

void EnvironmentWriter::append(std::string_view key, std::string_view record) {
  impl_->append(key, record);
}

FinishedEnvironment EnvironmentWriter::finish() {
  return impl_->finish();
}

}  // namespace crivo::records
