// SPDX-License-Identifier: Apache-2.0
/// Builds a dictionary from its keys in order.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "base/spool.hpp"
#include "structures/dictionary/build/directory.hpp"
#include "structures/dictionary/build/training.hpp"
#include "structures/dictionary/layout.hpp"
#include "structures/dictionary/values.hpp"

namespace crivo::dictionary {

/// The choices about a dictionary, and the facts found out about it.
struct Shape {
  unsigned block_keys = 64;  ///< from kLeastBlockKeys to kMostBlockKeys
  unsigned token_bits = 0;   ///< 8, 10 or 12; 0: those with which it is smallest
  bool values = false;       ///< a number stands beside each key
};

/// Takes keys in ascending order, keeps them (what each has in common with the one before only
/// once) until all are there, and then writes them.
class Builder {
 public:
  /// Builds in the context's scratch, and in temporary files what that has no room for.
  Builder(const Shape& shape, const base::BuildContext& context);

  /// A key above the last one, which it shares so many bytes with: at least those, perhaps more.
  /// Throws Error(bad_input) if it is longer than kMostKeyBytes, Error(io).
  void add(std::string_view key);
  /// The same with the number beside it, which a shape without values leaves out.
  void add(std::string_view key, std::uint64_t value);
  std::uint64_t keys() const noexcept { return head_.keys; }
  std::string_view last() const noexcept { return last_; }
  /// Bytes in which the keys are kept.
  std::uint64_t kept_bytes() const noexcept {
    return keys_.size() + pending_.size() + (values_ ? values_->bytes() : 0);
  }
  /// The bytes of keys without what they share.
  std::uint64_t rest_bytes() const noexcept { return rest_bytes_; }
  /// After finish().
  unsigned token_bits() const noexcept { return head_.token_bits; }

  /// Gives the sink of each section in turn, of its type.
  enum class Part { tokens, blocks, offsets, directory, values, head };
  using BeginPart = std::function<base::Sink&(Part part)>;
  /// Writes all sections. Once, last. The bytes depend on the keys and the shape alone.
  void finish(const BeginPart& begin);

  /// After finish(), the keys once more: in batches, each of those that follow the ones of the
  /// batch before, for any number of threads.
  std::size_t batches() const noexcept { return batches_.size(); }
  std::uint64_t first_id(std::size_t batch) const noexcept { return batches_[batch].first_id; }
  /// Calls use(key) for those of a batch, in order; a key is valid until the next. Throws
  /// Error(io).
  void for_each_key(std::size_t batch, const std::function<void(std::string_view key)>& use) const;

 private:
  /// Keys that are encoded at once, on one thread: whole blocks. Of long keys, a block may be far
  /// longer than what a thread may hold.
  struct Batch {
    std::uint64_t begin;  ///< in the spool
    std::uint64_t first_id;
    std::uint64_t keys;
  };
  struct Encoded {
    base::Bytes bytes;
    std::vector<std::uint32_t> sizes;     ///< of the blocks
    std::vector<std::string> separators;  ///< before each, but for the first of the batch
    std::string first;                    ///< of the first
    std::string last;                     ///< key
  };

  Trained choose_tokens();
  /// Calls use(number in the batch, bytes shared with the key before, the rest) for its keys.
  template <typename Use>
  void for_each_kept(const Batch& batch, const Use& use) const;
  std::uint64_t end_of(const Batch& batch) const noexcept;
  bool is_large(const Batch& batch) const noexcept;
  Encoded encode(const Batch& batch, const class TokenTrie& trie) const;
  Encoded encode_large(const Batch& batch, const class TokenTrie& trie, base::Sink& to) const;
  void put(std::uint32_t shared, std::string_view rest);

  base::BuildContext context_;
  unsigned token_bits_;
  Head head_;
  base::Spool keys_;
  base::Bytes pending_;  ///< of keys_
  std::optional<ValueWriter> values_;
  std::vector<Batch> batches_;
  std::string last_;
  RankSample sample_;
  ByteSet singles_{};
  std::uint64_t rest_bytes_ = 0;
};

}  // namespace crivo::dictionary
