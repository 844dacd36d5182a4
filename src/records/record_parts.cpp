// SPDX-License-Identifier: Apache-2.0
#include "records/record_parts.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "base/idle_pool.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/bumped_records.hpp"
#include "records/fingerprint.hpp"
#include "records/unit.hpp"

namespace crivo::records {

namespace {

/// What one call makes: whole segments, and the bumped keys among some keys.
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

/// The records of some keys of the table, in memory that it keeps.
class TableRecords {
 public:
  TableRecords(const RecordSource& source, Duplicates duplicates, const RankTable& table)
      : source_(source), duplicates_(duplicates), table_(table) {}

  const RecordBatch& batch() const noexcept { return batch_; }
  void clear() noexcept { batch_.clear(); }

  /// Calls visit(key, rank, i) for the keys from `begin` to before `end`, of which there are some,
  /// where i is the record in the batch.
  template <typename Visit>
  void read(std::uint64_t begin, std::uint64_t end, const Visit& visit) {
    clear();
    ranks_.resize(end - begin);
    table_.read(begin, ranks_);
    for (RankTable::Cell cell = table_.cell_of(begin);; cell = table_.next(cell)) {
      if (cell.keys != 0) {
        const std::size_t first = batch_.size();
        source_.read(table_.cell_bits(), cell.index, batch_);
        batch_.sort(duplicates_);
        if (batch_.size() - first != cell.keys) {
          throw Error(ErrorKind::bad_input,
                      "the records do not match the keys; perhaps two keys are equal");
        }
        const std::uint64_t from = std::max(cell.first_key, begin);
        const std::uint64_t to = std::min(cell.first_key + cell.keys, end);
        for (std::uint64_t key = from; key < to; ++key)
          visit(key, ranks_[key - begin], first + (key - cell.first_key));
      }
      if (cell.first_key + cell.keys >= end) break;
    }
  }

 private:
  const RecordSource& source_;
  Duplicates duplicates_;
  const RankTable& table_;
  RecordBatch batch_;
  std::vector<std::uint32_t> ranks_;  // of the keys that are read
};

/// Does one task after another, in memory that it keeps.
class Worker {
 public:
  Worker(const RecordCoding& coding, const Codec& codec, const RecordSource& source,
         Duplicates duplicates, const RankTable& table)
      : coding_(coding),
        by_record_(coding.type().by_record),
        table_(table),
        writer_(codec),
        records_(source, duplicates, table) {}

  RecordPart run(const Task& task) {
    part_ = {};
    part_.begins_partition = task.first_key == 0 && task.first_segment == 0;
    read(task);
    for (std::uint64_t segment = task.first_segment; segment != task.end_segment; ++segment) {
      const std::uint64_t first = segment << table_.segment_bits();
      const std::uint64_t end =
          std::min(task.partition->ranks, (segment + 1) << table_.segment_bits());
      const auto slots = std::span(slots_).subspan(
          first - (task.first_segment << table_.segment_bits()), end - first);
      if (by_record_) {
        encode_records(slots);
      } else {
        encode_blocks(slots);
      }
    }
    return std::move(part_);
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Reads the records of the task: those of its ranks into slots_, the bumped keys into the part.
  void read(const Task& task) {
    std::uint64_t begin = task.first_key;
    std::uint64_t end = task.end_key;
    for (std::uint64_t i = task.first_segment; i != task.end_segment; ++i) {
      const RankTable::Segment& segment = table_.segment(task.partition->first_segment + i);
      if (segment.end_key == 0) continue;  // of bumped keys alone
      if (begin == end) begin = end = segment.first_key;
      begin = std::min(begin, segment.first_key);
      end = std::max(end, segment.end_key);
    }
    const std::uint64_t first_rank = task.first_segment << table_.segment_bits();
    const std::uint64_t end_rank =
        std::min(task.partition->ranks, task.end_segment << table_.segment_bits());
    slots_.assign(end_rank > first_rank ? end_rank - first_rank : 0, kNone);
    records_.clear();
    if (begin == end) return;
    const std::uint64_t base = task.partition->first_key;
    records_.read(base + begin, base + end,
                  [&](std::uint64_t key, std::uint32_t rank, std::size_t record) {
                    if (rank == PartRanks::kBumped) {
                      if (key - base < task.first_key || key - base >= task.end_key) return;
                      append_bumped(part_.bumped, records_.batch()[record]);
                    } else if (rank - first_rank < slots_.size()) {
                      slots_[rank - first_rank] = static_cast<std::uint32_t>(record);
                    }
                  });
  }

  void encode_records(std::span<const std::uint32_t> slots) {
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
      const base::ByteView raw = base::as_bytes(entry.pair());
      const std::uint16_t fingerprint = fingerprint_of(records_.batch().half(slot));
      if (writer_.encodes()) {
        unit_.clear();
        writer_.append_unchecked(entry.key_size(), raw, unit_);
        part_.body.add_unit(fingerprint, unit_);
      } else {
        part_.body.add_raw(fingerprint, entry.key_size(), raw);
      }
      part_.longest_raw = std::max<std::uint64_t>(part_.longest_raw, raw.size());
    }
  }

  void encode_blocks(std::span<const std::uint32_t> slots) {
    BlockCutter cutter(coding_.block_bytes);
    raw_.clear();
    for (const std::uint32_t slot : slots) {
      const bool is_bumped = slot == kNone;
      const std::string_view key = is_bumped ? std::string_view() : records_.batch()[slot].key();
      const std::string_view record =
          is_bumped ? std::string_view() : records_.batch()[slot].record();
      if (cutter.begins(is_bumped ? coding_.usual_bytes : raw_record_size(key, record)))
        end_block();
      if (is_bumped) {
        append_bumped_place(raw_);
        bumped_.push_back(in_block_);
      } else {
        append_raw_record(raw_, key, record);
        fingerprints_.push_back(fingerprint_of(records_.batch().half(slot)));
      }
      ++in_block_;
    }
    end_block();
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

  RecordPart part_;
  std::vector<std::uint32_t> slots_;  // by rank: a record of the batch, or kNone
  base::Bytes raw_;
  base::Bytes unit_;
  // Of the block in the making.
  std::uint32_t in_block_ = 0;
  std::vector<std::uint32_t> bumped_;
  std::vector<std::uint16_t> fingerprints_;
};

}  // namespace

void collect_bumped(const RecordSource& source, Duplicates duplicates, const RankTable& table,
                    const base::BuildContext& context,
                    const std::function<void(base::ByteView bumped)>& use) {
  base::IdlePool<TableRecords> readers(
      [&] { return std::make_unique<TableRecords>(source, duplicates, table); });
  context.progress.begin("rank records", table.keys());
  base::parallel_ordered(
      context.threads, table.cells(),
      [&](std::uint64_t i) {
        const RankTable::Cell cell = table.cell(i);
        base::Bytes bumped;
        if (cell.keys == 0) return bumped;
        const auto records = readers.take();
        records->read(cell.first_key, cell.first_key + cell.keys,
                      [&](std::uint64_t, std::uint32_t rank, std::size_t record) {
                        if (rank == PartRanks::kBumped)
                          append_bumped(bumped, records->batch()[record]);
                      });
        context.progress.add(cell.keys);
        return bumped;
      },
      [&](std::uint64_t, const base::Bytes& bumped) { use(bumped); });
}

void build_record_parts(const RecordCoding& coding, const RecordSource& source,
                        Duplicates duplicates, const RankTable& table, std::uint64_t memory_bytes,
                        const base::BuildContext& context,
                        const std::function<void(RecordPart part)>& use) {
  const auto codec = coding.type().open(coding.dictionary);
  const std::vector<Task> tasks =
      cut_tasks(table, coding, task_bytes(memory_bytes, context.threads));
  base::IdlePool<Worker> workers(
      [&] { return std::make_unique<Worker>(coding, *codec, source, duplicates, table); });
  context.progress.begin("write records", table.keys());
  base::parallel_ordered(
      context.threads, tasks.size(),
      [&](std::uint64_t i) {
        const auto worker = workers.take();
        RecordPart part = worker->run(tasks[i]);
        context.progress.add(tasks[i].end_key - tasks[i].first_key);
        return part;
      },
      [&](std::uint64_t, RecordPart part) { use(std::move(part)); });
}

}  // namespace crivo::records
