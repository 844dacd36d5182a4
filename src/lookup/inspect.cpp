// SPDX-License-Identifier: Apache-2.0
#include "crivo/inspect.hpp"

#include "base/as_error.hpp"
#include "file/manifest.hpp"
#include "file/section_types.hpp"
#include "lookup/describe.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"

namespace crivo {
namespace {

std::string section_name(std::uint32_t number) {
  const file::SectionType* const type = file::find_section_type(number);
  return std::string(type != nullptr ? type->name : "unknown, skipped");
}

FileInfo describe_container(const file::Container& container) {
  FileInfo info;
  info.kind = file::kind_name(container.header().kind);
  info.keys = container.header().keys;
  info.bytes = container.bytes();
  info.hash = hashing::key_hash_name(container.header().key_hash);
  info.seed = container.header().seed;
  info.format_version = container.version();
  info.digest = file::to_hex(container.digest());
  info.build_id = file::to_hex(container.header().build_id);
  info.metadata = container.metadata();
  for (const file::SectionEntry& section : container.sections()) {
    info.sections.push_back({section.type, section_name(section.type), section.tag,
                             section.alignment, section.offset, section.length});
  }
  return info;
}

void describe_parts(const file::Container& container, FileInfo& info) {
  if (container.parts() != nullptr)
    info.parameters.push_back({"parts", container.parts()->parts()});
}

}  // namespace

namespace index {

void describe_records(std::string_view backend, const records::CodecHead& codec,
                      std::uint64_t dictionary_bytes, FileInfo& info) {
  info.fpr = 0;  // the key is stored with its record: answers are exact
  info.fpr_keys.clear();
  for (const auto& [name, value] : {std::pair("backend", std::string(backend)),
                                    std::pair("codec", std::string(codec.type().name))})
    info.rows.push_back({name, value, name, value, true});
  if (codec.block_bytes != 0)
    info.parameters.push_back({"block_bytes", std::uint64_t{codec.block_bytes}});
  if (dictionary_bytes != 0) info.parameters.push_back({"dictionary_bytes", dictionary_bytes});
}

void describe_signatures(unsigned bits, std::string_view otherwise, FileInfo& info) {
  info.signature_bits = bits;
  std::string text = std::to_string(bits);
  if (bits == 0) text.append(" (").append(otherwise).append(")");
  info.rows.push_back({"signature_bits", std::uint64_t{bits}, "signature bits", text});
}

FileInfo describe(const StoreFiles& files) {
  FileInfo info = describe_container(files.index);
  const bool in_order = files.ranks.in_order != nullptr;
  if (in_order) {
    describe_dictionary(*files.ranks.in_order, info);
    info.algorithm = "dictionary";
  } else {
    describe_ranks(*files.ranks.by_hash, info);
  }
  describe_signatures(in_order ? 0 : files.ranks.by_hash->signatures.bits(),
                      "each record has its key", info);
  const records::StoredCodec& codec = files.sealed->codec();
  describe_records(files.backend.name, codec.head(), codec.dictionary_bytes(), info);
  const records::RecordFile::Updates updates = files.records()->updates();
  info.rows.push_back({"changed_records", updates.changed});
  info.rows.push_back({"added_records", updates.added});
  info.rows.push_back({"removed_records", updates.removed});
  info.rows.push_back({"update_bytes", updates.bytes});
  info.rows.push_back({"dead_update_bytes", updates.dead_bytes});
  if (updates.changed + updates.added + updates.removed != 0) {
    info.rows.push_back({"",
                         {},
                         "updated",
                         "since the build: " + std::to_string(updates.changed) + " changed, " +
                             std::to_string(updates.added) + " added, " +
                             std::to_string(updates.removed) + " removed; " +
                             std::to_string(updates.bytes) + " bytes, " +
                             std::to_string(updates.dead_bytes) + " of them not in use"});
  }
  info.rows.push_back({"",
                       {},
                       "absent keys",
                       in_order ? "refused, all: the dictionary has the keys"
                                : "refused, all: each record has its key"});
  info.bytes += files.sealed->file_bytes() + updates.bytes;
  describe_parts(files.index, info);
  return info;
}

FileInfo describe(const file::Container& container) {
  FileInfo info = describe_container(container);
  // Steps of a sharded build have no more to say.
  if (file::is_step(container.header().kind)) {
    info.algorithm_name.clear();
  } else {
    index_kind_of(container).describe(container, info);
  }
  describe_parts(container, info);
  return info;
}

FileInfo describe(const file::Container& container, const std::vector<file::Container>& links) {
  if (links.empty()) return describe(container);
  FileInfo info = describe_container(container);
  describe_chain(container, links, info);
  describe_parts(container, info);
  return info;
}

}  // namespace index

FileInfo inspect(const std::filesystem::path& path) try {
  const auto loading = file::Loading::mapped;
  if (index::is_store(path)) return index::describe(index::StoreFiles::open(path, loading));
  return index::describe(file::Container::open(path, loading));
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
