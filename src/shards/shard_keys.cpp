// SPDX-License-Identifier: Apache-2.0
#include "shards/shard_keys.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "shards/piece_store.hpp"
#include "stream/key_stream.hpp"
#include "stream/streamed_keys.hpp"
#include "stream/uneven_hashes.hpp"

namespace crivo::index {
namespace {

/// `Element` is Hash128; HashedValue, where of equal hashes the least value counts; or PlacedValue,
/// where that of the first file does.
template <typename Element>
class LoadedKeys final : public ShardKeys {
 public:
  LoadedKeys(const KeyDirectory& directory, const HashRange& range, BuildFrame& frame)
      : directory_(directory), range_(range) {
    const std::uint64_t memory = frame.hash_options().memory_bytes;
    stream::Totals totals;
    std::uint64_t free = memory;
    if (has_fine_pieces(directory, memory)) {
      store_ = std::make_unique<PieceStore<Element>>(directory, range);
      totals = store_->totals();
    } else {
      stream_ = std::make_unique<KeyStream>(stream_options(directory, frame));
      read_pieces(frame.context());
      totals = stream_->finish();
      free -= std::min(memory, stream_->memory_bytes());
    }
    stream::PartitionStore<Element>* const store = store_.get();
    keys_ = std::make_unique<stream::StreamedKeys<Element>>(
        store != nullptr ? *store : *stream_, std::move(totals), stream::NumberValues(),
        free + kLeaseBytes);
    keys_->expect_spread(directory.totals.units, hashing::keys_alike(directory.totals.key_hash));
    if (directory.totals.drops_repeats) (void)keys_->drop_repeats(frame.context(), 0);
  }

  const stream::HashSource& keys() const noexcept override { return *keys_; }
  std::uint64_t temp_bytes() const noexcept override {
    return stream_ != nullptr ? stream_->temp_bytes() : 0;
  }
  stream::KeySums sums() const noexcept override { return keys_->sums(); }
  std::vector<Hash128> repeated(const base::BuildContext& context) override {
    return keys_->drop_repeats(context, kMostRepeated);
  }

 private:
  using KeyStream = stream::KeyStream<Element>;

  /// Whether several partitions fit memory at once, sorted and not.
  static bool has_fine_pieces(const KeyDirectory& directory, std::uint64_t memory) {
    constexpr std::uint64_t kPartitionsInMemory = 10;
    return largest_partition(directory) <= memory / (kPartitionsInMemory * sizeof(Element));
  }

  /// Of leases at once, beside what the stream leaves of its memory.
  static constexpr std::uint64_t kLeaseBytes = std::uint64_t{24} << 20;

  static stream::StreamOptions stream_options(const KeyDirectory& directory, BuildFrame& frame) {
    const input::HashOptions options = frame.hash_options();
    const unsigned threads = frame.context().threads;
    const unsigned bits = stream::partition_bits_for(directory.totals.units, sizeof(Element),
                                                     threads, options.memory_bytes);
    return {
        .threads = threads,
        .memory_bytes = std::max(options.memory_bytes, stream::least_stream_bytes(threads, bits)),
        .temp_dir = options.temp_dir,
        .partition_bits = bits};
  }

  void read_pieces(const base::BuildContext& context) {
    struct Piece {
      std::size_t file;
      std::uint64_t piece;
    };
    std::vector<Piece> pieces;
    std::uint64_t keys = 0;
    for (std::size_t file = 0; file < directory_.files.size(); ++file) {
      const KeyTable& table = directory_.files[file]->table();
      const stream::PartitionRun run = pieces_of(table, range_);
      for (std::uint64_t piece = run.begin; piece != run.end; ++piece) {
        if (table.counts[piece] == 0) continue;
        pieces.push_back({file, piece});
        keys += table.counts[piece];
      }
    }
    context.progress.begin("read", keys);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    base::run_threads(
        context.threads,
        [&](unsigned thread) {
          auto& writer = stream_->writer(thread);
          while (!stop.load(std::memory_order_relaxed)) {
            const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
            if (i >= pieces.size()) return;
            const auto [file, piece] = pieces[i];
            directory_.files[file]->for_each_key(piece, [&](Hash128 hash, std::uint64_t value) {
              if (hash.hi < range_.least || hash.hi > range_.most) return;
              writer.add(
                  PieceStore<Element>::element(hash, file, whole_value(directory_, file, value)));
            });
            context.progress.add(directory_.files[file]->table().counts[piece]);
          }
        },
        &stop);
  }

  const KeyDirectory& directory_;
  HashRange range_;
  std::unique_ptr<PieceStore<Element>> store_;  ///< or, where its pieces are too large:
  std::unique_ptr<KeyStream> stream_;
  std::unique_ptr<stream::StreamedKeys<Element>> keys_;
};

}  // namespace

stream::PartitionRun pieces_of(const KeyTable& table, const HashRange& range) noexcept {
  if (range.empty()) return {};
  return {base::top_bits(range.least, table.piece_bits),
          base::top_bits(range.most, table.piece_bits) + 1};
}

HashRange HashRange::of(unsigned bits, const stream::PartitionRun& run) noexcept {
  if (bits == 0) return {};
  return {run.begin << (64 - bits), ((run.end - 1) << (64 - bits)) | (UINT64_MAX >> bits)};
}

std::uint64_t HashRange::keys_of(std::uint64_t n) const noexcept {
  if (empty()) return 0;
  using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(((Wide{most - least} + 1) * n) >> 64);
}

std::unique_ptr<ShardKeys> ShardKeys::load(const KeyDirectory& directory, const HashRange& range,
                                           bool with_values, BuildFrame& frame) {
  if (!with_values) return std::make_unique<LoadedKeys<Hash128>>(directory, range, frame);
  if (directory.totals.values == KeyValues::given && directory.totals.drops_repeats)
    return std::make_unique<LoadedKeys<stream::PlacedValue>>(directory, range, frame);
  return std::make_unique<LoadedKeys<stream::HashedValue>>(directory, range, frame);
}

void fail_uneven(const KeyDirectory& directory) {
  stream::fail_uneven(directory.path.string(),
                      directory.totals.key_hash != hashing::KeyHashId::xxh64);
}

void fail_repeated(const KeyDirectory& directory, const std::vector<Hash128>& repeated) {
  constexpr unsigned kNamed = 3;
  unsigned named = 0;
  std::string where;
  if (!repeated.empty()) {
    for (std::size_t file = 0; file < directory.files.size(); ++file) {
      const KeyTable& table = directory.files[file]->table();
      directory.files[file]->for_each_key(
          base::top_bits(repeated.front().hi, table.piece_bits),
          [&](Hash128 hash, std::uint64_t value) {
            if (hash != repeated.front() || named++ >= kNamed) return;
            where += where.empty() ? ", as " : " and ";
            if (table.values == KeyValues::numbers) {
              where += "key " + std::to_string(whole_value(directory, file, value) + 1);
            } else {
              where += "a key of " + directory.files[file]->name();
            }
          });
    }
  }
  const bool are_all = repeated.size() < ShardKeys::kMostRepeated;
  throw Error(ErrorKind::bad_input,
              directory.path.string() + ": " + std::to_string(repeated.size()) +
                  (!are_all               ? " or more keys are"
                   : repeated.size() == 1 ? " key is"
                                          : " keys are") +
                  " there more than once" + where +
                  " of the input (or differ and have one hash); partition the input anew to keep "
                  "the first of each",
              {.remedy = "ignore_duplicates"});
}

}  // namespace crivo::index
