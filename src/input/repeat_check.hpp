// SPDX-License-Identifier: Apache-2.0
/// A pass over an input in which hashes repeat: equal keys are told from different ones with one
/// hash.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
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
#include "stream/key_stream.hpp"

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

/// The keys that there are, and what may be taken of the machine.
struct ManyRepeatsOptions {
  std::uint64_t keys = 0;   ///< so many are seen
  std::uint64_t alike = 1;  ///< HashOptions::alike
  std::uint64_t memory_bytes = UINT64_MAX;
  std::filesystem::path temp_dir{};
};

/// Sorts all keys' hashes with the fingerprints that CollisionCheck compares, 24 bytes a key,
/// within the memory and then on temporary disk.
class ManyRepeats {
 public:
  ManyRepeats(const ManyRepeatsOptions& options, const hashing::SipKey& secret,
              const base::BuildContext& context);

  /// Sees keys and their hashes, on the thread of that number. Throws Error(io).
  void look_at(unsigned thread, std::span<const Hash128> hashes,
               std::span<const std::string_view> keys);
  /// The same, on thread 0, where Hash128::lo and siphash(key, secret) are what is left of them.
  void look_at(std::span<const std::uint64_t> low_halves,
               std::span<const std::uint64_t> fingerprints);

  /// Whether two of the keys seen that differ have one of the hashes. Once, after all were seen.
  /// Throws Error(io).
  bool found();

  std::uint64_t temp_bytes() const noexcept { return stream_.temp_bytes(); }

 private:
  static stream::StreamOptions stream_options(const ManyRepeatsOptions& options,
                                              const base::BuildContext& context);

  ManyRepeatsOptions options_;
  hashing::SipKey secret_;
  const base::BuildContext& context_;
  stream::KeyStream<stream::HashedValue> stream_;
};

/// Holds a fingerprint of the first key seen with each of some hashes, and compares those of the
/// others: so it takes neither the order nor the texts of the keys, and 8 to 12 bytes a repeated
/// hash.
///
/// A wrong "equal" loses a key. The hashes under test are XXH3's under a seed that is known, of
/// which anyone can make two keys of more than 240 bytes collide at will; and under another known
/// seed as well, or, since its product of two halves lets differences through, under several
/// unknown ones. So fingerprints are SipHash's, 64 bits under a secret that is drawn for the run:
/// two keys that differ pass for equal with probability 2^-64, whoever chose them.
class CollisionCheck {
 public:
  /// `repeated` are ascending, and must outlive it. `secret` is what fingerprints are made with.
  CollisionCheck(std::span<const Hash128> repeated, const hashing::SipKey& secret);

  /// Sees keys and their hashes, with the cache misses of a block of them overlapped. From any
  /// thread; expected O(1) a key, and O(log(repeats)) for any hashes.
  void look_at(std::span<const Hash128> hashes, std::span<const std::string_view> keys) noexcept;
  /// The same where siphash(key, secret) is what is left of the keys.
  void look_at(std::span<const Hash128> hashes,
               std::span<const std::uint64_t> fingerprints) noexcept;

  /// Whether two of the keys seen that differ have one of the hashes.
  bool found() const noexcept { return found_.load(std::memory_order_relaxed); }

 private:
  template <typename Fingerprint>
  void see_each(std::span<const Hash128> hashes, const Fingerprint& fingerprint_of) noexcept;
  void compare(std::size_t place, std::uint64_t fingerprint) noexcept;

  std::span<const Hash128> repeated_;
  hashing::SipKey secret_;
  unsigned index_bits_;
  std::vector<std::uint64_t> index_;  ///< of the first hash with so many leading bits or more
  std::unique_ptr<std::atomic<std::uint64_t>[]> seen_;  ///< 0: none yet
  std::atomic<bool> found_{false};
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

  /// The bytes that it took of the temporary directory.
  std::uint64_t temp_bytes() const noexcept { return temp_bytes_; }

 private:
  using VisitHashes = std::function<void(unsigned thread, std::span<const Hash128> hashes,
                                         std::span<const std::string_view> keys)>;
  using VisitFingerprints = std::function<void(std::span<const std::uint64_t> low_halves,
                                               std::span<const std::uint64_t> fingerprints)>;

  bool any_collision(std::span<const Hash128> repeated);
  bool any_kept_collision(std::span<const Hash128> repeated);
  bool any_collision_of_many(std::uint64_t collected, std::uint64_t free_bytes);
  void visit_again(const VisitHashes& visit);
  void visit_fingerprints(const VisitFingerprints& visit);
  bool replay_repeated(std::span<const Hash128> repeated, const KeyVisitor& visit);

  const PassInput& input_;
  const hashing::SeededHash& hash_;
  const hashing::SipKey& secret_;
  InputSpool* kept_;
  std::uint64_t temp_bytes_ = 0;
};

}  // namespace crivo::input
