// SPDX-License-Identifier: Apache-2.0
/// Opening as OpenOptions say: where they name whom to trust, the signature and then every byte are
/// checked before anything of the file is used; and what is signed of a path that a user names.
#pragma once

#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "crivo/open.hpp"
#include "file/container.hpp"
#include "file/trust/signature_check.hpp"
#include "lookup/store_files.hpp"

namespace crivo::index {

/// Opens `path`, which must hold `kind`. Throws what open_kind() of kinds.hpp does, and
/// verify_signed().
file::Container open_kind(const std::filesystem::path& path, file::Kind kind,
                          const OpenOptions& options);
/// The same of a file whose signature was checked already. Its sequence is left to the caller.
file::Container open_kind(const std::filesystem::path& path, file::Kind kind, file::Loading loading,
                          const trust::SignatureCheck& check);
/// The same of bytes, which nobody can have signed: Error(usage) where a signature is asked for.
file::Container open_kind(base::ByteView bytes, file::Kind kind, const OpenOptions& options);
/// How a file of that mode is loaded: whole, where all of it is to be checked.
file::Loading loading_of(const OpenOptions& options, OpenMode mode) noexcept;
/// Has what lookups read of the file checked, as the options say, unless all of it is checked when
/// it is opened. Throws Error(corrupt).
void check_reads(file::Container& container, const OpenOptions& options);
/// Checks every byte of a file that was opened: against what was signed, and by its hash tree.
void check_every_byte(const trust::SignatureCheck& check, const file::Container& container);
/// By the hash tree alone.
void verify_on_all_cores(const file::Container& container);
/// The same of a store.
StoreFiles open_store_files(const std::filesystem::path& path, const OpenOptions& options);

/// The file that has the signature: of a store's directory, its index.
std::filesystem::path signed_file(const std::filesystem::path& path);

/// The last part of the path, by which its sequence is kept.
std::string signed_name(const std::filesystem::path& path);

/// Throws Error(usage) for a store with records that no signature of its index covers. `what` is
/// "be signed" and the like.
void refuse_uncovered(const StoreFiles& files, const char* what);

}  // namespace crivo::index
