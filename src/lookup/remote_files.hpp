// SPDX-License-Identifier: Apache-2.0
/// The files of an index that are read by ranges: one, or those of a chain or a store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "crivo/remote.hpp"
#include "file/container.hpp"
#include "file/fetched_file.hpp"
#include "file/trust/signature_check.hpp"

namespace crivo::detail {

/// Gives out containers as OpenOptions::files says. Of one thread, but for what structures touch.
class RemoteFiles {
 public:
  /// Opens the index; its signature is checked first, if it must have one. Throws what
  /// Remote::open() does.
  RemoteFiles(std::unique_ptr<ByteSource> source, RemoteOptions options);
  /// The same of a file of this machine, which is mapped, and of those beside it.
  RemoteFiles(const std::filesystem::path& path, const std::optional<Trust>& trust);
  RemoteFiles(const RemoteFiles&) = delete;
  RemoteFiles& operator=(const RemoteFiles&) = delete;

  const std::string& name() const noexcept { return options_.name; }
  const std::optional<Signature>& signature() const noexcept { return signature_; }
  /// What the signature said, if there is one: of a store's records, too.
  const std::optional<trust::SignatureCheck>& signed_by() const noexcept { return check_; }
  file::FetchedFile& index() noexcept { return *index_; }

  /// Whether a file that was changed may be followed.
  bool follows() const noexcept { return options_.open_again != nullptr; }
  /// Opens the index that is there by now, and leaves this as it is. Throws what the constructor
  /// does.
  std::shared_ptr<RemoteFiles> opened_again() const {
    return std::make_shared<RemoteFiles>(options_.open_again(), options_);
  }

  /// The index as structures are opened over it. What kinds that do not touch what they read look
  /// at is fetched: of filters what they read at open, else all. Throws Error(corrupt) where some
  /// bytes are not here, which then are wanted, and what FetchedFile::require() does.
  file::Container open();
  /// The same of a file beside the index, of which a filter is fetched whole. Throws Error(corrupt)
  /// if there is none.
  file::Container open_sibling(const std::string& name);
  bool has_sibling(const std::string& name);

  /// Whether something is wanted of any file.
  bool wants() const noexcept;
  std::uint64_t wanted_bytes() const noexcept;
  /// FetchedFile::fetch_wanted() of all files that want something.
  void fetch_wanted(std::uint64_t ahead = 0);
  void make_room();
  /// FetchedFile::check_all() of all files.
  void check_all(const std::function<void(std::uint64_t)>& progress);
  /// The length of all files together.
  std::uint64_t bytes() const noexcept;

 private:
  file::FetchedFile& sibling(const std::string& name);
  template <typename Use>
  void for_each(Use&& use) const;

  file::FetchedFile::Caches caches() noexcept;

  RemoteOptions options_;
  std::optional<file::ChunkCache> disk_cache_;
  std::optional<trust::SignatureCheck> check_;
  std::optional<Signature> signature_;
  std::unique_ptr<file::FetchedFile> index_;
  std::map<std::string, std::unique_ptr<file::FetchedFile>> beside_;  ///< null: not opened yet
  std::map<std::string, bool> found_;                                 ///< by has_sibling()
};

}  // namespace crivo::detail
