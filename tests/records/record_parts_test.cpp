// SPDX-License-Identifier: Apache-2.0
// Records that are spooled in any order are joined in the order of ranks, within their limits.

#include "records/build/record_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include "records/build/bumped_records.hpp"
#include "records/build/encoding.hpp"
#include "records/build/part_records.hpp"
#include "records/build/record_encoder.hpp"
#include "records/build/record_spool.hpp"
#include "records/limits.hpp"
#include "records/unit.hpp"
#include "store_fixture.hpp"
#include "support/hashes.hpp"
#include "support/sizes.hpp"

namespace crivo::records {
namespace {

using test::Records;

constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;
constexpr unsigned kPartitionBits = 2;

/// Ranks of hashes as a function's parts give them: in each of four partitions in some order near
/// that of the hashes, but for bumped keys, that get what is left.
class TestRanks {
 public:
  TestRanks(std::vector<Hash128> hashes, double bumped) : hashes_(std::move(hashes)) {
    std::ranges::sort(hashes_);
    std::mt19937_64 random(3);
    std::vector<Hash128> away;
    std::vector<std::uint64_t> free;
    const stream::KeySlice all{hashes_, {}, 0};
    for (std::uint64_t p = 0; p >> kPartitionBits == 0; ++p) {
      const stream::KeySlice keys = all.partition(kPartitionBits, p);
      std::vector<std::uint32_t> ranks(keys.size());
      std::iota(ranks.begin(), ranks.end(), 0U);
      for (std::size_t i = 0; i + 300 < ranks.size(); ++i)
        std::swap(ranks[i], ranks[i + random() % 300]);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::uint64_t rank = keys.first + ranks[i];
        if (static_cast<double>(random() % 1000) < bumped * 1000) {
          away.push_back(keys.hashes[i]);
          free.push_back(rank);
          ranks[i] = PartRanks::kBumped;
        } else {
          ranks_[keys.hashes[i]] = rank;
        }
      }
      partitions_.push_back(std::move(ranks));
    }
    std::ranges::shuffle(free, random);
    for (std::size_t i = 0; i < away.size(); ++i) ranks_[away[i]] = free[i];
  }

  std::uint64_t operator[](Hash128 hash) const { return ranks_.at(hash); }
  std::uint64_t size() const { return hashes_.size(); }

  RankTable table(unsigned cell_bits, unsigned segment_bits) const {
    RankTable table(nullptr, kPartitionBits, {0, 1 << kPartitionBits}, cell_bits, segment_bits);
    const stream::KeySlice all{hashes_, {}, 0};
    const unsigned cut = table.cell_bits() - kPartitionBits;
    for (std::uint64_t p = 0; p < partitions_.size(); ++p) {
      PartRanks ranks{partitions_[p].size(), partitions_[p], {}};
      for (std::uint64_t cell = p << cut; cell != (p + 1) << cut; ++cell) {
        const auto keys = all.partition(table.cell_bits(), cell);
        ranks.cell_keys.push_back(static_cast<std::uint32_t>(keys.size()));
      }
      table.add(ranks);
    }
    table.finish();
    return table;
  }
  RankHashes function() const {
    return [this](std::span<const Hash128> hashes, std::uint64_t* ranks) {
      for (const Hash128 hash : hashes) *ranks++ = ranks_.at(hash);
    };
  }

 private:
  std::vector<Hash128> hashes_;
  std::vector<std::vector<std::uint32_t>> partitions_;
  std::map<Hash128, std::uint64_t> ranks_;
};

/// The stored units of records, by way of parts that are made within so much memory, and joined.
struct Joined {
  Joined(const RecordSource& source, const TestRanks& ranks, const CodecRequest& request,
         std::uint64_t memory, unsigned threads, Duplicates duplicates = Duplicates::refuse) {
    const test::TempDirectory directory;
    const RecordCoding coding = plan_coding(request, ranks.size(), source, duplicates);
    const RankTable table = ranks.table(source.piece_bits() + 1, coding.segment_bits);
    BumpedRecords bumped(directory.path(), ranks.size(), memory);
    std::vector<RecordPart> parts;
    base::Progress progress;
    base::Bytes in_parts;
    build_record_parts(coding, source, duplicates, table, memory, {threads, progress},
                       [&](RecordPart part) {
                         in_parts.insert(in_parts.end(), part.bumped.begin(), part.bumped.end());
                         parts.push_back(std::move(part));
                       });
    EXPECT_EQ(progress.done(), progress.total());
    base::Bytes collected;
    collect_bumped(
        coding, source, duplicates, table, {threads, progress},
        [&](base::ByteView some) { collected.insert(collected.end(), some.begin(), some.end()); });
    EXPECT_EQ(progress.done(), progress.total());
    EXPECT_TRUE(collected == in_parts);
    bumped.add(collected, ranks.function());
    bumped.finish();
    RecordEncoder encoder(coding, threads, [&](std::span<const EncodedUnit> units) {
      for (const EncodedUnit& unit : units) {
        stored.emplace_back(unit.stored.begin(), unit.stored.end());
        fingerprints.insert(fingerprints.end(), unit.fingerprints.begin(), unit.fingerprints.end());
      }
    });
    const auto bumped_key = [&](std::uint64_t rank) { return bumped.take(rank); };
    for (const RecordPart& part : parts) {
      encoder.note_longest(part.longest_raw);
      part.body.for_each([&](const PartEntry& entry) { encoder.append_entry(entry, bumped_key); });
    }
    while (encoder.next_rank() < ranks.size()) encoder.append(bumped_key(encoder.next_rank()));
    section = encoder.finish();
  }

  Records records() const {
    Records out;
    const auto codec = section.type().open(base::ByteView(section.dictionary));
    UnitReader reader(section.type(), *codec, section.longest_raw);
    for (const base::Bytes& unit : stored) {
      EXPECT_TRUE(reader.open(unit, out.size()));
      std::string_view key;
      std::string_view record;
      while (reader.take(key, record)) out.emplace_back(key, record);
      EXPECT_TRUE(reader.is_finished());
    }
    return out;
  }

  CodecSection section;
  std::vector<base::Bytes> stored;
  std::vector<std::uint16_t> fingerprints;
};

void fill(RecordSpool& spool, const std::vector<Hash128>& hashes, const Records& records) {
  for (std::size_t i = 0; i < records.size(); ++i)
    spool.add(0, hashes[i], i, records[i].first, records[i].second);
  spool.finish(1);
}

Records in_rank_order(const Records& records, const std::vector<Hash128>& hashes,
                      const TestRanks& ranks) {
  Records ordered(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) ordered[ranks[hashes[i]]] = records[i];
  return ordered;
}

TEST(RecordParts, AreJoinedInRankOrder) {
  const test::TempDirectory directory;
  for (const std::size_t count : {0, 1, 2, 255, 1000, 20000 / test::kFewer}) {
    for (const double bumped : {0.0, 0.02, 1.0}) {
      const Records records = test::text_records(count);
      const std::vector<Hash128> hashes = test::random_hashes(count);
      const TestRanks ranks(hashes, bumped);
      RecordSpool spool(directory.path(), 6, 3, kMemory);
      fill(spool, hashes, records);
      for (const CodecType& type : codec_types()) {
        const Joined joined(spool, ranks, {.codec = type.id, .block_bytes = 512}, kMemory, 1);
        ASSERT_TRUE(joined.records() == in_rank_order(records, hashes, ranks)) << type.name;
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(joined.fingerprints[ranks[hashes[i]]],
                    static_cast<std::uint16_t>(hashes[i].hi));
        }
      }
    }
  }
}

/// Neither the memory, that is the length of parts, nor the pieces of the spool, nor threads.
TEST(RecordParts, NothingElseDecidesAboutTheUnits) {
  const test::TempDirectory directory;
  const Records records = test::random_records(20000 / test::kFewer, 400);
  const std::vector<Hash128> hashes = test::random_hashes(records.size());
  const TestRanks ranks(hashes, 0.02);
  RecordSpool one(directory.path(), 0, 3, kMemory);
  RecordSpool many(directory.path(), 9, 3, 0);
  fill(one, hashes, records);
  fill(many, hashes, records);
  EXPECT_EQ(one.temp_bytes(), 0U);
  EXPECT_GT(many.temp_bytes(), 250 * records.size());
  for (const CodecId codec : {CodecId::none, CodecId::zstd}) {
    const Joined expected(one, ranks, {.codec = codec}, std::uint64_t{1} << 30, 1);
    EXPECT_TRUE(expected.records() == in_rank_order(records, hashes, ranks));
    for (const unsigned threads : {1U, 3U}) {
      const Joined joined(many, ranks, {.codec = codec}, 0, threads);
      EXPECT_TRUE(joined.stored == expected.stored);
      EXPECT_EQ(joined.section.encode(), expected.section.encode());
    }
  }
}

/// Pieces that are too large for the memory: of some, long records; then, all hashes are of two.
TEST(RecordParts, TakeLargePiecesByCellsOnThreads) {
  const test::TempDirectory directory;
  for (const bool few : {false, true}) {
    Records records = test::random_records(1024, 1500);
    std::vector<Hash128> hashes = test::random_hashes(records.size());
    std::ranges::sort(hashes);
    for (std::size_t i = 0; i < 8; ++i) records[i].second.resize(300'000 + i, 'x');
    for (Hash128& hash : hashes) {
      if (few) hash.hi = hash.hi >> 20 | std::uint64_t{1} << (62 + hash.lo % 2);
    }
    const TestRanks ranks(hashes, 0.02);
    RecordSpool spool(directory.path(), 4, 3, 0);
    fill(spool, hashes, records);
    const Joined joined(spool, ranks, {.codec = CodecId::none}, 0, 2);
    EXPECT_TRUE(joined.records() == in_rank_order(records, hashes, ranks));
  }
}

TEST(RecordSpool, TakesRecordsFromSeveralThreads) {
  const test::TempDirectory directory;
  const Records records = test::text_records(9000);
  const std::vector<Hash128> hashes = test::random_hashes(records.size());
  const TestRanks ranks(hashes, 0.02);
  RecordSpool spool(directory.path(), 5, 3, kMemory);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < records.size(); i += 3)
        spool.add(static_cast<unsigned>(t), hashes[i], i, records[i].first, records[i].second);
    });
  }
  for (std::thread& thread : threads) thread.join();
  spool.finish(2);
  const Joined joined(spool, ranks, {.codec = CodecId::none}, kMemory, 1);
  EXPECT_TRUE(joined.records() == in_rank_order(records, hashes, ranks));
}

/// Whether all is in memory or not, and beside records that no input has.
TEST(RecordSpool, ReadsLongRecordsOfTheInputAgain) {
  const test::TempDirectory directory;
  Records records = test::text_records(300);
  for (std::size_t i = 0; i < records.size(); i += 3)
    records[i].second.append(5000 + i, static_cast<char>('a' + i % 26));
  const std::vector<Hash128> hashes = test::random_hashes(records.size());
  const TestRanks ranks(hashes, 0.1);
  std::string text;
  std::vector<std::uint64_t> offsets;
  for (const auto& [key, record] : records) {
    offsets.push_back(text.size());
    text += record;
  }
  const std::filesystem::path path = directory.path() / "input";
  for (const std::uint64_t memory : {kMemory, std::uint64_t{0}}) {
    std::ofstream(path) << text;
    const InputText input{path.string(), base::FileDescriptor::open_to_read(path)};
    RecordSpool spool(directory.path(), 3, 1, memory, {}, {&input, 1});
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto& [key, record] = records[i];
      if (i % 2 == 0) {
        spool.add_from_input(0, hashes[i], i, key, record, 0, offsets[i]);
      } else {
        spool.add(0, hashes[i], i, key, record);
      }
    }
    spool.finish(1);
    EXPECT_LT(spool.memory_bytes() + spool.temp_bytes(), text.size());
    const auto joined = [&] {
      return Joined(spool, ranks, {.codec = CodecId::none}, kMemory, 1).records();
    };
    EXPECT_TRUE(joined() == in_rank_order(records, hashes, ranks));
    for (const std::string& changed :
         {text.substr(0, text.size() / 2), std::string(text.size(), 'x')}) {
      std::ofstream(path) << changed;
      const auto [kind, message] = test::error_of(joined);
      EXPECT_EQ(kind, ErrorKind::bad_input);
      EXPECT_NE(message.find(path.string() + ": was changed while it was read"), std::string::npos)
          << message;
    }
  }
}

TEST(RecordSpool, RefusesWhatIsOverTheLimits) {
  const test::TempDirectory directory;
  RecordSpool spool(directory.path(), 0, 3, kMemory);
  spool.add(0, {1, 1}, 0, std::string(kMaxKeyBytes, 'k'), "");
  const std::string long_key(kMaxKeyBytes + 1, 'k');
  const auto key_error = test::error_of([&] { spool.add(0, {1, 2}, 1, long_key, ""); });
  EXPECT_EQ(key_error.first, ErrorKind::bad_input);
  EXPECT_NE(key_error.second.find("1 MiB"), std::string::npos);
  const std::string long_record(kMaxRecordBytes + 1, 'r');
  const auto record_error = test::error_of([&] { spool.add(0, {1, 2}, 1, "k", long_record); });
  EXPECT_EQ(record_error.first, ErrorKind::bad_input);
  EXPECT_NE(record_error.second.find("64 MiB"), std::string::npos);
}

/// Whose checks are sound, but which no spool wrote.
TEST(RecordSpool, RefusesLogsOfOtherEntries) {
  const test::TempDirectory directory;
  const std::filesystem::path name = directory.path() / "log";
  base::FieldWriter entry;
  entry.u64(1).u64(2).u64(3).u32(4).u32(5).bytes(base::as_bytes("key!value"));
  for (std::size_t size = 1; size <= entry.view().size(); ++size) {
    stream::LoggedRuns logged;
    {
      stream::RunLog log(directory.path(), 0, 1, kMemory, name);
      std::ranges::copy(base::ByteView(entry.view()).first(size), log.add(0, 0, size).begin());
      logged = log.log_all();
    }
    RecordSpool spool(directory.path(), 0, 1, kMemory, name);
    spool.go_on_from(logged);
    spool.finish(1);
    RecordBatch batch;
    if (size == entry.view().size()) {
      spool.read(0, 0, batch);
      batch.sort(Duplicates::refuse);
      EXPECT_EQ(batch[0].key(), "key!");
      EXPECT_EQ(batch[0].record(), "value");
      continue;
    }
    const auto [kind, message] = test::error_of([&] { spool.read(0, 0, batch); });
    EXPECT_EQ(kind, ErrorKind::corrupt);
    EXPECT_NE(message.find(name.string()), std::string::npos) << message;
  }
}

TEST(RecordBatch, KeepsOfDuplicatesWhatIsAskedWhateverTheOrder) {
  const test::TempDirectory directory;
  const std::vector<Hash128> hashes = test::random_hashes(3000);
  const TestRanks ranks(hashes, 0.5);
  std::vector<std::uint64_t> order(9000);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, std::mt19937_64(4));
  RecordSpool spool(directory.path(), 3, 3, kMemory);
  for (const std::uint64_t number : order) {
    const std::string key = test::numbered("key", number % 3000);
    spool.add(0, hashes[number % 3000], number, key, std::to_string(number));
  }
  spool.finish(1);
  for (const Duplicates duplicates :
       {Duplicates::keep_first, Duplicates::keep_last, Duplicates::join}) {
    const Records out =
        Joined(spool, ranks, {.codec = CodecId::none}, kMemory, 1, duplicates).records();
    ASSERT_EQ(out.size(), 3000U);
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::string record = duplicates == Duplicates::keep_first ? std::to_string(i)
                                 : duplicates == Duplicates::keep_last
                                     ? std::to_string(i + 6000)
                                     : std::to_string(i) + "\n" + std::to_string(i + 3000) + "\n" +
                                           std::to_string(i + 6000);
      EXPECT_EQ(out[ranks[hashes[i]]], (test::Record{test::numbered("key", i), record}));
    }
  }
}

TEST(RecordBatch, RefusesTwoRecordsOfOneHash) {
  RecordBatch batch;
  const std::vector<Hash128> hashes = test::random_hashes(10);
  for (std::uint64_t i = 0; i < 11; ++i) batch.add(hashes[i % 10], i, "k", "r");
  const auto [kind, message] = test::error_of([&] { batch.sort(Duplicates::refuse); });
  EXPECT_EQ(kind, ErrorKind::bad_input);
  EXPECT_NE(message.find("records 0 and 10"), std::string::npos) << message;
}

TEST(RecordParts, RefuseKeysThatAreNotThoseOfTheRecords) {
  const test::TempDirectory directory;
  const std::vector<Hash128> hashes = test::random_hashes(100);
  const TestRanks ranks(hashes, 0.02);
  RecordSpool spool(directory.path(), 0, 3, kMemory);
  fill(spool, hashes, test::text_records(99));
  EXPECT_EQ(test::error_of([&] { Joined(spool, ranks, {.codec = CodecId::none}, 0, 1); }).first,
            ErrorKind::bad_input);
}

RankHashes fixed(std::uint64_t rank) {
  return [rank](std::span<const Hash128> hashes, std::uint64_t* ranks) {
    std::fill_n(ranks, hashes.size(), rank);
  };
}

TEST(BumpedRecords, RefuseTwoOfOneRankAMissingOneAndOneOutOfRange) {
  const test::TempDirectory directory;
  RecordBatch batch;
  batch.add({1, 1}, 0, "a", "");
  batch.add({1, 2}, 1, "b", "");
  base::Bytes some;
  append_bumped(some, batch, batch[0]);
  base::Bytes two = some;
  append_bumped(two, batch, batch[1]);
  BumpedRecords bumped(directory.path(), 2, kMemory);
  bumped.add(two, fixed(0));
  bumped.finish();
  EXPECT_EQ(bumped.take(0).key.size(), 1U);
  EXPECT_EQ(test::error_of([&] { (void)bumped.take(1); }).first, ErrorKind::bad_input);
  BumpedRecords missing(directory.path(), 2, kMemory);
  missing.add(some, fixed(1));
  missing.finish();
  EXPECT_EQ(test::error_of([&] { (void)missing.take(0); }).first, ErrorKind::bad_input);
  EXPECT_EQ(test::error_of([&] { missing.add(some, fixed(7)); }).first, ErrorKind::bad_input);
  for (std::size_t size = 1; size < some.size(); ++size) {
    const base::ByteView cut = base::ByteView(some).first(size);
    EXPECT_EQ(test::error_of([&] { missing.add(cut, fixed(0)); }).first, ErrorKind::corrupt);
  }
}

/// No bytes of a part do harm: they are refused, or are units that do not open.
TEST(RecordEncoder, RefusesMalformedParts) {
  const test::TempDirectory directory;
  const Records records = test::text_records(200);
  const std::vector<Hash128> hashes = test::random_hashes(records.size());
  const TestRanks ranks(hashes, 0.1);
  RecordSpool spool(directory.path(), 0, 3, kMemory);
  fill(spool, hashes, records);
  std::mt19937_64 random(5);
  int refused = 0;
  for (const CodecType& type : codec_types()) {
    const RecordCoding coding =
        plan_coding({.codec = type.id}, records.size(), spool, Duplicates::refuse);
    const RankTable table = ranks.table(2, coding.segment_bits);
    base::MemorySink units;
    base::MemorySink slots;
    PartRecordsWriter writer(type, units, slots);
    base::Progress progress;
    build_record_parts(coding, spool, Duplicates::refuse, table, kMemory, {1, progress},
                       [&](const RecordPart& part) { writer.add(part.body); });
    const std::uint64_t count = writer.finish();
    const auto bumped_key = [](std::uint64_t) { return HalvedRecord{0, "key", "record"}; };
    for (int i = 0; i < 300; ++i) {
      base::Bytes damaged(units.view().begin(), units.view().end());
      base::Bytes damaged_slots(slots.view().begin(), slots.view().end());
      base::Bytes& damage = i % 2 == 0 ? damaged : damaged_slots;
      damage[random() % damage.size()] ^= static_cast<std::byte>(1 + random() % 255);
      RecordEncoder encoder(coding, 1, [](std::span<const EncodedUnit>) {});
      try {
        const SlottedUnits all(Slots(base::ByteView(damaged_slots), count), damaged);
        PartRecordsReader reader(type, all);
        while (const PartEntry* const entry = reader.next())
          encoder.append_entry(*entry, bumped_key);
        (void)encoder.finish();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::corrupt);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace crivo::records
