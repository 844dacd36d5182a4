// SPDX-License-Identifier: Apache-2.0
/// What becomes of a pass over an input in which hashes repeat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "hashing/hash128.hpp"
#include "hashing/hash_family.hpp"
#include "hashing/siphash.hpp"
#include "input/chunk_reader.hpp"
#include "input/duplicates.hpp"
#include "input/hash_keys.hpp"
#include "input/input_spool.hpp"
#include "input/unit_framing.hpp"

namespace crivo::input {

/// An input that is passed over, and how its keys are found. What it refers to outlives the passes.
struct PassInput {
  const Sources& sources;
  const UnitFraming& framing;
  const ParseKeys& parse;
  const HashOptions& options;
  const base::BuildContext& context;
  InputPart part{};
  std::optional<std::uint64_t> file_bytes{};  ///< if all are regular files
};

/// Says whether keys with a repeated hash are equal, and what is to be done with them. It needs
/// nothing of the stream that the hashes went into.
class RepeatCheck {
 public:
  /// `hash` is that of the pass; `secret` that of its fingerprints; `kept` what was kept of an
  /// input that cannot be read again, or null.
  RepeatCheck(const PassInput& input, const hashing::SeededHash& hash,
              const hashing::SipKey& secret, InputSpool* kept)
      : input_(input), hash_(hash), secret_(secret), kept_(kept) {}

  /// So many repeated hashes are listed, and looked at in memory: some 28 bytes each.
  static std::size_t most_listed(const HashOptions& options) noexcept;

  /// Whether all keys with a repeated hash are equal, and to be ignored. False if a collision asks
  /// for another seed; throws Error(bad_input) if there is no other to try, or if equal keys are
  /// refused. `repeated` are all such hashes, or the first most_listed() of them, of `collected`
  /// keys with `distinct` hashes; `free_bytes` of memory are free for it.
  bool may_drop(const std::vector<Hash128>& repeated, std::uint64_t collected,
                std::uint64_t distinct, std::uint64_t free_bytes);

  /// What it took of the temporary directory, in bytes.
  std::uint64_t temp_bytes() const noexcept { return temp_bytes_; }

 private:
  using SeeHashes = std::function<void(unsigned thread, std::span<const Hash128> hashes,
                                       std::span<const std::string_view> keys)>;
  using SeeFingerprints = std::function<void(std::span<const std::uint64_t> low_halves,
                                             std::span<const std::uint64_t> fingerprints)>;

  bool any_collision(std::span<const Hash128> repeated);
  bool any_kept_collision(std::span<const Hash128> repeated);
  bool any_collision_of_many(std::uint64_t collected, std::uint64_t free_bytes);
  void visit_again(const SeeHashes& see);
  void visit_fingerprints(const SeeFingerprints& see);
  bool replay_repeated(std::span<const Hash128> repeated, const KeyVisitor& visit);

  const PassInput& input_;
  const hashing::SeededHash& hash_;
  const hashing::SipKey& secret_;
  InputSpool* kept_;
  std::uint64_t temp_bytes_ = 0;
};

}  // namespace crivo::input
