// SPDX-License-Identifier: Apache-2.0
#include "lookup/open_trusted.hpp"

#include <string>
#include <system_error>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "crivo/progress.hpp"
#include "lookup/kinds.hpp"
#include "lookup/remote_files.hpp"

namespace crivo::index {

void verify_on_all_cores(const file::Container& container) {
  container.verify(base::thread_count(0), [](std::uint64_t) {});
}

namespace {

/// Whether lookups are to check what they read, of a kind that does or does not by itself.
bool checks_reads(const OpenOptions& options, bool is_exact) noexcept {
  if (options.trust || options.verify || options.mode == OpenMode::copy) return false;
  return options.check == OpenCheck::by_kind ? is_exact : options.check == OpenCheck::checked;
}

}  // namespace

file::Loading loading_of(const OpenOptions& options, OpenMode mode) noexcept {
  const file::Loading loading = file::loading(mode);
  return (options.trust || options.verify) && file::copies(loading) ? file::Loading::copy : loading;
}

void check_reads(file::Container& container, const OpenOptions& options) {
  const file::Kind kind = container.header().kind;
  const bool is_touched = file::find_kind(kind)->touches;
  if (container.page_checks() != nullptr ||
      !checks_reads(options, is_touched || kind == file::Kind::chain))
    return;
  if (is_touched) return container.check_what_is_touched();
  container.check_sums(base::thread_count(0), [](std::uint64_t) {});
}

void check_every_byte(const trust::SignatureCheck& check, const file::Container& container) {
  Progress unseen;
  check.check_root(container);
  check.check_bytes(container, unseen);
  verify_on_all_cores(container);
}

file::Container open_kind(const std::filesystem::path& path, file::Kind kind, file::Loading loading,
                          const trust::SignatureCheck& check) {
  file::Container container = open_kind(path, kind, loading);
  check_every_byte(check, container);
  return container;
}

file::Container open_kind(const std::filesystem::path& path, file::Kind kind,
                          const OpenOptions& options) {
  if (options.files != nullptr) return of_kind(options.files->open(), kind);
  const file::Loading loading = loading_of(options, options.mode);
  if (!options.trust) {
    file::Container container = open_kind(path, kind, loading);
    check_reads(container, options);
    return container;
  }
  const trust::SignatureCheck check(path, {signed_name(path)}, *options.trust);
  file::Container container = open_kind(path, kind, loading, check);
  check.note_seen();
  return container;
}

file::Container open_kind(base::ByteView bytes, file::Kind kind, const OpenOptions& options) {
  if (options.trust)
    throw Error(ErrorKind::usage,
                std::string(kBytesName) + ": have no signature beside them; open a file");
  file::Container container = open_kind(bytes, kind, file::loading(options.mode));
  check_reads(container, options);
  return container;
}

namespace {

/// Of the backend flat, whose records have a hash tree, and without updates.
StoreFiles open_remote_store(detail::RemoteFiles& files) {
  file::Container index = of_kind(files.open(), file::Kind::store);
  const records::Backend& backend = records::backend_of(index);
  if (backend.open_container == nullptr)
    throw Error(ErrorKind::usage, files.name() + ": a store of the backend " +
                                      std::string(backend.name) +
                                      " cannot be read by ranges; build it with the backend flat");
  file::Container records = files.open_sibling(records_name(backend, index));
  if (files.signed_by()) files.signed_by()->check_records(records);
  StoreFiles opened(std::move(index), std::move(records));
  if (!files.signed_by() && files.has_sibling(updates_name(opened.index)))
    throw Error(ErrorKind::usage,
                files.name() + ": the store has updates, which are not read by ranges; compact it");
  return opened;
}

}  // namespace

StoreFiles open_store_files(const std::filesystem::path& path, const OpenOptions& options) {
  if (options.files != nullptr) return open_remote_store(*options.files);
  StoreLoading loading(loading_of(options, options.mode),
                       loading_of(options, options.data_mode.value_or(options.mode)));
  loading.checks_reads = checks_reads(options, true);
  if (!options.trust) return StoreFiles::open(path, loading);
  const trust::SignatureCheck check(signed_file(path), {signed_name(path)}, *options.trust);
  StoreFiles files = StoreFiles::open(path, loading);
  refuse_uncovered(files, "be trusted");
  check_every_byte(check, files.index);
  if (const file::Container* const records = files.sealed->container(); records != nullptr) {
    check.check_records(*records);
    verify_on_all_cores(*records);
  }
  check.note_seen();
  return files;
}

std::filesystem::path signed_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / kIndexName : path;
}

std::string signed_name(const std::filesystem::path& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

void refuse_uncovered(const StoreFiles& files, const char* what) {
  const auto refuse = [&](const std::string& store, const std::string& why) {
    throw Error(ErrorKind::usage,
                files.index.name() + ": a store " + store + " cannot " + what + ", as " + why);
  };
  if (!files.backend.is_signed)
    refuse("of the backend " + std::string(files.backend.name),
           "a signature would not cover its records; build it with the backend flat");
  if (files.updates) refuse("with updates", "a signature would not cover them; compact it first");
}

}  // namespace crivo::index
