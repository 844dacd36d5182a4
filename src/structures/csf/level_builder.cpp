#include "structures/csf/level_builder.hpp"

#include <algorithm>
#include <array>

#include "stream/owned_keys.hpp"
#include "stream/selected_keys.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/csf/level_filter.hpp"
#include "structures/csf/partition.hpp"
#include "structures/csf/value_index.hpp"
#include "structures/ribbon/builder.hpp"
#include "structures/ribbon/lock_step.hpp"

namespace crivo::csf {
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

/// The lengths of the codewords, and the symbols.
base::Bytes encode_code(const LevelPlan& plan, unsigned code_bits, unsigned width) {
  base::FieldWriter fields;
  for (unsigned length = 0; length <= code_bits; ++length) fields.u32(plan.lengths[length]);
  for (const std::uint64_t symbol : plan.symbols) {
    for (unsigned byte = 0; byte < symbol_bytes(width); ++byte) {
      fields.u8(static_cast<std::uint8_t>(symbol >> (8 * byte)));
    }
  }
  return fields.align(8).take();
}

/// The keys of a partition that a ribbon is to hold, and what else was found out about the others.
struct Chosen {
  std::vector<Hash128> keys;
  std::vector<Codeword> codes;  ///< of each
  stream::OwnedKeys escaped;    ///< those of the keys that are the next level's too
  std::uint64_t done = 0;       ///< so many keys of the partition are no next level's
};

/// What a thread makes at once.
struct Group {
  std::vector<PartitionImage> images;
  stream::OwnedKeys escaped;
  std::uint64_t escaped_count = 0;
};

/// So many keys that escape are kept at most.
constexpr std::uint64_t kKeptKeys = std::uint64_t{1} << 19;

/// The keys of a level that escape.
struct Escaped {
  bool keeps = true;
  std::uint64_t count = 0;
  stream::OwnedKeys kept;
};

/// Writes the ribbon of those keys of the partitions that choose(keys) returns as Chosen.
template <typename Choose>
void build_ribbon(const stream::KeySource& all, const Shape& shape, const stream::PartCost& cost,
                  const base::BuildContext& context, base::Sink& sink, Escaped& escaped,
                  Choose&& choose) {
  constexpr std::uint64_t kFewKeys = std::uint64_t{1} << 18;
  // Lock step is worth less than a thread that would have nothing to do, or have no memory for it.
  const std::uint64_t partitions = std::uint64_t{1} << shape.partition_bits;
  const auto fits = [&](unsigned bits) {
    return all.size() >> bits <= kFewKeys || all.fits(bits, cost, context);
  };
  unsigned together = 0;
  while ((2U << together) <= ribbon::kLanes &&
         (std::uint64_t{2} << together) <= partitions / context.threads &&
         fits(shape.partition_bits - together - 1)) {
    ++together;
  }
  base::FieldWriter table;
  all.for_each_partition(
      shape.partition_bits - together, cost, context,
      [&](std::uint64_t index, const stream::KeySlice& some) {
        Group group;
        std::vector<Chosen> chosen;
        std::vector<PartitionInput> inputs;
        std::uint64_t done = 0;
        for (std::uint64_t p = index << together; p != (index + 1) << together; ++p) {
          chosen.push_back(choose(some.partition(shape.partition_bits, p)));
          done += chosen.back().done;
          group.escaped_count += chosen.back().escaped.size();
          if (escaped.keeps) group.escaped.append(chosen.back().escaped.slice());
          chosen.back().escaped = {};
        }
        inputs.reserve(chosen.size());
        for (Chosen& part : chosen) inputs.push_back({part.keys, std::move(part.codes)});
        group.images = build_partitions(inputs, shape);
        context.progress.add(done);
        return group;
      },
      [&](std::uint64_t, const Group& group) {
        for (const PartitionImage& image : group.images) {
          sink.append(image.body);
          sink.align(8);
          for (const std::uint32_t words : image.words) table.u32(words);
        }
        escaped.count += group.escaped_count;
        escaped.kept.append(group.escaped.slice());
      });
  sink.append(table.view());
}

/// Of a ribbon of `coded` keys with codewords of `bits` bits in all, from among `all`; of them
/// `escaped` are kept.
stream::PartCost cost_of(std::uint64_t all, std::uint64_t coded, std::uint64_t bits,
                         std::uint64_t escaped) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(all, 1));
  const double coded_share = static_cast<double>(coded) / keys;
  const double bits_a_key = static_cast<double>(bits) / keys;
  const double part_bytes = bits_a_key / 8 + 24 * static_cast<double>(escaped) / keys;
  // A hash and a codeword a key; a row and a value a slot, and what is bumped.
  return {24 * coded_share + 20 * bits_a_key + part_bytes, part_bytes};
}

/// Makes the filter of the keys without the dominant value.
base::Bytes build_filter(const stream::KeySource& all, const retrieval::ValueSource& values,
                         const LevelPlan& plan, unsigned index, const Shape& shape,
                         const base::BuildContext& context) {
  const auto bits = static_cast<std::uint8_t>(plan.filter_bits);
  base::MemorySink bytes;
  Escaped none;
  build_ribbon(all, shape, cost_of(all.size(), plan.others, plan.others * bits, 0), context, bytes,
               none, [&](const stream::KeySlice& keys) {
                 Chosen chosen;
                 retrieval::for_each_value(keys, values, [&](std::size_t i, std::uint64_t value) {
                   if (value == plan.dominant) return;
                   chosen.keys.push_back(keys.hashes[i]);
                   chosen.codes.push_back({fingerprint(keys.hashes[i], index, bits), bits});
                 });
                 return chosen;
               });
  return bytes.take();
}

/// A filter with the bytes that it is in.
struct BuiltFilter {
  BuiltFilter(const Shape& shape, unsigned index, base::Bytes given)
      : bytes(std::move(given)), filter(shape, index, view()) {}

  base::ByteView view() {
    const std::size_t size = bytes.size();
    bytes.resize(size + 8);  // which a lookup may read
    return base::ByteView(bytes).first(size);
  }

  base::Bytes bytes;
  LevelFilter filter;
};

/// Chooses the keys of a level that have a codeword.
class CodeChoice {
 public:
  /// Keys that `filter`, if there is one, does not report are done.
  CodeChoice(const LevelPlan& plan, retrieval::ValueSource values,
             std::shared_ptr<const BuiltFilter> filter)
      : book_(plan), escape_(plan.escape), values_(std::move(values)), filter_(std::move(filter)) {}

  Chosen operator()(const stream::KeySlice& keys) const {
    constexpr std::size_t kReported = CodeRibbon::kBatch;
    Chosen chosen;
    std::array<bool, kReported> reported;
    reported.fill(true);
    retrieval::for_each_value(keys, values_, [&](std::size_t i, std::uint64_t value) {
      if (filter_ != nullptr && i % kReported == 0) {
        filter_->filter.reports(keys.hashes.subspan(i, std::min(kReported, keys.hashes.size() - i)),
                                reported.data());
      }
      if (!reported[i % kReported]) return;
      const std::uint32_t number = book_.number(value);
      chosen.keys.push_back(keys.hashes[i]);
      chosen.codes.push_back(book_.word(number));
      if (number == escape_) chosen.escaped.add(keys.hashes[i], value);
    });
    chosen.done = keys.size() - chosen.escaped.size();
    return chosen;
  }

 private:
  Codebook book_;
  std::optional<std::uint32_t> escape_;
  retrieval::ValueSource values_;
  std::shared_ptr<const BuiltFilter> filter_;
};

unsigned longest_codeword(const LevelPlan& plan) noexcept {
  unsigned longest = 0;
  for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
    if (plan.lengths[length] != 0) longest = length;
  }
  return longest;
}

}  // namespace

BuiltLevel build_level(const stream::KeySource& keys, const retrieval::ValueSource& values,
                       const LevelPlan& plan, unsigned index, unsigned width,
                       const base::BuildContext& context, base::Sink& sink) {
  BuiltLevel level;
  LevelEntry& entry = level.entry;
  sink.align(plan.plain ? 64 : 8);
  std::uint64_t begin = sink.size();
  if (plan.plain) {
    entry.plain = true;
    build(*ribbon::plan(keys.size(), width, values), keys, context, sink);
    entry.body_bytes = sink.size() - begin;
    return level;
  }

  std::shared_ptr<const BuiltFilter> filter;
  if (plan.filter_bits != 0) {
    entry.dominant = plan.dominant;
    entry.filter =
        Shape::of(keys.size(), plan.others, plan.others * plan.filter_bits, plan.filter_bits);
    base::Bytes bytes = build_filter(keys, values, plan, index, entry.filter, context);
    sink.append(bytes);
    entry.filter_bytes = bytes.size();
    filter = std::make_shared<const BuiltFilter>(entry.filter, index, std::move(bytes));
    begin = sink.size();
  }

  entry.codewords = static_cast<std::uint32_t>(plan.symbols.size());
  entry.escape = plan.escape;
  const unsigned longest = longest_codeword(plan);
  sink.append(encode_code(plan, longest, width));
  if (longest == 0) {
    context.progress.add(keys.size());
  } else {
    Escaped escaped;
    escaped.keeps = plan.escaped <= kKeptKeys;
    if (escaped.keeps) escaped.kept.reserve(plan.escaped);
    entry.codes = Shape::of(keys.size(), plan.coded, plan.code_bits, longest);
    const CodeChoice choose(plan, values, filter);
    build_ribbon(keys, entry.codes,
                 cost_of(keys.size(), plan.coded, plan.code_bits, escaped.keeps ? plan.escaped : 0),
                 context, sink, escaped, choose);
    if (plan.escape && escaped.keeps) {
      level.escaped = std::make_unique<stream::SortedHashes>(std::move(escaped.kept.hashes),
                                                             std::move(escaped.kept.values));
    } else if (plan.escape) {
      level.escaped = std::make_unique<stream::SelectedKeys>(
          keys, escaped.count,
          [choose](const stream::KeySlice& some) { return choose(some).escaped; });
    }
  }
  entry.body_bytes = sink.size() - begin;
  return level;
}

}  // namespace crivo::csf
