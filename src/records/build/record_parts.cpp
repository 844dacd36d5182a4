// SPDX-License-Identifier: Apache-2.0
#include "records/build/record_parts.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/build/bumped_records.hpp"
#include "records/build/record_encoder.hpp"
#include "records/build/table_records.hpp"
#include "records/lookup.hpp"
#include "records/unit.hpp"

namespace crivo::records {

namespace {

/// The work of one call: whole segments, and the bumped keys among some keys.
struct Task {
  const RankTable::Partition* partition;
  std::uint64_t first_segment;  // of the partition
  std::uint64_t end_segment;
  std::uint64_t first_key;  // of the partition; of those whose bumped keys it has
  std::uint64_t end_key;
};

/// So that what is in work, and what waits for its turn, stays within the memory.
std::uint64_t task_bytes(std::uint64_t memory_bytes, unsigned threads) noexcept {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 19;
  constexpr std::uint64_t kMost = std::uint64_t{2} << 20;
  constexpr std::uint64_t kTasks = 6;  // a thread: 4 may wait, which are encoded
  return std::clamp(memory_bytes / kTasks / threads, kLeast, kMost);
}

/// The bytes of results that wait for their turn. A task that has no room in it is done when its
/// turn comes, by one thread, and used in small parts: so that not every thread has long records at
/// once.
std::uint64_t waiting_bytes(std::uint64_t memory_bytes, unsigned threads) noexcept {
  constexpr std::uint64_t kLeast = std::uint64_t{2} << 20;  // a thread
  return std::max(memory_bytes, kLeast * threads);
}

/// The keys of the task's partition among which are those of its ranks, and its bumped ones.
struct KeyRange {
  std::uint64_t begin;
  std::uint64_t end;
};
KeyRange keys_of(const RankTable& table, const Task& task) noexcept {
  KeyRange keys{task.first_key, task.end_key};
  for (std::uint64_t i = task.first_segment; i != task.end_segment; ++i) {
    const RankTable::Segment& segment = table.segment(task.partition->first_segment + i);
    if (segment.end_key == 0) continue;  // of bumped keys alone
    if (keys.begin == keys.end) keys.begin = keys.end = segment.first_key;
    keys.begin = std::min(keys.begin, segment.first_key);
    keys.end = std::max(keys.end, segment.end_key);
  }
  return keys;
}

/// So many that what they have at hand stays within the memory and 12 MiB: each copies all entries
/// of a range of hashes to encode the records of some, and a far record is there three times.
unsigned encoding_threads(const RecordCoding& coding, const RankTable& table,
                          std::span<const Task> tasks, std::uint64_t memory_bytes,
                          unsigned threads) {
  constexpr std::uint64_t kBeside = std::uint64_t{12} << 20;
  constexpr std::uint64_t kFarCopies = 3;
  std::uint64_t most_keys = 0;
  for (const Task& task : tasks) {
    const KeyRange keys = keys_of(table, task);
    most_keys = std::max(most_keys, keys.end - keys.begin);
  }
  std::uint64_t at_hand = TableRecords::bytes_at_hand(most_keys, coding.usual_bytes);
  if (coding.usual_bytes >= RecordEntry::kLeastFar) at_hand += kFarCopies * coding.usual_bytes;
  const std::uint64_t room = (memory_bytes + kBeside) / at_hand;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(room, 1, threads));
}

std::vector<Task> cut_tasks(const RankTable& table, const RecordCoding& coding,
                            std::uint64_t bytes) {
  std::vector<Task> tasks;
  for (const RankTable::Partition& partition : table.partitions()) {
    const std::uint64_t segments = table.segments_of(partition);
    const std::uint64_t most = std::max<std::uint64_t>(
        {segments, partition.keys >> table.segment_bits(), std::uint64_t{1}});
    const std::uint64_t records = std::max(partition.keys, partition.ranks);
    const std::uint64_t count =
        std::clamp<std::uint64_t>(records * coding.usual_bytes / bytes, 1, most);
    for (std::uint64_t i = 0; i < count; ++i) {
      tasks.push_back({&partition, segments * i / count, segments * (i + 1) / count,
                       partition.keys * i / count, partition.keys * (i + 1) / count});
    }
  }
  return tasks;
}

/// Does one task after another, in memory that it keeps.
class Worker {
 public:
  Worker(const RecordCoding& coding, const Encoding& encoding, const RecordSource& source,
         Duplicates duplicates, const RankTable& table)
      : coding_(coding),
        by_record_(coding.type().by_record),
        table_(table),
        writer_(encoding),
        records_(source, duplicates, table, coding.usual_bytes) {}

  /// Reads the entries of the task's records. Returns the bytes of its records.
  std::uint64_t begin(const Task& task) {
    part_ = {};
    part_.begins_partition = task.first_key == 0 && task.first_segment == 0;
    task_ = task;
    bytes_ = read();
    return bytes_;
  }

  /// Makes the task's part; or several, each when it has become so long.
  template <typename Use>
  void run(std::uint64_t most_bytes, const Use& use) {
    bool is_rest = false;
    const auto use_long = [&](std::uint64_t bytes) {
      if (bytes < most_bytes) return;
      use(std::exchange(part_, {}));
      is_rest = true;
    };
    if (by_record_ && !writer_.encodes() && bytes_ < most_bytes)
      part_.body.reserve(slots_.size(), bytes_);
    for (const std::uint32_t record : bumped_records_) {
      append_bumped(part_.bumped, records_.batch(), records_.batch()[record]);
      use_long(part_.bumped.size());
    }
    for (std::uint64_t segment = task_.first_segment; segment != task_.end_segment; ++segment) {
      const std::uint64_t first = segment << table_.segment_bits();
      const std::uint64_t end =
          std::min(task_.partition->ranks, (segment + 1) << table_.segment_bits());
      const auto slots = std::span(slots_).subspan(
          first - (task_.first_segment << table_.segment_bits()), end - first);
      if (by_record_) {
        encode_records(slots, use_long);
      } else {
        encode_blocks(slots, use_long);
      }
    }
    if (!is_rest || !part_.body.empty() || !part_.bumped.empty()) use(std::exchange(part_, {}));
    for (base::Bytes* const bytes : {&raw_, &unit_}) {
      if (bytes->capacity() > kKeptCapacity) base::free_memory(*bytes);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kKeptCapacity = std::size_t{1} << 18;

  /// Fills slots_ with those of its ranks, and bumped_records_.
  std::uint64_t read() {
    const auto [begin, end] = keys_of(table_, task_);
    const std::uint64_t first_rank = task_.first_segment << table_.segment_bits();
    const std::uint64_t end_rank =
        std::min(task_.partition->ranks, task_.end_segment << table_.segment_bits());
    slots_.assign(end_rank > first_rank ? end_rank - first_rank : 0, kNone);
    bumped_records_.clear();
    if (begin == end) return 0;
    const std::uint64_t base = task_.partition->first_key;
    records_.read(base + begin, base + end,
                  [&](std::uint64_t key, std::uint32_t rank, std::size_t record) {
                    if (rank == PartRanks::kBumped) {
                      if (key - base < task_.first_key || key - base >= task_.end_key) return;
                      bumped_records_.push_back(static_cast<std::uint32_t>(record));
                    } else if (rank - first_rank < slots_.size()) {
                      slots_[rank - first_rank] = static_cast<std::uint32_t>(record);
                    }
                  });
    return bytes_of(slots_) + bytes_of(bumped_records_);
  }

  std::uint64_t bytes_of(std::span<const std::uint32_t> records) const noexcept {
    constexpr std::size_t kAhead = 12;  // they are anywhere in memory
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i + kAhead < records.size() && records[i + kAhead] != kNone)
        records_.batch()[records[i + kAhead]].prefetch_header();
      if (records[i] != kNone) bytes += records_.batch()[records[i]].pair_size();
    }
    return bytes;
  }

  template <typename UseLong>
  void encode_records(std::span<const std::uint32_t> slots, const UseLong& use_long) {
    // The order of ranks is any in memory.
    constexpr std::size_t kAhead = 6;
    const auto ahead = [&](std::size_t i, std::size_t by, const auto& prefetch) {
      if (i + by < slots.size() && slots[i + by] != kNone)
        prefetch(records_.batch()[slots[i + by]]);
    };
    for (std::size_t i = 0; i < slots.size(); ++i) {
      ahead(i, 2 * kAhead, [](const RecordEntry& entry) { entry.prefetch_header(); });
      ahead(i, kAhead, [](const RecordEntry& entry) { entry.prefetch_rest(); });
      const std::uint32_t slot = slots[i];
      if (slot == kNone) {
        part_.body.add_bumped();
        continue;
      }
      const RecordEntry entry = records_.batch()[slot];
      const std::uint16_t fingerprint = fingerprint_of(records_.batch().half(slot));
      if (writer_.encodes()) {
        unit_.clear();
        writer_.append_unchecked(entry.key_size(),
                                 base::as_bytes(records_.batch().pair(entry, raw_)), unit_);
        part_.body.add_unit(fingerprint, unit_);
      } else {
        part_.body.add_raw(fingerprint, entry.key_size(),
                           [&](base::Bytes& to) { records_.batch().append_pair(entry, to); });
      }
      part_.longest_raw = std::max<std::uint64_t>(part_.longest_raw, entry.pair_size());
      use_long(part_.body.bytes());
    }
  }

  template <typename UseLong>
  void encode_blocks(std::span<const std::uint32_t> slots, const UseLong& use_long) {
    BlockCutter cutter(coding_.block_bytes);
    raw_.clear();
    for (const std::uint32_t slot : slots) {
      const bool is_bumped = slot == kNone;
      const std::uint64_t size = is_bumped ? coding_.usual_bytes : raw_size(records_.batch()[slot]);
      if (cutter.begins(size)) {
        end_block();
        use_long(part_.body.bytes());
      }
      if (is_bumped) {
        append_bumped_place(raw_);
        bumped_.push_back(in_block_);
      } else {
        const RecordEntry entry = records_.batch()[slot];
        append_raw_sizes(raw_, entry.key_size(), entry.record_size());
        records_.batch().append_pair(entry, raw_);
        fingerprints_.push_back(fingerprint_of(records_.batch().half(slot)));
      }
      ++in_block_;
    }
    end_block();
  }

  static std::uint64_t raw_size(const RecordEntry& entry) noexcept {
    return raw_record_size(std::size_t{entry.key_size()}, std::size_t{entry.record_size()});
  }

  void end_block() {
    if (in_block_ == 0) return;
    base::ByteView bytes = raw_;
    if (bumped_.empty()) {
      unit_.clear();
      writer_.append_unchecked(in_block_, raw_, unit_);
      bytes = unit_;
      part_.longest_raw = std::max<std::uint64_t>(part_.longest_raw, raw_.size());
    }
    part_.body.add_block({in_block_, bumped_, fingerprints_, bytes});
    in_block_ = 0;
    bumped_.clear();
    fingerprints_.clear();
    raw_.clear();
  }

  const RecordCoding& coding_;
  bool by_record_;
  const RankTable& table_;
  UnitWriter writer_;
  TableRecords records_;

  Task task_{};
  std::uint64_t bytes_ = 0;  // of its records
  RecordPart part_;
  std::vector<std::uint32_t> slots_;           // by rank: a record of the batch, or kNone
  std::vector<std::uint32_t> bumped_records_;  // of the batch
  base::Bytes raw_;
  base::Bytes unit_;
  // The block in the making:
  std::uint32_t in_block_ = 0;
  std::vector<std::uint32_t> bumped_;
  std::vector<std::uint16_t> fingerprints_;
};

}  // namespace

void collect_bumped(const RecordCoding& coding, const RecordSource& source, Duplicates duplicates,
                    const RankTable& table, const base::BuildContext& context,
                    const std::function<void(base::ByteView bumped)>& use) {
  struct Reader {
    TableRecords records;
    std::vector<std::uint32_t> bumped;  // of the batch
  };
  base::IdlePool<Reader> readers([&] {
    return std::make_unique<Reader>(TableRecords(source, duplicates, table, coding.usual_bytes));
  });
  /// Returns what the bumped keys of a cell take.
  const auto read = [&](std::uint64_t i, Reader& reader) {
    const RankTable::Cell cell = table.cell(i);
    reader.bumped.clear();
    std::uint64_t bytes = 0;
    if (cell.keys == 0) return bytes;
    reader.records.read(cell.first_key, cell.first_key + cell.keys,
                        [&](std::uint64_t, std::uint32_t rank, std::size_t record) {
                          if (rank != PartRanks::kBumped) return;
                          reader.bumped.push_back(static_cast<std::uint32_t>(record));
                          bytes += reader.records.batch()[record].pair_size();
                        });
    return bytes;
  };
  const auto append = [](const Reader& reader, std::uint32_t record, base::Bytes& to) {
    const RecordBatch& batch = reader.records.batch();
    append_bumped(to, batch, batch[record]);
  };
  context.progress.begin("rank records", table.keys());
  base::parallel_ordered_within(
      context.threads, table.cells(), waiting_bytes(0, context.threads),
      [&](std::uint64_t i, const auto& has_room) {
        const auto reader = readers.take();
        std::optional<base::Bytes> bumped;
        if (!has_room(read(i, *reader))) return bumped;
        bumped.emplace();
        for (const std::uint32_t record : reader->bumped) append(*reader, record, *bumped);
        return bumped;
      },
      [&](std::uint64_t i, const std::optional<base::Bytes>& bumped) {
        if (bumped) {
          use(*bumped);
        } else {
          const auto reader = readers.take();
          (void)read(i, *reader);
          for (const std::uint32_t record : reader->bumped) {
            base::Bytes one;
            append(*reader, record, one);
            use(one);
          }
        }
        context.progress.add(table.cell(i).keys);
      });
}

void build_record_parts(const RecordCoding& coding, const RecordSource& source,
                        Duplicates duplicates, const RankTable& table, std::uint64_t memory_bytes,
                        const base::BuildContext& context,
                        const std::function<void(RecordPart part)>& use) {
  const auto encoding = coding.open();
  const std::uint64_t most_bytes = task_bytes(memory_bytes, context.threads);
  const std::vector<Task> tasks = cut_tasks(table, coding, most_bytes);
  const unsigned threads = source.copies_entries() ? encoding_threads(coding, table, tasks,
                                                                      memory_bytes, context.threads)
                                                   : context.threads;
  base::IdlePool<Worker> workers(
      [&] { return std::make_unique<Worker>(coding, *encoding, source, duplicates, table); });
  context.progress.begin("write records", table.keys());
  base::parallel_ordered_within(
      threads, tasks.size(), waiting_bytes(memory_bytes, threads),
      [&](std::uint64_t i, const auto& has_room) {
        const auto worker = workers.take();
        std::optional<RecordPart> made;
        if (has_room(worker->begin(tasks[i])))
          worker->run(UINT64_MAX, [&](RecordPart part) { made = std::move(part); });
        return made;
      },
      [&](std::uint64_t i, std::optional<RecordPart> part) {
        if (part) {
          use(*std::exchange(part, std::nullopt));
        } else {
          const auto worker = workers.take();
          (void)worker->begin(tasks[i]);
          worker->run(most_bytes, use);
        }
        context.progress.add(tasks[i].end_key - tasks[i].first_key);
      });
}

}  // namespace crivo::records
