// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/function.hpp"

#include <algorithm>
#include <array>

namespace crivo::csf {
namespace {

constexpr std::size_t kBatch = CodeRibbon::kBatch;

LengthCounts decode_lengths(base::FieldReader& fields, const LevelEntry& entry) {
  LengthCounts counts{};
  std::uint64_t codewords = 0;
  for (unsigned length = 0; length <= entry.codes.code_bits; ++length) {
    counts[length] = fields.u32();
    codewords += counts[length];
  }
  if (codewords != entry.codewords || counts[entry.codes.code_bits] == 0 || !is_complete(counts)) {
    fields.fail("has a level whose codewords are not a complete code");
  }
  return counts;
}

}  // namespace

struct Function::Batch {
  std::array<LocalKey, kBatch> keys;
  std::array<std::uint8_t, kBatch> places;  // in the caller's values
  std::size_t size = 0;

  std::span<const LocalKey> all() const noexcept { return std::span(keys).first(size); }

  /// Keeps the key at `from` as the one at `to`, not above it.
  void keep(std::size_t from, std::size_t to) noexcept {
    keys[to] = keys[from];
    places[to] = places[from];
  }
};

Function::Function(const base::CheckedBytes& section, const std::function<void()>& forget)
    : header_(decode_header(section)),
      pages_(section.checks),
      mask_(header_.width == 0 ? 0 : ~std::uint64_t{0} >> (64 - header_.width)) {
  const std::vector<LevelEntry> entries = decode_entries(header_, section);
  const base::ByteView rest =
      section.bytes.first(section.bytes.size() - entries.size() * kEntryBytes);
  base::FieldReader fields({rest, section.checks}, "coded section");
  fields.take(kHeaderBytes);
  PartitionLayout layout;
  for (const LevelEntry& entry : entries) {
    open_level(fields, entry);
    layout.plain = entry.plain;
    layout.slices += entry.slices();
  }
  const std::uint64_t table_bytes = layout.entry_bytes() << header_.partition_bits;  // below 2^60
  if (table_bytes > fields.remaining()) fields.fail("ends before its table of partitions");
  base::FieldReader table({rest.last(table_bytes), section.checks}, "coded section");
  base::FieldReader bodies({rest.first(rest.size() - table_bytes), section.checks},
                           "coded section");
  bodies.take(fields.position());
  bodies.align(layout.alignment());
  open_partitions(bodies, table, layout, forget);
  bodies.expect_end();
}

// Whatever is read past a level's symbols, or its ribbons, is still in the section: at least its
// entry.
void Function::open_level(base::FieldReader& fields, const LevelEntry& entry) {
  const auto index = static_cast<unsigned>(levels_.size());
  Level& level = levels_.emplace_back();
  level.entry = entry;
  if (entry.plain) return;
  if (entry.filter.code_bits != 0) level.filter.emplace(entry.filter, index);
  const LengthCounts lengths = decode_lengths(fields, entry);
  level.symbols = fields.take(std::uint64_t{entry.codewords} * symbol_bytes(header_.width)).data();
  fields.align(8);
  if (entry.codes.code_bits == 0) {
    if (entry.escape) fields.fail("has a level that has no value");
    return;
  }
  level.code.emplace(CodeRibbon(entry.codes), Decoder(lengths, entry.codes.code_bits));
}

void Function::open_partitions(base::FieldReader& bodies, base::FieldReader& table,
                               const PartitionLayout& layout, const std::function<void()>& forget) {
  // With the system's largest pages these are some 16 MiB.
  constexpr std::uint64_t kForgetPartitions = 8;
  for (std::uint64_t opened = 1; table.remaining() != 0; ++opened) {
    const std::uint64_t begin = table.u64();
    if (begin < bodies.position() || begin % layout.alignment() != 0) {
      table.fail("has a partition that begins in another");
    }
    bodies.take(begin - bodies.position());
    std::uint64_t ribbon_bytes = 0;
    if (layout.plain) {
      plain_.emplace_back(base::CheckedBytes(bodies.take(table.u64()), pages_.checks()));
      if (plain_.back().width() != header_.width) {
        bodies.fail("has plain values of another width than it says");
      }
      bodies.skip_to(8);
      ribbon_bytes = table.u64();
    }
    const std::uint64_t ribbons_begin = bodies.position();
    for (Level& level : levels_) {
      if (level.filter) level.filter->add(table, bodies);
      if (level.code) level.code->ribbon.add(table, bodies);
    }
    if (layout.plain && bodies.position() - ribbons_begin != ribbon_bytes) {
      table.fail("a partition has the wrong number of parts");
    }
    bodies.skip_to(layout.alignment());
    if (forget && layout.plain && opened % kForgetPartitions == 0) forget();
  }
}

std::uint64_t Function::symbol(const Level& level, std::uint32_t codeword) const noexcept {
  const std::uint64_t at = std::uint64_t{codeword} * symbol_bytes(header_.width);
  pages_.touch(level.symbols + at, symbol_bytes(header_.width));
  return base::load_le<std::uint64_t>(level.symbols + at) & mask_;
}

std::uint64_t Function::value(Hash128 hash) const noexcept {
  const LocalKey key = local_key(hash, header_.partition_bits);
  for (const Level& level : levels_) {
    if (level.filter && !level.filter->reports(key)) return level.entry.dominant & mask_;
    if (level.entry.plain) return plain_[key.partition].value(key.hash);
    if (!level.code) return symbol(level, 0);
    const std::uint32_t codeword = level.code->decoder.index(level.code->ribbon.bits(key));
    if (codeword != level.entry.escape) return symbol(level, codeword);
  }
  return 0;  // of no keys
}

/// Answers the keys that the filter does not report, and keeps the others.
void Function::pass_filter(const LevelFilter& filter, std::uint64_t dominant, Batch& batch,
                           std::uint64_t* values) const noexcept {
  std::array<bool, kBatch> reported;
  filter.reports(batch.all(), reported.data());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch.size; ++i) {
    values[batch.places[i]] = dominant;
    batch.keep(i, kept);
    kept += reported[i] ? 1 : 0;
  }
  batch.size = kept;
}

/// Answers the keys whose values do not escape, and keeps the others.
void Function::decode(const Level& level, const Code& code, Batch& batch,
                      std::uint64_t* values) const noexcept {
  std::array<std::uint32_t, kBatch> bits;
  code.ribbon.bits(batch.all(), bits.data());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch.size; ++i) {
    const std::uint32_t codeword = code.decoder.index(bits[i]);
    values[batch.places[i]] = symbol(level, codeword);
    batch.keep(i, kept);
    kept += codeword == level.entry.escape ? 1 : 0;
  }
  batch.size = kept;
}

void Function::values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept {
  for (; !hashes.empty(); values += kBatch) {
    Batch batch;
    batch.size = std::min(kBatch, hashes.size());
    for (std::size_t i = 0; i < batch.size; ++i) {
      batch.keys[i] = local_key(hashes[i], header_.partition_bits);
      batch.places[i] = static_cast<std::uint8_t>(i);
      values[i] = 0;
    }
    for (const Level& level : levels_) {
      if (batch.size == 0) break;
      if (level.filter) {
        pass_filter(*level.filter, level.entry.dominant & mask_, batch, values);
      }
      if (level.code) {
        decode(level, *level.code, batch, values);
        continue;
      }
      for (std::size_t i = 0; i < batch.size; ++i) {
        const LocalKey& key = batch.keys[i];
        values[batch.places[i]] =
            level.entry.plain ? plain_[key.partition].value(key.hash) : symbol(level, 0);
      }
    }
    if (hashes.size() <= kBatch) break;
    hashes = hashes.subspan(kBatch);
  }
}

}  // namespace crivo::csf
