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
  std::array<Hash128, kBatch> hashes;
  std::array<std::uint8_t, kBatch> places;  // in the caller's values
  std::size_t size = 0;

  std::span<const Hash128> keys() const noexcept { return std::span(hashes).first(size); }

  /// Keeps the key at `from` as the one at `to`, not above it.
  void keep(std::size_t from, std::size_t to) noexcept {
    hashes[to] = hashes[from];
    places[to] = places[from];
  }
};

Function::Function(base::ByteView section)
    : header_(decode_header(section)),
      mask_(header_.width == 0 ? 0 : ~std::uint64_t{0} >> (64 - header_.width)) {
  const std::vector<LevelEntry> entries = decode_entries(header_, section);
  base::FieldReader fields(section.first(section.size() - entries.size() * kEntryBytes),
                           "coded section");
  fields.take(kHeaderBytes);
  for (const LevelEntry& entry : entries) open_level(fields, entry);
  fields.align(8);
  fields.expect_end();
}

// Whatever is read past a level's parts is still in the section: at least its entry.
void Function::open_level(base::FieldReader& fields, const LevelEntry& entry) {
  const auto index = static_cast<unsigned>(levels_.size());
  Level& level = levels_.emplace_back();
  level.entry = entry;
  fields.align(entry.alignment());
  if (entry.filter.code_bits != 0) {
    level.filter.emplace(entry.filter, index, fields.take(entry.filter_bytes));
    fields.align(8);
  }
  const base::ByteView body = fields.take(entry.body_bytes);
  if (entry.plain) {
    level.plain.emplace(body);
    if (level.plain->width() != header_.width) {
      fields.fail("has plain values of another width than it says");
    }
    return;
  }
  base::FieldReader code(body, "coded section");
  const LengthCounts lengths = decode_lengths(code, entry);
  level.symbols = code.take(std::uint64_t{entry.codewords} * symbol_bytes(header_.width)).data();
  code.align(8);
  if (entry.codes.code_bits == 0) {
    if (entry.escape) fields.fail("has a level that has no value");
    code.expect_end();
    return;
  }
  level.code.emplace(CodeRibbon(entry.codes, body.subspan(code.position())),
                     Decoder(lengths, entry.codes.code_bits));
}

std::uint64_t Function::symbol(const Level& level, std::uint32_t codeword) const noexcept {
  const std::uint64_t at = std::uint64_t{codeword} * symbol_bytes(header_.width);
  return base::load_le<std::uint64_t>(level.symbols + at) & mask_;
}

std::uint64_t Function::value(Hash128 hash) const noexcept {
  for (const Level& level : levels_) {
    if (level.filter && !level.filter->reports(hash)) return level.entry.dominant & mask_;
    if (level.plain) return level.plain->value(hash);
    if (!level.code) return symbol(level, 0);
    const std::uint32_t codeword = level.code->decoder.index(level.code->ribbon.bits(hash));
    if (codeword != level.entry.escape) return symbol(level, codeword);
  }
  return 0;  // of no keys
}

/// Answers the keys that the filter does not report, and keeps the others.
void Function::pass_filter(const LevelFilter& filter, std::uint64_t dominant, Batch& batch,
                           std::uint64_t* values) const noexcept {
  std::array<bool, kBatch> reported;
  filter.reports(batch.keys(), reported.data());
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
  code.ribbon.bits(batch.keys(), bits.data());
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
      batch.hashes[i] = hashes[i];
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
      std::array<std::uint64_t, kBatch> last{};
      if (level.plain) {
        level.plain->values(batch.keys(), last.data());
      } else {
        last.fill(symbol(level, 0));
      }
      for (std::size_t i = 0; i < batch.size; ++i) values[batch.places[i]] = last[i];
    }
    if (hashes.size() <= kBatch) break;
    hashes = hashes.subspan(kBatch);
  }
}

}  // namespace crivo::csf
