// SPDX-License-Identifier: Apache-2.0
/// How a file is opened: mapped, read whole or locked, and whose signature it must have.
///
///     const crivo::PublicKey key = crivo::PublicKey::read("publisher.pub");
///     const auto filter = crivo::Filter::open("seen.crv", {.trust = {{.keys = {key}}}});
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/detail/export.hpp"
#include "crivo/progress.hpp"

namespace crivo {

namespace detail {
class RemoteFiles;
}

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

/// Says what a signature must have. All is checked before a file gives any answer; what fails is
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

/// Holds what a signature says that was checked.
struct Signature {
  std::string key_id{};  ///< PublicKey::id_text()
  std::uint64_t sequence = 0;
  std::optional<std::chrono::sys_seconds> expires{};
  std::string comment{};  ///< the trusted comment: what of this the key's owner has signed
};

/// verify() of crivo/inspect.hpp, of a file that must be signed: its signature first, then every
/// byte, by its hash tree or, where the signature names no root, by BLAKE2b. Last, the sequence is
/// noted in the state. Throws Error(corrupt) also where there is no signature; Error(usage) for a
/// store of the backend lmdb or with updates, which no signature covers, and in a build without
/// libcrypto. Of a chain it is the chain that is signed, where a signature lies beside it,
/// or else its base and all deltas: then the last one's is returned, and its sequence noted under
/// the names of chain and base.
CRIVO_API Signature verify_signed(const std::filesystem::path& path, const Trust& trust,
                                  const Resources& resources = {});

/// Parses a time of UTC: 2026-12-07, 2026-12-07T04:40Z or 2026-12-07T04:40:00Z. Throws
/// Error(usage).
CRIVO_API std::chrono::sys_seconds parse_time(std::string_view text);
/// Returns the second of these forms; the third, where the seconds are not 0. Years 0 to 9999.
CRIVO_API std::string time_text(std::chrono::sys_seconds time);

/// Whatever the mode, replace an index by building or renaming over it, as every build and edit of
/// Crivo does: who has it open goes on with the old one, whole. A file of 65,536 bytes or fewer is
/// read when it is opened, in each mode but `lock`: that is quicker than to map it, and takes none
/// of the mappings that a process may have (vm.max_map_count), so that hundreds of thousands can be
/// open. What becomes of such a file later does not matter. Never copy over a larger one in place,
/// nor cut it short. A mapped file *is* the file: what another process overwrites is read as
/// damage or as a wrong answer, and what it cuts off ends the reader with SIGBUS (which memory
/// that is locked does not prevent), unless there is guard_reads(). Who cannot trust the writer
/// opens with `copy` or `read`.
enum class OpenMode {
  /// Reads what lookups touch and no more: from a cold file, a few pages at open and a few a
  /// lookup. The pages of a file of more than 65,536 bytes are shared with every process that has
  /// the file open, and the system may drop and read them again.
  mapped,
  /// mapped, and read whole when opened, as far as the memory goes: no lookup waits for the disk
  /// until the system drops pages. For many lookups in a file that is not in memory yet.
  preload,
  /// preload, and kept in memory until it is closed. Error(io) where the limit on locked memory
  /// (RLIMIT_MEMLOCK, `ulimit -l`) is lower than the file is long.
  lock,
  /// Reads the whole file into memory of its own, and checks every checksum there: nothing that
  /// happens to the file later matters, and damage (or a writer in place, caught in the act) is
  /// Error(corrupt) now. Each copy takes as many bytes as the file has.
  copy,
  /// Never mapped: each page of 4096 bytes is read and checked when a lookup first touches it, into
  /// memory of its own, where it stays until the file is closed; a record of the backend flat each
  /// time, into the reader's memory. So a page that cannot be read, or that another process cut off
  /// or overwrote, is damage and no SIGBUS, and what was read before stays as it was. It takes as
  /// much memory as lookups touch, at most the length of the file. Files whose lookups do not check
  /// what they touch are read whole, as by copy: MPHFs, filters, deltas, chains, manifests, those
  /// without page sums, and what LMDB has. With `verify` or `trust` all is.
  read,
};

/// Says whether the bytes that an answer rests on are checked before it is given.
enum class OpenCheck {
  /// unchecked for MPHFs and filters, whose answers are within bounds by nature, those that damage
  /// changes, too; checked for all other kinds.
  by_kind,
  /// Each page of 4096 bytes is compared with its sum when a lookup first touches it, once an open;
  /// MPHFs, filters, and files of at most 65,536 bytes are compared whole when they are opened. A
  /// lookup that rests on a damaged page says so: it is neither "absent" nor another's value. That
  /// costs some 2 ns for each place that a lookup reads, and a bit for each page.
  checked,
  /// For who has checked the file: lookups are as quick as can be, and damage may answer anything.
  unchecked,
};

/// Handles SIGBUS from now on, in the whole process, also for what is open: where a page of a
/// mapped file cannot be read, as its disk is bad or the file was cut short, lookups that check
/// what they read (OpenCheck) answer "damaged", these and all later ones out of the file, and no
/// signal ends the process. Records of the backend flat are damaged one by one, in such pages
/// alone. SIGBUS of all else, as of MPHFs, filters and LMDB, goes to the handler that was there
/// before. What is cut off inside of a page is no error to the system: it reads zeros there, which
/// page sums find unless the page was checked before. A second call does nothing.
CRIVO_API void guard_reads() noexcept;

struct OpenOptions {
  OpenMode mode = OpenMode::mapped;
  /// Read every byte and check it, as verify() does, before anything is answered: Error(corrupt).
  /// (A copy has its checksums checked in any case.)
  bool verify = false;
  /// Whose signature the file must have: checked first, then every byte by the hash tree, on every
  /// core, before anything is answered; what fails is the Error of verify_signed(). Lookups cost
  /// nothing more. What is mapped can still be changed by who may write to the file; `copy` keeps
  /// what was checked. A store is checked again whenever it is opened anew, as by refresh().
  std::optional<Trust> trust{};
  /// How the data file of a store, which holds its records, gets into memory; nothing: as the index
  /// does, by `mode`. With `mode` preload and this mapped, a hit reads the pages that its stored
  /// record covers, and no others. Of what is no store it is no matter.
  std::optional<OpenMode> data_mode{};
  /// Nothing is checked where it lies for a mode or option that has checked every byte at open.
  OpenCheck check = OpenCheck::by_kind;
  /// Where the file comes from, if it is not one of this machine: Remote sets it.
  std::shared_ptr<detail::RemoteFiles> files{};
};

}  // namespace crivo
