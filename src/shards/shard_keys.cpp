// SPDX-License-Identifier: Apache-2.0
#include "shards/shard_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/idle_pool.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "shards/key_directory.hpp"
#include "stream/key_spread.hpp"
#include "stream/key_stream.hpp"
#include "stream/partition_store.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::index {

/// Those of a range of hashes, in as many partitions as the file of fewest pieces has. No key is
/// written anew: of a file whose pieces are in order not even one is sorted.
template <typename HashedKey>
class PieceStore final : public stream::PartitionStore<HashedKey> {
 public:
  using typename stream::PartitionStore<HashedKey>::Runs;
  using typename stream::PartitionStore<HashedKey>::UsePiece;

  /// `directory` must outlive this. Counts, which reads the pieces at the ends of the range. Throws
  /// Error(corrupt, io).
  PieceStore(const KeyDirectory& directory, const HashRange& range);

  unsigned partition_bits() const noexcept override { return bits_; }
  /// Throws Error(corrupt) also for a value that is larger than the totals say.
  Runs read(std::uint64_t partition) const override;
  void for_each_piece(std::uint64_t partition, const UsePiece& use) const override;
  void trim() const noexcept override { rooms_.clear(); }

  const stream::Totals& totals() const noexcept { return totals_; }

  static HashedKey hashed(Hash128 hash, std::size_t file, std::uint64_t value) noexcept;

 private:
  using Room = std::vector<HashedKey>;

  /// Calls visit(hashed) for those of a file that are in a partition and the range.
  template <typename Visit>
  void for_each_in(std::size_t file, std::uint64_t partition, const Visit& visit) const;
  std::uint64_t count(std::size_t file, std::uint64_t partition) const;
  bool is_in_range(std::uint64_t partition) const noexcept;

  const KeyDirectory& directory_;
  HashRange range_;
  unsigned bits_;
  std::uint64_t most_value_;  ///< of a finished directory
  stream::Totals totals_;
  mutable base::IdlePool<Room> rooms_;
};

namespace {

/// A number with so many bits, all set.
constexpr std::uint64_t all_ones(unsigned bits) noexcept {
  return bits == 0 ? 0 : UINT64_MAX >> (64 - bits);
}

/// The bits of the file that has the fewest pieces.
unsigned common_bits(const KeyDirectory& directory) noexcept {
  unsigned bits = directory.totals.piece_bits;
  for (const auto& file : directory.files) bits = std::min(bits, file->table().piece_bits);
  return bits;
}

}  // namespace

std::uint64_t largest_partition(const KeyDirectory& directory) {
  const unsigned bits = common_bits(directory);
  std::vector<std::uint64_t> keys(std::size_t{1} << bits);
  for (const auto& file : directory.files) {
    const KeyTable& table = file->table();
    for (std::uint64_t piece = 0; piece < table.counts.size(); ++piece)
      keys[piece >> (table.piece_bits - bits)] += table.counts[piece];
  }
  return std::ranges::max(keys);
}

std::uint64_t whole_value(const KeyDirectory& directory, std::size_t file, std::uint64_t value) {
  const KeyValues values = directory.totals.values;
  if (values == KeyValues::numbers) return directory.totals.files[file].first_number + value;
  if (values != KeyValues::rows) return value;
  return directory.rows.number_of(*directory.files[file], value);
}

template <typename HashedKey>
PieceStore<HashedKey>::PieceStore(const KeyDirectory& directory, const HashRange& range)
    : directory_(directory),
      range_(range),
      bits_(common_bits(directory)),
      most_value_(directory.is_finished ? all_ones(directory.totals.value_bits) : UINT64_MAX),
      rooms_([] { return std::make_unique<Room>(); }) {
  totals_.value_bits = most_value_;
  totals_.partitions.resize(this->partitions());
  for (std::uint64_t partition = 0; partition < this->partitions(); ++partition) {
    for (std::size_t file = 0; file < directory.files.size(); ++file)
      totals_.partitions[partition] += count(file, partition);
    totals_.hashed_keys += totals_.partitions[partition];
  }
}

/// Whether all of it is.
template <typename HashedKey>
bool PieceStore<HashedKey>::is_in_range(std::uint64_t partition) const noexcept {
  const HashRange own = HashRange::of(bits_, {partition, partition + 1});
  return own.least >= range_.least && own.most <= range_.most;
}

template <typename HashedKey>
std::uint64_t PieceStore<HashedKey>::count(std::size_t file, std::uint64_t partition) const {
  const HashRange own = HashRange::of(bits_, {partition, partition + 1});
  std::uint64_t keys = 0;
  if (range_.empty() || own.least > range_.most || own.most < range_.least) return 0;
  if (!is_in_range(partition)) {
    for_each_in(file, partition, [&](const HashedKey&) { ++keys; });
    return keys;
  }
  const KeyTable& table = directory_.files[file]->table();
  const unsigned finer = table.piece_bits - bits_;
  for (std::uint64_t piece = partition << finer; piece != (partition + 1) << finer; ++piece)
    keys += table.counts[piece];
  return keys;
}

template <typename HashedKey>
HashedKey PieceStore<HashedKey>::hashed(Hash128 hash, std::size_t file,
                                        std::uint64_t value) noexcept {
  if constexpr (std::is_same_v<HashedKey, Hash128>) {
    return hash;
  } else if constexpr (std::is_same_v<HashedKey, stream::HashedValue>) {
    return {hash, value};
  } else {
    return {hash, file, value};
  }
}

template <typename HashedKey>
template <typename Visit>
void PieceStore<HashedKey>::for_each_in(std::size_t file, std::uint64_t partition,
                                        const Visit& visit) const {
  const KeyFile& keys = *directory_.files[file];
  const unsigned finer = keys.table().piece_bits - bits_;
  const bool all = is_in_range(partition);
  for (std::uint64_t piece = partition << finer; piece != (partition + 1) << finer; ++piece) {
    if (keys.table().counts[piece] == 0) continue;
    keys.for_each_key(piece, [&](Hash128 hash, std::uint64_t value) {
      if (!all && (hash.hi < range_.least || hash.hi > range_.most)) return;
      std::uint64_t whole = 0;
      if constexpr (stream::kHasValue<HashedKey>) {
        whole = whole_value(directory_, file, value);
        if (whole > most_value_) [[unlikely]]
          directory_.fail_totals();
      }
      visit(hashed(hash, file, whole));
    });
  }
}

template <typename HashedKey>
typename PieceStore<HashedKey>::Runs PieceStore<HashedKey>::read(std::uint64_t partition) const {
  auto room = rooms_.take();
  room->clear();
  room->reserve(totals_.partitions[partition]);
  std::vector<std::size_t> ends;
  for (std::size_t file = 0; totals_.partitions[partition] != 0 && file < directory_.files.size();
       ++file) {
    for_each_in(file, partition, [&](const HashedKey& hashed) { room->push_back(hashed); });
    if (room->size() != (ends.empty() ? 0 : ends.back())) ends.push_back(room->size());
  }
  Runs runs;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    runs.all.push_back(std::span<const HashedKey>(*room).subspan(begin, end - begin));
    begin = end;
  }
  runs.memory = std::shared_ptr<const void>(std::move(room));
  return runs;
}

template <typename HashedKey>
void PieceStore<HashedKey>::for_each_piece(std::uint64_t partition, const UsePiece& use) const {
  constexpr std::size_t kPieceKeys = (std::size_t{1} << 20) / sizeof(HashedKey);
  Room some;
  bool goes_on = true;
  const auto take = [&] {
    if (goes_on && !some.empty()) goes_on = use(some);
    some.clear();
  };
  for (std::size_t file = 0; goes_on && file < directory_.files.size(); ++file) {
    for_each_in(file, partition, [&](const HashedKey& hashed) {
      if (!goes_on) return;
      some.push_back(hashed);
      if (some.size() == kPieceKeys) take();
    });
  }
  take();
}

template class PieceStore<Hash128>;
template class PieceStore<stream::HashedValue>;
template class PieceStore<stream::PlacedValue>;

namespace {

/// `HashedKey` is Hash128; HashedValue, where of equal hashes the least value counts; or
/// PlacedValue, where that of the first file does.
template <typename HashedKey>
class LoadedKeys final : public ShardKeys {
 public:
  LoadedKeys(const KeyDirectory& directory, const HashRange& range, BuildFrame& frame)
      : directory_(directory), range_(range) {
    const std::uint64_t memory = frame.hash_options().memory_bytes;
    stream::Totals totals;
    std::uint64_t free = memory;
    if (has_fine_pieces(directory, memory)) {
      store_ = std::make_unique<PieceStore<HashedKey>>(directory, range);
      totals = store_->totals();
    } else {
      stream_ = std::make_unique<KeyStream>(stream_options(directory, frame));
      read_pieces(frame.context());
      totals = stream_->finish();
      free -= std::min(memory, stream_->memory_bytes());
    }
    stream::PartitionStore<HashedKey>* const store = store_.get();
    keys_ = std::make_unique<stream::StreamedKeys<HashedKey>>(
        store != nullptr ? *store : *stream_, std::move(totals), stream::NumberValues(),
        free + kLeaseBytes);
    // The hashes of groups are as alike as groups are large.
    keys_->expect_spread(directory.totals.groups ? 0 : directory.totals.units,
                         hashing::keys_alike(directory.totals.key_hash));
    if (directory.totals.drops_repeats) (void)keys_->drop_repeats(frame.context(), 0);
    if constexpr (std::is_same_v<HashedKey, stream::HashedValue>) {
      if (directory.totals.many) distinct_ = keys_->keep_differing(frame.context());
    }
  }

  const stream::HashSource& keys() const noexcept override { return *keys_; }
  std::uint64_t distinct() const noexcept override { return distinct_.value_or(keys_->size()); }
  std::uint64_t temp_bytes() const noexcept override {
    return stream_ != nullptr ? stream_->temp_bytes() : 0;
  }
  stream::KeySums sums() const noexcept override { return keys_->sums(); }
  std::vector<Hash128> repeated(const base::BuildContext& context) override {
    return keys_->drop_repeats(context, kMostRepeated);
  }

 private:
  using KeyStream = stream::KeyStream<HashedKey>;

  /// Whether several partitions fit memory at once, sorted and not.
  static bool has_fine_pieces(const KeyDirectory& directory, std::uint64_t memory) {
    constexpr std::uint64_t kPartitionsInMemory = 10;
    return largest_partition(directory) <= memory / (kPartitionsInMemory * sizeof(HashedKey));
  }

  /// The bytes of leases at once, beside what the stream leaves of its memory.
  static constexpr std::uint64_t kLeaseBytes = std::uint64_t{24} << 20;

  static stream::StreamOptions stream_options(const KeyDirectory& directory, BuildFrame& frame) {
    const input::HashOptions options = frame.hash_options();
    const unsigned threads = frame.context().threads;
    const unsigned bits = stream::partition_bits_for(directory.totals.units, sizeof(HashedKey),
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
    base::parallel_with(context.threads, pieces.size(), [&](unsigned thread) {
      return [&, &writer = stream_->writer(thread)](std::size_t i) {
        const std::size_t file = pieces[i].file;
        const std::uint64_t piece = pieces[i].piece;
        directory_.files[file]->for_each_key(piece, [&](Hash128 hash, std::uint64_t value) {
          if (hash.hi < range_.least || hash.hi > range_.most) return;
          writer.add(
              PieceStore<HashedKey>::hashed(hash, file, whole_value(directory_, file, value)));
        });
        context.progress.add(directory_.files[file]->table().counts[piece]);
      };
    });
  }

  const KeyDirectory& directory_;
  HashRange range_;
  std::unique_ptr<PieceStore<HashedKey>> store_;  ///< or, where its pieces are too large:
  std::unique_ptr<KeyStream> stream_;
  std::unique_ptr<stream::StreamedKeys<HashedKey>> keys_;
  std::optional<std::uint64_t> distinct_;  ///< where not all are
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
  if (directory.totals.values >= KeyValues::given && directory.totals.drops_repeats)
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

/// A value as the whole directory has it.
std::uint64_t whole_value(const KeyDirectory& directory, std::size_t file, std::uint64_t value);

/// The keys of the largest of the partitions that a PieceStore of all hashes has.
std::uint64_t largest_partition(const KeyDirectory& directory);

}  // namespace crivo::index
