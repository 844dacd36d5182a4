#include "coded/level_builder.hpp"

#include <algorithm>
#include <array>

#include "coded/level_filter.hpp"
#include "coded/partition.hpp"
#include "coded/value_index.hpp"
#include "ribbon/builder.hpp"
#include "ribbon/lock_step.hpp"
#include "stream/sorted_hashes.hpp"
#include "util/parallel.hpp"

namespace crivo::coded {
namespace {

/// The codeword of each value.
class Codebook {
 public:
  explicit Codebook(const LevelPlan& plan)
      : words_(codewords(plan.lengths)),
        escape_(plan.escape),
        index_(static_cast<std::uint32_t>(plan.symbols.size())) {
    for (std::uint32_t word = 0; word < plan.symbols.size(); ++word) {
      if (word == escape_) continue;
      index_.insert(plan.symbols[word]);
      numbers_.push_back(word);
    }
  }

  /// The number of the value's codeword.
  std::uint32_t number(std::uint64_t value) const noexcept {
    const std::uint32_t symbol = index_.find(value);
    return symbol == ValueIndex::kNone ? escape_.value_or(0) : numbers_[symbol];
  }

  Codeword word(std::uint32_t number) const noexcept { return words_[number]; }

 private:
  std::vector<Codeword> words_;
  std::optional<std::uint32_t> escape_;
  ValueIndex index_;
  std::vector<std::uint32_t> numbers_;  // of the codewords, by symbol
};

/// What choose(keys, values, chosen) adds to `chosen`, for some keys at a time.
template <typename Choose>
Members select(const stream::KeySlice& all, unsigned threads, Choose&& choose) {
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 16;
  Members selected;
  util::parallel_ordered(
      threads, util::div_ceil(all.size(), kChunk),
      [&](std::uint64_t chunk) {
        const std::uint64_t first = chunk * kChunk;
        const stream::KeySlice keys = all.part(first, std::min(kChunk, all.size() - first));
        Members part;
        choose(keys.hashes, keys.values, part);
        return part;
      },
      [&](std::uint64_t, const Members& part) { selected.append(part); });
  return selected;
}

/// The lengths of the codewords, and the symbols.
file::Bytes encode_code(const LevelPlan& plan, unsigned code_bits, unsigned width) {
  file::FieldWriter fields;
  for (unsigned length = 0; length <= code_bits; ++length) fields.u32(plan.lengths[length]);
  for (const std::uint64_t symbol : plan.symbols) {
    for (unsigned byte = 0; byte < symbol_bytes(width); ++byte) {
      fields.u8(static_cast<std::uint8_t>(symbol >> (8 * byte)));
    }
  }
  return fields.align(8).take();
}

/// What a thread makes at once.
struct Group {
  std::vector<PartitionImage> images;
  Members escaped;
  std::uint64_t keys = 0;
};

/// Writes a ribbon: assign(keys, codes, escaped) gives each of some keys its codeword. Reports the
/// keys that do not escape to `progress`.
template <typename Assign>
void build_ribbon(const stream::KeySlice& all, const Shape& shape, unsigned threads,
                  util::Progress& progress, file::Sink& sink, Members& escaped, Assign&& assign) {
  const std::uint64_t partitions = std::uint64_t{1} << shape.partition_bits;
  // Lock step is worth less than a thread that would have nothing to do.
  const std::uint64_t together = std::clamp<std::uint64_t>(partitions / threads, 1, ribbon::kLanes);
  file::FieldWriter table;
  util::parallel_ordered(
      threads, util::div_ceil(partitions, together),
      [&](std::uint64_t index) {
        Group group;
        std::vector<PartitionInput> inputs;
        const std::uint64_t end = std::min(partitions, (index + 1) * together);
        for (std::uint64_t p = index * together; p < end; ++p) {
          const stream::KeySlice keys = all.partition(shape.partition_bits, p);
          inputs.push_back({keys.hashes, std::vector<Codeword>(keys.size())});
          assign(keys, inputs.back().codes, group.escaped);
          group.keys += keys.size();
        }
        group.images = build_partitions(inputs, shape);
        progress.add(group.keys - group.escaped.keys.size());
        return group;
      },
      [&](std::uint64_t, const Group& group) {
        for (const PartitionImage& image : group.images) {
          sink.append(image.body);
          sink.align(8);
          for (const std::uint32_t words : image.words) table.u32(words);
        }
        escaped.append(group.escaped);
      });
  sink.append(table.view());
}

/// Writes the filter of the keys without the dominant value, and returns all keys that it reports.
Members build_filter(const stream::KeySlice& all, const LevelPlan& plan, unsigned index,
                     unsigned threads, Shape& shape, file::Sink& sink) {
  Members others = select(all, threads, [&plan](auto keys, const auto& values, Members& chosen) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (values[i] != plan.dominant) chosen.add(keys[i], values[i]);
    }
  });
  const unsigned bits = plan.filter_bits;
  shape = Shape::of(others.keys.size(), others.keys.size() * bits, bits);
  util::Progress unseen;
  file::MemorySink bytes;
  Members none;
  const stream::SortedHashes filtered = others.take();
  build_ribbon(filtered.all(), shape, threads, unseen, bytes, none,
               [&](const stream::KeySlice& keys, std::vector<Codeword>& codes, Members&) {
                 std::ranges::transform(keys.hashes, codes.begin(), [&](Hash128 key) {
                   return Codeword{fingerprint(key, index, bits), static_cast<std::uint8_t>(bits)};
                 });
               });
  sink.append(bytes.view());
  bytes.append(file::Bytes(8));  // which a lookup may read
  const LevelFilter filter(shape, index, file::ByteView(bytes.view()).first(bytes.size() - 8));
  return select(all, threads, [&filter](auto keys, const auto& values, Members& chosen) {
    for (std::size_t i = 0; i < keys.size(); i += CodeRibbon::kBatch) {
      const std::size_t count = std::min(CodeRibbon::kBatch, keys.size() - i);
      std::array<bool, CodeRibbon::kBatch> reported;
      filter.reports(keys.subspan(i, count), reported.data());
      for (std::size_t j = 0; j < count; ++j) {
        if (reported[j]) chosen.add(keys[i + j], values[i + j]);
      }
    }
  });
}

/// Writes a level's body, for the keys that its filter, if any, reports.
void build_body(const stream::KeySlice& all, const LevelPlan& plan, unsigned width,
                const util::BuildContext& context, LevelEntry& entry, file::Sink& sink,
                Members& escaped) {
  if (plan.plain) {
    entry.plain = true;
    ribbon::build(stream::SliceKeys(all), width, {}, context, sink);
    return;
  }
  entry.codewords = static_cast<std::uint32_t>(plan.symbols.size());
  entry.escape = plan.escape;
  unsigned longest = 0;
  for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
    if (plan.lengths[length] != 0) longest = length;
  }
  sink.append(encode_code(plan, longest, width));
  if (longest == 0) {
    context.progress.add(all.size());
    return;
  }
  entry.codes = Shape::of(all.size(), plan.code_bits, longest);
  const Codebook book(plan);
  build_ribbon(all, entry.codes, context.threads, context.progress, sink, escaped,
               [&](const stream::KeySlice& keys, std::vector<Codeword>& codes, Members& beyond) {
                 for (std::size_t i = 0; i < keys.size(); ++i) {
                   const std::uint32_t number = book.number(keys.values[i]);
                   codes[i] = book.word(number);
                   if (number == plan.escape) beyond.add(keys.hashes[i], keys.values[i]);
                 }
               });
}

}  // namespace

LevelEntry build_level(const stream::KeySlice& keys, const LevelPlan& plan, unsigned index,
                       unsigned width, const util::BuildContext& context, file::Sink& sink,
                       Members& escaped) {
  LevelEntry entry;
  sink.align(plan.plain ? 64 : 8);
  std::uint64_t begin = sink.size();
  if (plan.filter_bits == 0) {
    build_body(keys, plan, width, context, entry, sink, escaped);
  } else {
    entry.dominant = plan.dominant;
    Members reported = build_filter(keys, plan, index, context.threads, entry.filter, sink);
    context.progress.add(keys.size() - reported.keys.size());
    entry.filter_bytes = sink.size() - begin;
    begin = sink.size();
    const stream::SortedHashes rest = reported.take();
    build_body(rest.all(), plan, width, context, entry, sink, escaped);
  }
  entry.body_bytes = sink.size() - begin;
  return entry;
}

}  // namespace crivo::coded
