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
#include "records/fingerprint.hpp"
#include "records/part_body.hpp"
#include "records/stray_records.hpp"
#include "records/unit.hpp"

namespace crivo::records {

namespace {

/// What one call makes: whole segments, and the strays among some keys.
struct Task {
  const RankTable::Partition* partition;
  std::uint64_t first_segment;  // of the partition
  std::uint64_t end_segment;
  std::uint64_t first_key;  // of the partition; of those whose strays it has
  std::uint64_t end_key;
};

/// So that what is in work, and what waits for its turn, stays within the memory.
std::uint64_t task_bytes(std::uint64_t memory_bytes, unsigned threads) noexcept {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 19;
  constexpr std::uint64_t kMost = std::uint64_t{8} << 20;
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

/// Does one task after another, in memory that it keeps.
class Worker {
 public:
  Worker(const RecordCoding& coding, const Codec& codec, const RecordSource& source,
         Duplicates duplicates, const RankTable& table)
      : coding_(coding),
        by_record_(coding.type().by_record),
        source_(source),
        duplicates_(duplicates),
        table_(table),
        writer_(codec) {}

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

  /// Reads the records of the task: those of its ranks into slots_, the strays into the part.
  void read(const Task& task) {
    std::uint64_t begin = task.first_key;
    std::uint64_t end = task.end_key;
    for (std::uint64_t i = task.first_segment; i != task.end_segment; ++i) {
      const RankTable::Segment& segment = table_.segment(task.partition->first_segment + i);
      if (segment.end_key == 0) continue;  // of strays alone
      if (begin == end) begin = end = segment.first_key;
      begin = std::min(begin, segment.first_key);
      end = std::max(end, segment.end_key);
    }
    batch_.clear();
    const std::uint64_t first_rank = task.first_segment << table_.segment_bits();
    const std::uint64_t end_rank =
        std::min(task.partition->ranks, task.end_segment << table_.segment_bits());
    slots_.assign(end_rank > first_rank ? end_rank - first_rank : 0, kNone);
    if (begin == end) return;
    ranks_.resize(end - begin);
    table_.read(task.partition->first_key + begin, ranks_);
    const std::uint64_t first_key = task.partition->first_key + begin;
    const std::uint64_t end_key = task.partition->first_key + end;
    for (RankTable::Cell cell = table_.cell_of(first_key);; cell = table_.next(cell)) {
      if (cell.keys != 0) {
        const std::size_t first = batch_.size();
        source_.read(table_.cell_bits(), cell.index, batch_);
        batch_.sort(duplicates_);
        if (batch_.size() - first != cell.keys) {
          throw Error(ErrorKind::bad_input,
                      "the records are not those of the keys: are two keys the same?");
        }
        for (std::size_t i = first; i < batch_.size(); ++i) {
          const std::uint64_t key = cell.first_key + (i - first);
          if (key < first_key || key >= end_key) continue;
          put(task, key - task.partition->first_key, ranks_[key - first_key], first_rank, i);
        }
      }
      if (cell.first_key + cell.keys >= end_key) break;
    }
  }

  void put(const Task& task, std::uint64_t key, std::uint32_t rank, std::uint64_t first_rank,
           std::size_t record) {
    if (rank == PartRanks::kStray) {
      if (key < task.first_key || key >= task.end_key) return;
      append_stray(part_.strays, batch_.hash(record), batch_.key(record), batch_.record(record));
    } else if (rank - first_rank < slots_.size()) {
      slots_[rank - first_rank] = static_cast<std::uint32_t>(record);
    }
  }

  void encode_records(std::span<const std::uint32_t> slots) {
    constexpr std::size_t kAhead = 8;  // the order of ranks is any in memory
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (i + kAhead < slots.size() && slots[i + kAhead] != kNone)
        batch_.prefetch(slots[i + kAhead]);
      const std::uint32_t slot = slots[i];
      if (slot == kNone) {
        append_stray_entry(part_.body);
        continue;
      }
      const base::ByteView raw = base::as_bytes(batch_.pair(slot));
      unit_.clear();
      writer_.append_unchecked(static_cast<std::uint32_t>(batch_.key(slot).size()), raw, unit_);
      append_record_entry(part_.body, fingerprint_of(batch_.hash(slot).hi), unit_);
      part_.longest_raw = std::max<std::uint64_t>(part_.longest_raw, raw.size());
    }
  }

  void encode_blocks(std::span<const std::uint32_t> slots) {
    BlockCutter cutter(coding_.block_bytes);
    raw_.clear();
    for (const std::uint32_t slot : slots) {
      const bool is_stray = slot == kNone;
      const std::string_view key = is_stray ? std::string_view() : batch_.key(slot);
      const std::string_view record = is_stray ? std::string_view() : batch_.record(slot);
      if (cutter.begins(is_stray ? coding_.usual_bytes : raw_record_size(key, record))) end_block();
      if (is_stray) {
        append_stray_place(raw_);
        strays_.push_back(records_);
      } else {
        append_raw_record(raw_, key, record);
        fingerprints_.push_back(fingerprint_of(batch_.hash(slot).hi));
      }
      ++records_;
    }
    end_block();
  }

  void end_block() {
    if (records_ == 0) return;
    base::ByteView bytes = raw_;
    if (strays_.empty()) {
      unit_.clear();
      writer_.append_unchecked(records_, raw_, unit_);
      bytes = unit_;
      part_.longest_raw = std::max<std::uint64_t>(part_.longest_raw, raw_.size());
    }
    append_block_entry(part_.body, records_, strays_, fingerprints_, bytes);
    records_ = 0;
    strays_.clear();
    fingerprints_.clear();
    raw_.clear();
  }

  const RecordCoding& coding_;
  bool by_record_;
  const RecordSource& source_;
  Duplicates duplicates_;
  const RankTable& table_;
  UnitWriter writer_;

  RecordPart part_;
  RecordBatch batch_;
  std::vector<std::uint32_t> ranks_;  // of the keys that are read
  std::vector<std::uint32_t> slots_;  // by rank: a record of the batch, or kNone
  base::Bytes raw_;
  base::Bytes unit_;
  // Of the block in the making.
  std::uint32_t records_ = 0;
  std::vector<std::uint32_t> strays_;
  std::vector<std::uint16_t> fingerprints_;
};

}  // namespace

void build_record_parts(const RecordCoding& coding, const RecordSource& source,
                        Duplicates duplicates, const RankTable& table, std::uint64_t memory_bytes,
                        const base::BuildContext& context,
                        const std::function<void(RecordPart part)>& use) {
  const auto codec = coding.type().open(coding.dictionary);
  const std::vector<Task> tasks =
      cut_tasks(table, coding, task_bytes(memory_bytes, context.threads));
  base::IdlePool<Worker> workers(
      [&] { return std::make_unique<Worker>(coding, *codec, source, duplicates, table); });
  context.progress.begin("encode records", table.keys());
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
