// SPDX-License-Identifier: Apache-2.0
#include "lookup/store_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "file/container.hpp"
#include "file/manifest.hpp"
#include "file/names.hpp"
#include "file/section_types.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/kinds.hpp"
#include "records/served/served_records.hpp"
#include "records/updates/overlay.hpp"

namespace crivo::index {

std::vector<std::string> store_file_families() {
  std::vector<std::string> families{kIndexName, std::string(kIndexName) + ".minisig", "lock.mdb",
                                    kUpdatesFamily};
  for (const records::Backend& backend : records::backends()) families.emplace_back(backend.family);
  return families;
}

std::string records_name(const records::Backend& backend, const file::Container& index) {
  return file::generation_name(backend.family, index.digest());
}
std::string updates_name(const file::Container& index) {
  return file::generation_name(kUpdatesFamily, index.digest());
}

bool is_store(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return true;
  const auto file =
      file::Container::open(file::open_to_map(path), path.string(), file::Loading::mapped);
  return file.header().kind == file::Kind::manifest &&
         file::kind_of_whole(file) == file::Kind::store;
}

namespace {

/// No MPHF has less than log2(e) = 1.44 bits a key.
constexpr std::uint64_t kMostKeysAByte = 8;

/// How often an open begins anew because the store was replaced under it: a replacement may take
/// less time than an open, and then most tries meet one.
constexpr int kTries = 10'000;

/// Another descriptor of the file: as long as it is open, no other file has its numbers.
base::FileDescriptor kept(const base::FileDescriptor& file) {
  base::FileDescriptor copy(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy.is_open()) base::throw_system_error("cannot duplicate a descriptor", errno);
  return copy;
}

base::FileDescriptor open_directory(const std::filesystem::path& path) {
  base::FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open() && errno == ENOTDIR) {
    throw Error(ErrorKind::usage, path.string() + ": not a store (a store is a directory)");
  }
  if (!directory.is_open()) base::throw_file_error(path.string(), "cannot open", errno);
  return directory;
}

FileIdentity identity_of(const struct stat& status) noexcept {
  return {status.st_dev, status.st_ino};
}

FileIdentity identity_of(const base::FileDescriptor& file) noexcept {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 ? identity_of(status) : FileIdentity{};
}

/// Opens the data file that the index leads to.
base::FileDescriptor open_records(const base::FileDescriptor& directory,
                                  const std::filesystem::path& name,
                                  const records::Backend& backend, const file::Container& index) {
  const std::filesystem::path path = name / records_name(backend, index);
  if (::faccessat(directory.get(), path.filename().c_str(), F_OK, 0) != 0 && errno == ENOENT) {
    throw Error(
        ErrorKind::corrupt,
        path.string() +
            ": is missing, but the index needs it; perhaps the index is from another build");
  }
  return base::FileDescriptor::open_in(directory, path);
}

/// Whether `path` leads to another file than this by now, or to none.
bool was_replaced(const base::FileDescriptor& opened, const std::filesystem::path& path) noexcept {
  struct stat named {};
  return ::stat(path.c_str(), &named) != 0 || identity_of(named) != identity_of(opened);
}

/// Where updates of `index` are, or would be, in `directory`, which messages call `name`.
records::Overlay::Place updates_of(const file::Container& index,
                                   const base::FileDescriptor& directory,
                                   const std::filesystem::path& name) {
  std::string file = updates_name(index);
  std::filesystem::path path = name / file;
  return {.directory = directory,
          .name = std::move(file),
          .path = std::move(path),
          .content_id = index.header().content_id,
          .records = index.header().keys};
}

}  // namespace

namespace {

void check_keys(const file::Container& index) {
  if (const std::uint64_t keys = index.header().keys; keys > kMostKeysAByte * index.bytes())
    index.fail("damaged: it claims " + std::to_string(keys) + " keys, more than it can hold");
}

}  // namespace

StoreFiles StoreFiles::open(const std::filesystem::path& path, StoreLoading loading) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) ? open_manifest(path, loading)
                                                         : open_generations(path, loading);
}

StoreFiles StoreFiles::open_manifest(const std::filesystem::path& path, StoreLoading loading) {
  for (int left = kTries;; --left) {
    base::FileDescriptor file = file::open_to_map(path);
    const base::FileDescriptor opened = kept(file);
    try {
      file::Container manifest = file::Container::open(file, path.string(), loading.index);
      if (manifest.header().kind != file::Kind::manifest) {
        throw Error(ErrorKind::usage,
                    path.string() + ": not a store (a store is a directory, or a manifest)");
      }
      manifest =
          file::Container::with_parts(std::move(manifest), file, path.parent_path(), loading.index);
      require_kind(manifest, file::Kind::store);
      if (loading.checks_reads) manifest.check_what_is_touched();
      return {path, std::move(file), std::move(manifest)};
    } catch (const Error&) {
      if (left == 1 || !was_replaced(opened, path)) throw;
    }
  }
}

StoreFiles StoreFiles::open_generations(const std::filesystem::path& directory,
                                        StoreLoading loading) {
  for (int left = kTries;; --left) {
    const base::FileDescriptor opened = open_directory(directory);
    base::FileDescriptor pointer;
    const auto was_replaced_meanwhile = [&] {
      return pointer.is_open() ? was_replaced(pointer, directory / kIndexName)
                               : was_replaced(opened, directory);
    };
    try {
      pointer = base::FileDescriptor::open_in(opened, directory / kIndexName);
      Generation found = open_generation(opened, directory, kept(pointer), loading);
      // Updates go after the pointer is another: without any, it must be the same still.
      if (left == 1 || found.updates || !was_replaced_meanwhile()) {
        return {directory, std::move(found), loading};
      }
    } catch (const Error&) {
      if (left == 1 || !was_replaced_meanwhile()) throw;
    }
  }
}

bool StoreFiles::is_replaced() const noexcept {
  struct stat named {};
  if (::stat(index_path.c_str(), &named) != 0) return false;
  return identity_of(named) != index_identity ||
         (updates ? updates->is_old_copy() || !updates->is_at(updates_path)
                  : !updates_path.empty() && ::access(updates_path.c_str(), F_OK) == 0);
}

StoreFiles::Generation StoreFiles::open_generation(const base::FileDescriptor& directory,
                                                   const std::filesystem::path& name,
                                                   base::FileDescriptor pointer,
                                                   StoreLoading loading) {
  file::Container index =
      of_kind(file::Container::open(pointer, (name / kIndexName).string(), loading.index),
              file::Kind::store);
  check_keys(index);
  if (loading.checks_reads && index.page_checks() == nullptr) index.check_what_is_touched();
  const records::Backend& backend = records::backend_of(index);
  base::FileDescriptor data = open_records(directory, name, backend, index);
  auto updates = records::Overlay::open(updates_of(index, directory, name), loading.data);
  return {.pointer = std::move(pointer),
          .index = std::move(index),
          .backend = &backend,
          .data = std::move(data),
          .updates = std::move(updates)};
}

StoreFiles::StoreFiles(const std::filesystem::path& name, Generation found, StoreLoading loading)
    : index_path(std::filesystem::absolute(name / kIndexName)),
      index_file(std::move(found.pointer)),
      index_identity(identity_of(index_file)),
      index(std::move(found.index)),
      updates_path(index_path.parent_path() / updates_name(index)),
      ranks(index),
      backend(*found.backend),
      sealed(backend.open(std::move(found.data), name / records_name(backend, index), index,
                          ranks.in_order, loading.data)),
      updates(std::move(found.updates)) {
  check_records();
}

StoreFiles::StoreFiles(file::Container opened, file::Container records)
    : index((check_keys(opened), std::move(opened))),
      ranks(index),
      backend(records::backend_of(index)),
      sealed(backend.open_container(std::move(records), index, ranks.in_order)) {
  check_records();
}

void StoreFiles::check_records() const {
  if (sealed->content_id() != index.header().content_id ||
      sealed->records() != index.header().keys || sealed->key_seed() != index.header().seed) {
    index.fail("damaged: its header and its description of the records disagree");
  }
  if (ranks.in_order != nullptr && !backend.may_be_ordered)
    index.fail("damaged: it has a dictionary, and records of a backend that has no order");
}

StoreFiles::StoreFiles(const std::filesystem::path& path, base::FileDescriptor file,
                       file::Container manifest)
    : index_path(std::filesystem::absolute(path)),
      index_file(std::move(file)),
      index_identity(identity_of(index_file)),
      index(std::move(manifest)),
      ranks(index),
      backend(records::served_backend()),
      sealed(records::open_served(index)) {}

std::shared_ptr<const records::RecordFile> StoreFiles::records() const {
  return updates ? records::with_updates(sealed, updates) : sealed;
}

records::Overlay::Place StoreFiles::updates_in(const base::FileDescriptor& directory) const {
  return updates_of(index, directory, updates_path.parent_path());
}

StoreRanks::StoreRanks(const file::Container& index) {
  if (!index.find(file::kDictionaryHeadSection)) {
    by_hash.emplace(index);
    return;
  }
  if (file::only_structure(index, mphf::algorithms()) != nullptr ||
      index.find(file::kSignatureSection)) {
    index.fail("damaged: it has both a dictionary and an MPHF");
  }
  if (!hashing::stands_for(index.header().key_hash, hashing::KeyHashId::xxh3))
    index.fail("damaged: the header of an ordered store has the key hash of another structure");
  in_order = std::make_shared<const dictionary::Reader>(dictionary::open_dictionary(index));
}

void StoreRanks::lookup(std::span<const std::string_view> keys, std::span<const Hash128> hashes,
                        std::span<std::uint64_t> ranks) const noexcept {
  if (by_hash) return by_hash->lookup(hashes, ranks.data());
  ranks_of(keys, ranks);
}

void StoreRanks::ranks_of(std::span<const std::string_view> keys,
                          std::span<std::uint64_t> ranks) const noexcept {
  std::array<dictionary::Place, 64> places;
  for (std::size_t begin = 0; begin < keys.size(); begin += places.size()) {
    const auto some = keys.subspan(begin, std::min(places.size(), keys.size() - begin));
    in_order->find(some, std::span(places).first(some.size()));
    for (std::size_t i = 0; i < some.size(); ++i)
      ranks[begin + i] = places[i].found ? places[i].id : RankIndex::kAbsent;
  }
}

bool rests_on_damage(const StoreFiles& files, const HashFunction& function,
                     std::string_view key) noexcept {
  return base::rests_on_damage(files.index.page_checks(), [&] {
    if (files.ranks.in_order != nullptr) {
      (void)files.ranks.rank_of(key);
      return;
    }
    const Hash128 hash = detail::HashAccess::raw(function, key);
    const std::uint64_t rank = files.ranks.by_hash->lookup(hash);
    if (rank != RankIndex::kAbsent) (void)files.sealed->may_hold(rank, hash.hi);
  });
}

}  // namespace crivo::index
