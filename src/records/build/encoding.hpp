// SPDX-License-Identifier: Apache-2.0
/// Encoding: the builder's half of codecs, and their choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// The raw bytes of units, or of pieces of them, one after the other: what a dictionary is trained
/// on. They are sampled by hash, whatever the order of the input and the number of threads.
struct UnitSample {
  base::ByteView bytes;
  std::span<const std::size_t> sizes;

  /// The first units, as many as begin before `most` bytes.
  UnitSample first(std::uint64_t most) const noexcept;
  /// Calls visit(unit) for each.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    base::ByteView rest = bytes;
    for (const std::size_t size : sizes) {
      visit(rest.first(size));
      rest = rest.subspan(size);
    }
  }
  /// All but the first units, of which this is first().
  UnitSample after(const UnitSample& front) const noexcept {
    return {bytes.subspan(front.bytes.size()), sizes.subspan(front.sizes.size())};
  }
};

/// Encodes units; one a thread.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Appends the encoded unit to `stored`; where that is not shorter than `raw`, or the codec has
  /// no form of it, nothing, and false. Throws Error(io) if memory runs out.
  virtual bool encode(base::ByteView raw, base::Bytes& stored) = 0;
};

/// A codec made ready to encode with a dictionary, which must outlive it: immutable, for any number
/// of threads; encoders must not outlive it.
class Encoding {
 public:
  virtual ~Encoding() = default;
  /// Null where nothing is encoded: all units are raw.
  virtual std::unique_ptr<Encoder> encoder() const = 0;
};

/// The processor time that goes into making units short: what reads them takes the same.
enum class Effort : std::uint8_t { usual, more };

/// How a codec encodes: a row for each of codec_types().
struct CodecBuilder {
  CodecId id;
  /// The bytes of units that a dictionary is trained on, at most; 0: there is none.
  std::uint64_t sample_bytes;
  /// A dictionary for units like these; it may be empty. `share` is how many times the sample's
  /// bytes all units have, by which a dictionary's length is weighed. Deterministic. Throws
  /// Error(io) if memory runs out.
  base::Bytes (*train)(const UnitSample& sample, double share);
  /// Prepares the encoding with `dictionary`. Throws Error(io) if memory runs out.
  std::unique_ptr<const Encoding> (*open)(base::ByteView dictionary, Effort effort);
};

const CodecBuilder& builder_of(CodecId id) noexcept;

/// The goal by which a codec is chosen, where none is asked for.
enum class Goal : std::uint8_t {
  smallest,  ///< the least bytes, whatever a build and a hit take
  size,      ///< the least bytes, but for a few where hits are far quicker
  balanced,  ///< the least product of the bytes and a hit's cost
  speed,     ///< the least cost of a hit
};

/// Whether bytes alone count, so that the order of keys decides where a store can have it.
constexpr bool is_of_bytes(Goal goal) noexcept {
  return goal == Goal::smallest || goal == Goal::size;
}

/// "smallest", "size", "balanced" and "speed".
std::span<const std::string_view> goal_names() noexcept;
/// Throws Error(usage), which lists the names, for another.
Goal find_goal(std::string_view name);

/// The choices about the encoding of a store's records.
struct CodecRequest {
  std::optional<CodecId> codec;               ///< none: choose_codec()'s rule
  std::uint32_t block_bytes = kDefaultBlock;  ///< zstd's, where it is asked for
  Goal goal = Goal::balanced;                 ///< where no codec is
  bool keys_apart = false;  ///< units hold no keys, and are in their order: a dictionary has them

  /// Whether records in the order of their keys decide: choose_in_order().
  bool is_in_order() const noexcept {
    return keys_apart && codec.value_or(CodecId::neighbours) == CodecId::neighbours &&
           (codec || is_of_bytes(goal));
  }
  Effort effort() const noexcept { return goal == Goal::smallest ? Effort::more : Effort::usual; }
};

/// Tokens of `bits` (12 or 16) bits: see CodecBuilder::open. Throws Error(corrupt) if the
/// dictionary is malformed.
std::unique_ptr<const Encoding> open_token_encoding(base::ByteView dictionary, unsigned bits);

}  // namespace crivo::records
