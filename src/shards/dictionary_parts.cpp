// SPDX-License-Identifier: Apache-2.0
#include "shards/dictionary_parts.hpp"

#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/dictionary_memory.hpp"
#include "build/notes.hpp"
#include "file/section_types.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/key_hash.hpp"
#include "shards/exact_parts.hpp"

namespace crivo::index {
namespace {

constexpr std::size_t kValueBytes = sizeof(std::uint64_t);

/// The keys of a part, one after the other.
class KeyList {
 public:
  KeyList(const PartFile& part, bool values)
      : part_(part),
        values_(values),
        rest_(part.container().require(file::kPartBodiesSection, "list of keys")) {}

  /// Goes on to the next key, first to the first one. Throws Error(corrupt).
  void next() {
    if (rest_.empty()) {
      ended_ = true;
      return;
    }
    const std::uint64_t before = rest_.size();
    std::uint32_t shared = 0;
    std::uint32_t size = 0;
    if (!base::take_varint(rest_, shared) || !base::take_varint(rest_, size) ||
        shared > key_.size() || size > rest_.size() ||
        std::uint64_t{shared} + size > dictionary::kMostKeyBytes)
      part_.container().fail("damaged: a key is cut short");
    const std::string_view text = base::as_text(rest_.first(size));
    if (begun_ && text <= std::string_view(key_).substr(shared))
      part_.container().fail("damaged: its keys are out of order");
    begun_ = true;
    key_.replace(shared, key_.npos, text);
    rest_ = rest_.subspan(size);
    if (values_) {
      if (rest_.size() < kValueBytes) part_.container().fail("damaged: a value is cut short");
      value_ = base::load_le<std::uint64_t>(rest_.data());
      rest_ = rest_.subspan(kValueBytes);
    }
    forget(before - rest_.size());
  }
  bool has_ended() const noexcept { return ended_; }
  std::string_view key() const noexcept { return key_; }
  std::uint64_t value() const noexcept { return value_; }
  const PartFile& part() const noexcept { return part_; }

 private:
  /// Lets go of the pages when some were read.
  void forget(std::uint64_t read) {
    constexpr std::uint64_t kForget = std::uint64_t{1} << 20;
    held_ += read;
    if (held_ < kForget) return;
    part_.forget();
    held_ = 0;
  }

  const PartFile& part_;
  bool values_;
  base::ByteView rest_;
  bool begun_ = false;
  bool ended_ = false;
  std::string key_;
  std::uint64_t value_ = 0;
  std::uint64_t held_ = 0;  ///< bytes
};

/// The lists of all parts as one: a tournament, whose winner is the list with the least key.
class MergedLists {
 public:
  MergedLists(const Parts& parts, bool values) : first_leaf_(std::bit_ceil(parts.size())) {
    lists_.reserve(parts.size());
    for (const auto& part : parts) lists_.emplace_back(*part, values).next();
    winners_.resize(2 * first_leaf_);
    for (std::size_t i = 0; i < first_leaf_; ++i) winners_[first_leaf_ + i] = i;
    for (std::size_t node = first_leaf_; node-- > 1;) play(node);
  }

  /// The list with the least key; has_ended() where all are at their ends.
  const KeyList& least() const noexcept { return lists_[winners_[1]]; }
  void next() {
    const std::size_t list = winners_[1];
    lists_[list].next();
    for (std::size_t node = (first_leaf_ + list) / 2; node != 0; node /= 2) play(node);
  }

 private:
  void play(std::size_t node) noexcept {
    const std::size_t a = winners_[2 * node];
    const std::size_t b = winners_[2 * node + 1];
    winners_[node] = is_out(b) || (!is_out(a) && lists_[a].key() <= lists_[b].key()) ? a : b;
  }
  bool is_out(std::size_t list) const noexcept {
    return list >= lists_.size() || lists_[list].has_ended();
  }

  std::size_t first_leaf_;
  std::vector<KeyList> lists_;
  std::vector<std::size_t> winners_;  ///< of each node the number of its list; the root is 1
};

/// Adds the keys of all parts to the builder, and returns their sums.
stream::KeySums add_all(const Parts& parts, bool values, const hashing::SeededHash& hash,
                        const base::BuildContext& context, dictionary::Builder& builder) {
  constexpr std::uint64_t kNoted = 4096;
  stream::KeySums sums;
  context.progress.begin("merge", parts.front()->container().header().keys);
  for (MergedLists lists(parts, values); !lists.least().has_ended(); lists.next()) {
    const KeyList& list = lists.least();
    if (builder.keys() != 0 && list.key() == builder.last())
      list.part().container().fail("damaged: a key belongs to another shard");
    builder.add(list.key(), list.value());
    const Hash128 hashed = hash(list.key());
    sums.hi += hashed.hi;
    sums.lo += hashed.lo;
    sums.values += list.value() * (hashed.lo | 1);
    if (builder.keys() % kNoted == 0) context.progress.add(kNoted);
  }
  return sums;
}

}  // namespace

void KeyListWriter::add(std::string_view key, std::uint64_t value) {
  constexpr std::size_t kWritten = std::size_t{1} << 16;
  const std::size_t shared = base::shared_bytes(last_, key);
  const std::string_view rest = key.substr(shared);
  base::append_varint(pending_, static_cast<std::uint32_t>(shared));
  base::append_varint(pending_, static_cast<std::uint32_t>(rest.size()));
  const base::ByteView bytes = base::as_bytes(rest);
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  if (values_) {
    pending_.resize(pending_.size() + kValueBytes);
    base::store_le(pending_.data() + pending_.size() - kValueBytes, value);
  }
  last_.replace(shared, last_.npos, rest);
  ++keys_;
  if (pending_.size() >= kWritten) (void)finish();
}

std::uint64_t KeyListWriter::finish() {
  sink_.append(pending_);
  bytes_ += pending_.size();
  pending_.clear();
  return bytes_;
}

BuildSummary merge_dictionary(const Parts& parts, const BuildOptions& options, BuildFrame& frame,
                              BuiltFile& file) {
  check_lists(parts);
  const PartFile& first = *parts.front();
  const file::Header& header = first.container().header();
  const auto dictionary = file::naming(first.name(), [&] {
    return options_of<DictionaryOptions>(recorded_choices(first.head().choices));
  });
  frame.memory().require(first.name(), 0, dictionary_need(), "a merge");
  frame.set_scratch_bytes(DictionaryMemory::most_kept(frame.memory().budget()));
  const base::BuildContext context = frame.context();
  const auto builder =
      std::make_shared<dictionary::Builder>(dictionary::shape_of(dictionary), context);
  const hashing::SeededHash hash(hashing::hash_family(header.key_hash), header.seed);
  const stream::KeySums sums = add_all(parts, dictionary.values, hash, context, *builder);
  Recipe recipe = plan(dictionary, builder, hash, context);
  recipe.header.seed = header.seed;
  recipe.header.key_hash = header.key_hash;
  recipe.header.build_id = build_id(recipe.header, sums, recipe.metadata);
  if (builder->keys() != header.keys || recipe.header.build_id != header.build_id)
    first.container().fail("damaged: its parts have other keys");
  OwnParts own(context);
  run(recipe, {.parts = &own}, file, context);
  frame.end_building();
  file.finish(recipe.header, with_notes(recipe.metadata, options));
  return file.publish(frame, recipe.header, recipe.algorithm);
}

}  // namespace crivo::index
