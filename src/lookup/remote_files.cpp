// SPDX-License-Identifier: Apache-2.0
#include "lookup/remote_files.hpp"

#include <cerrno>
#include <limits>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "lookup/lookup_parts.hpp"
#include "lookup/open_trusted.hpp"

namespace crivo::detail {
namespace {

/// Checks what the signature says of the whole.
Signature checked(const trust::SignatureCheck& check, const file::Container& container) {
  check.check_root(container);
  if (check.needs_bytes()) {
    throw Error(ErrorKind::usage, container.name() +
                                      ".minisig: names no root of the hash tree, so the whole "
                                      "file must be read; sign it by sign()");
  }
  check.note_seen();
  return check.signature();
}

/// Whether structures over files of the kind touch what they read.
bool touches(file::Kind kind) noexcept {
  return kind == file::Kind::records || file::find_kind(kind)->touches;
}

/// The container for them.
file::Container opened(file::FetchedFile& file) {
  file.require_opening();
  return file.opened();
}

/// All of a file, for structures that do not.
file::Container whole(file::FetchedFile& file) {
  file.require_all();
  return file::Container::over(file.container().file_bytes(), file.container().name());
}

}  // namespace

RemoteFiles::RemoteFiles(std::unique_ptr<ByteSource> source, RemoteOptions options)
    : options_(std::move(options)) {
  if (!options_.cache_folder.empty())
    disk_cache_.emplace(options_.cache_folder, options_.cache_folder_bytes);
  const auto check = [&](const file::Container& container, const std::string& sent) {
    if (!options_.trust) return;
    const std::string& text = options_.signature.empty() ? sent : options_.signature;
    check_.emplace(text, name() + ".minisig", std::vector<std::string>{index::signed_name(name())},
                   *options_.trust);
    signature_ = checked(*check_, container);
  };
  const FileEnds ends = file::FetchedFile::ends_of(*source);
  if (!ends.is_there)
    throw Error(ErrorKind::io, name() + ": there is no such file",
                {.file = name(), .line = {}, .section = {}, .byte = {}, .system_error = ENOENT});
  index_ = std::make_unique<file::FetchedFile>(std::move(source), ends, name(), caches(), check);
}

file::FetchedFile::Caches RemoteFiles::caches() noexcept {
  return {options_.cache_bytes, disk_cache_ ? &*disk_cache_ : nullptr};
}

RemoteFiles::RemoteFiles(const std::filesystem::path& path, const std::optional<Trust>& trust)
    : options_{.name = path.string(),
               .trust = trust,
               .cache_bytes = std::numeric_limits<std::uint64_t>::max(),
               .open_sibling = [folder = path.parent_path()](const std::string& name) {
                 const std::filesystem::path file = folder / name;
                 return std::filesystem::exists(file) ? ByteSource::of_file(file) : nullptr;
               }} {
  if (trust) check_.emplace(path, std::vector<std::string>{index::signed_name(path)}, *trust);
  index_ = std::make_unique<file::FetchedFile>(file::MappedFile(path, file::Loading::mapped),
                                               path.string());
  if (check_) signature_ = checked(*check_, index_->container());
}

file::Container RemoteFiles::open() {
  const file::Container& container = index_->container();
  if (touches(container.header().kind)) return opened(*index_);
  if (container.header().kind != file::Kind::filter) return whole(*index_);
  std::vector<const file::SectionEntry*> sections = index::structures_of(container);
  for (const file::SectionEntry& section : container.sections())
    if (file::is_read_at_open(section.type)) sections.push_back(&section);
  (void)index::LookupParts::require_opening(*index_, sections);
  return file::Container::over(container.file_bytes(), container.name());
}

file::FetchedFile& RemoteFiles::sibling(const std::string& name) {
  std::unique_ptr<file::FetchedFile>& file = beside_[name];
  if (file != nullptr) return *file;
  std::unique_ptr<ByteSource> source =
      options_.open_sibling ? options_.open_sibling(name) : nullptr;
  FileEnds ends;
  ends.is_there = false;
  if (source != nullptr) ends = file::FetchedFile::ends_of(*source);
  if (!ends.is_there) index_->container().fail("its file " + name + " is not there");
  file = std::make_unique<file::FetchedFile>(std::move(source), ends,
                                             this->name() + ": its file " + name, caches(),
                                             [](const file::Container&, const std::string&) {});
  return *file;
}

file::Container RemoteFiles::open_sibling(const std::string& name) {
  file::FetchedFile& file = sibling(name);
  return touches(file.container().header().kind) ? opened(file) : whole(file);
}

bool RemoteFiles::has_sibling(const std::string& name) {
  const auto [at, is_new] = found_.try_emplace(name, false);
  if (is_new && options_.open_sibling) {
    const std::unique_ptr<ByteSource> source = options_.open_sibling(name);
    at->second = source != nullptr && file::FetchedFile::ends_of(*source).is_there;
  }
  return at->second;
}

template <typename Use>
void RemoteFiles::for_each(Use&& use) const {
  use(*index_);
  for (const auto& [name, file] : beside_)
    if (file != nullptr) use(*file);
}

bool RemoteFiles::wants() const noexcept {
  return wanted_bytes() != 0;
}

std::uint64_t RemoteFiles::wanted_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for_each([&](const file::FetchedFile& file) { bytes += file.wanted_bytes(); });
  return bytes;
}

void RemoteFiles::fetch_wanted(std::uint64_t ahead) {
  for_each([&](file::FetchedFile& file) {
    if (file.wants()) file.fetch_wanted(ahead);
  });
}

void RemoteFiles::make_room() {
  for_each([](file::FetchedFile& file) { file.make_room(); });
}

void RemoteFiles::check_all(const std::function<void(std::uint64_t)>& progress) {
  for_each([&](file::FetchedFile& file) { file.check_all(progress); });
}

std::uint64_t RemoteFiles::bytes() const noexcept {
  std::uint64_t bytes = 0;
  for_each([&](const file::FetchedFile& file) { bytes += file.container().bytes(); });
  return bytes;
}

}  // namespace crivo::detail
