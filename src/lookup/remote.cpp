// SPDX-License-Identifier: Apache-2.0

#include "crivo/remote.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "crivo/key.hpp"
#include "file/container.hpp"
#include "file/fetched_file.hpp"
#include "file/section_types.hpp"
#include "file/trust/signature_check.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/map_file.hpp"
#include "lookup/open_trusted.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::index {

class LookupParts {
 public:
  /// Makes sure that all is here which structures over these sections look at when they are opened:
  /// header and partition table of ribbon sections, all of others. Throws what require() does, and
  /// Error(corrupt). `file` must outlive this.
  static std::vector<LookupParts> require_opening(
      file::FetchedFile& file, const std::vector<const file::SectionEntry*>& sections);

  /// Returns the part of the section that the lookup of a key with that hash looks at.
  file::SectionPart of(detail::Hash128 hash) const noexcept;

 private:
  explicit LookupParts(const file::SectionEntry& section) : section_(&section) {}
  void read_header(const file::Container& container);

  const file::SectionEntry* section_;
  const std::byte* table_ = nullptr;  ///< of a ribbon section in partitions; null: all was read
  std::uint64_t table_at_ = 0;
  unsigned partition_bits_ = 0;
};

}  // namespace crivo::index

namespace crivo {

namespace {

/// The sections in which lookups look.
std::vector<const file::SectionEntry*> structures_of(const file::Container& container) {
  std::vector<const file::SectionEntry*> sections;
  for (const file::SectionEntry& section : container.sections()) {
    if (!file::is_of_container(section.type) && section.type < file::kFirstSkippable)
      sections.push_back(&section);
  }
  return sections;
}

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

}  // namespace

struct Remote::Impl {
  Impl(std::unique_ptr<file::FetchedFile> opened, std::optional<Signature> said)
      : file(std::move(opened)),
        hash(index::hash_function(file->container().header())),
        signature(std::move(said)) {
    const file::Container& container = file->container();
    const file::Kind kind = container.header().kind;
    if (kind != file::Kind::filter && kind != file::Kind::map) {
      throw Error(ErrorKind::usage, container.name() + ": is of the kind " +
                                        std::string(file::kind_name(kind)) +
                                        "; only filters and maps can be looked up in parts");
    }
    parts = index::LookupParts::require_opening(*file, structures_of(container));
    if (kind == file::Kind::filter) {
      filter.emplace(container);
      if ((filter->type->can & filter::kRanges) != 0)
        throw Error(ErrorKind::usage, container.name() +
                                          ": answers ranges, which cannot be looked up in parts; "
                                          "download it");
    } else {
      map.emplace(container);
    }
  }

  std::vector<Found> find(std::span<const std::string_view> keys) {
    std::vector<Hash128> hashes;
    std::vector<file::SectionPart> wanted;
    for (const std::string_view key : keys) {
      hashes.push_back(detail::HashAccess::raw(hash, key));
      for (const index::LookupParts& one : parts) wanted.push_back(one.of(hashes.back()));
    }
    file->require(wanted, false);
    const bool is_signed =
        file->container().header().value_type != file::ValueTypeId::unsigned_integer;
    std::vector<Found> all(hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (filter) all[i].found = filter->membership->contains(hashes[i]);
      const auto value = map ? map->lookup(hashes[i]) : std::nullopt;
      if (value) all[i] = {true, is_signed ? base::unzigzag(*value) : *value};
    }
    return all;
  }

  std::unique_ptr<file::FetchedFile> file;
  HashFunction hash;
  std::optional<Signature> signature;
  std::vector<index::LookupParts> parts;
  std::optional<filter::FilterFile> filter;
  std::optional<map::MapFile> map;
};

Remote::Remote(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Remote::~Remote() = default;
Remote::Remote(Remote&& other) noexcept = default;
Remote& Remote::operator=(Remote&& other) noexcept = default;

Remote Remote::open(std::unique_ptr<ByteSource> source, const RemoteOptions& options) try {
  const std::string& name = options.name;
  std::optional<Signature> signature;
  const auto check = [&](const file::Container& container, const std::string& sent) {
    if (!options.trust) return;
    const std::string& text = options.signature.empty() ? sent : options.signature;
    signature =
        checked({text, name + ".minisig", {index::signed_name(name)}, *options.trust}, container);
  };
  auto file =
      std::make_unique<file::FetchedFile>(std::move(source), name, options.cache_bytes, check);
  return Remote(std::make_unique<Impl>(std::move(file), std::move(signature)));
} catch (...) {
  base::rethrow_as_error();
}

Remote Remote::open(const std::filesystem::path& path, const std::optional<Trust>& trust) try {
  std::optional<trust::SignatureCheck> check;
  if (trust) check.emplace(path, std::vector<std::string>{index::signed_name(path)}, *trust);
  auto file = std::make_unique<file::FetchedFile>(file::MappedFile(path, file::Loading::mapped),
                                                  path.string());
  std::optional<Signature> signature;
  if (check) signature = checked(*check, file->container());
  return Remote(std::make_unique<Impl>(std::move(file), std::move(signature)));
} catch (...) {
  base::rethrow_as_error();
}

std::string_view Remote::kind() const noexcept {
  return file::kind_name(impl_->file->container().header().kind);
}

std::uint64_t Remote::size() const noexcept {
  return impl_->file->container().header().keys;
}

std::optional<ValueForm> Remote::value_form() const noexcept {
  if (!impl_->map) return std::nullopt;
  return index::value_form(impl_->file->container().header());
}

const std::optional<Signature>& Remote::signature() const noexcept {
  return impl_->signature;
}

Remote::Found Remote::find(std::string_view key) {
  return find(std::span(&key, 1)).front();
}

std::vector<Remote::Found> Remote::find(std::span<const std::string_view> keys) try {
  return impl_->find(keys);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo

namespace crivo::index {
namespace {

bool is_ribbon(const file::SectionEntry& section) noexcept {
  return section.type == file::kRibbonSection || section.type == file::kRibbonFunctionSection;
}

}  // namespace

std::vector<LookupParts> LookupParts::require_opening(
    file::FetchedFile& file, const std::vector<const file::SectionEntry*>& sections) {
  std::vector<LookupParts> all;
  std::vector<file::SectionPart> parts;
  for (const file::SectionEntry* const section : sections) {
    all.push_back(LookupParts(*section));
    if (!is_ribbon(*section)) {
      parts.push_back({section, 0, section->length});
    } else {
      // With the last chunk, in which the table mostly is: that saves a call.
      parts.push_back({section, 0, std::min(ribbon::kHeaderBytes, section->length)});
      if (section->length != 0) parts.push_back({section, section->length - 1, 1});
    }
  }
  file.require(parts, true);
  parts.clear();
  for (LookupParts& one : all) {
    if (!is_ribbon(*one.section_)) continue;
    one.read_header(file.container());
    parts.push_back({one.section_, one.table_at_, one.section_->length - one.table_at_});
  }
  file.require(parts, true);
  return all;
}

void LookupParts::read_header(const file::Container& container) {
  const base::ByteView bytes = container.bytes_of(*section_);
  const auto part = section_->type == file::kRibbonSection ? ribbon::HashPart::first_half
                                                           : ribbon::HashPart::whole;
  const ribbon::Header header =
      file::naming(container.name(), [&] { return ribbon::decode_header(bytes, part); });
  if (header.n < ribbon::kSmallSetKeys) return;  // all of it is required
  partition_bits_ = header.partition_bits();
  const std::uint64_t table = (ribbon::kTableEntryBytes << partition_bits_) + ribbon::kEndPadding;
  if (section_->length < table + ribbon::kHeaderBytes)
    container.fail("damaged: a ribbon section is too short for its partition table");
  table_at_ = section_->length - table;
  table_ = bytes.data() + table_at_;
}

file::SectionPart LookupParts::of(detail::Hash128 hash) const noexcept {
  if (table_ == nullptr) return {section_, 0, 0};
  const std::uint64_t partition = partition_bits_ == 0 ? 0 : hash.hi >> (64 - partition_bits_);
  const auto body = [&](std::uint64_t index) {
    return base::load_le<std::uint64_t>(table_ + ribbon::kTableEntryBytes * index);
  };
  const std::uint64_t begin = body(partition);
  const std::uint64_t end =
      partition + 1 == std::uint64_t{1} << partition_bits_ ? table_at_ : body(partition + 1);
  // Bodies that are not in order hold no key that a lookup could find.
  if (begin >= end || end > table_at_) return {section_, 0, 0};
  return {section_, begin, end - begin};
}

}  // namespace crivo::index
