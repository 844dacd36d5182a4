// SPDX-License-Identifier: Apache-2.0
/// How an index file gets into memory.
#pragma once

#include <optional>

#include "crivo/export.hpp"
#include "crivo/trust.hpp"

namespace crivo {

/// Whatever the mode, replace an index by building or renaming over it, as every build and edit of
/// Crivo does: who has it open goes on with the old one, whole. A file of 65,536 bytes or fewer is
/// read when it is opened, in each mode but `lock`: that is quicker than to map it, and takes none
/// of the mappings that a process may have (vm.max_map_count), so that hundreds of thousands can be
/// open. What becomes of such a file later does not matter. Never copy over a larger one in place,
/// nor cut it short. A mapped file *is* the file: what another process overwrites is read as
/// damage or as a wrong answer, and what it cuts off ends the reader with SIGBUS (which memory
/// that is locked does not prevent). Who cannot trust the writer opens with `copy`.
enum class OpenMode {
  /// Reads what lookups touch and no more: from a cold file, a few pages at open and a few a
  /// lookup. The pages of a file of more than 65,536 bytes are shared with every process that has
  /// the file open, and the system may
  /// drop and read them again.
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
};

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
};

}  // namespace crivo
