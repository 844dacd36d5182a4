// SPDX-License-Identifier: Apache-2.0
/// Whom a reader of signed files trusts. Signatures are minisign's: of FILE in FILE.minisig, of a
/// store DIR in DIR/index.crv.minisig. Those that sign() makes name the root of the file's hash
/// tree, so that a file is checked without a pass for the signature.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/export.hpp"
#include "crivo/resources.hpp"

namespace crivo {

/// One of Ed25519, as `minisign -G` makes them.
struct CRIVO_API PublicKey {
  std::uint64_t id = 0;  ///< a random number, by which a signature names the key
  std::array<std::byte, 32> bytes{};

  /// From the line in base64 (56 characters) that a key's file ends with. Throws Error(usage).
  static PublicKey parse(std::string_view line);
  /// From such a line, or the path of the file of a key. Throws Error(usage) if it is neither,
  /// Error(io) if the file cannot be read.
  static PublicKey read(const std::string& path_or_line);
  /// 16 hexadecimal digits in upper case, as minisign prints them.
  std::string id_text() const;

  friend bool operator==(const PublicKey&, const PublicKey&) = default;
};

/// What a signature must have. All is checked before a file gives any answer; what fails is
/// Error(corrupt) that says which check it was.
struct Trust {
  /// Any of these may have signed.
  std::vector<PublicKey> keys{};
  /// A lower sequence is refused; a signature without one has 0.
  std::uint64_t minimum_sequence = 0;
  /// A signature that expired by then is refused; not set: by the time of the system.
  std::optional<std::chrono::sys_seconds> now{};
  /// A file that keeps the highest sequence seen of each file name, the last part of a path: a
  /// lower one is refused from then on. Made if it is missing, replaced at once, and locked
  /// meanwhile, so that many processes can share it. Empty: none is kept.
  std::filesystem::path state{};
};

/// What a signature says that was checked.
struct Signature {
  std::string key_id{};  ///< PublicKey::id_text()
  std::uint64_t sequence = 0;
  std::optional<std::chrono::sys_seconds> expires{};
  std::string comment{};  ///< the trusted comment: what of this the key's owner has signed
};

/// verify() of crivo/inspect.hpp, of a file that must be signed: its signature first, then every
/// byte, by its hash tree or, where the signature names no root, by BLAKE2b. Last, the sequence is
/// noted in the state. Throws Error(corrupt) also where there is no signature; Error(usage) for a
/// store of the backend lmdb, whose file changes in place, for a store with updates, and in a build
/// without libcrypto. Of a chain it is the chain that is signed, where a signature lies beside it,
/// or else its base and all deltas: then the last one's is returned, and its sequence noted under
/// the names of chain and base.
CRIVO_API Signature verify_signed(const std::filesystem::path& path, const Trust& trust,
                                  const Resources& resources = {});

/// A time of UTC: 2026-12-07, 2026-12-07T04:40Z or 2026-12-07T04:40:00Z. Throws Error(usage).
CRIVO_API std::chrono::sys_seconds parse_time(std::string_view text);
/// The second of these forms; the third, where the seconds are not 0. Years 0 to 9999.
CRIVO_API std::string time_text(std::chrono::sys_seconds time);

}  // namespace crivo
