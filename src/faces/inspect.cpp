// SPDX-License-Identifier: Apache-2.0
#include "crivo/inspect.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "base/as_error.hpp"
#include "file/manifest.hpp"
#include "file/section_types.hpp"
#include "opening/describe.hpp"
#include "opening/filter_file.hpp"
#include "opening/key_hash.hpp"
#include "opening/kinds.hpp"
#include "opening/map_file.hpp"
#include "opening/rank_index.hpp"

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

/// The name under which the structure was built, which its section type alone need not tell.
std::string built_as(const FileInfo& info, const char* metadata_name, std::string_view otherwise) {
  const auto named = info.metadata.find(metadata_name);
  return named != info.metadata.end() ? named->second : std::string(otherwise);
}

/// Metadata is free text: what is no number is none.
std::optional<double> asked_fpr(const FileInfo& info) {
  const auto asked = info.metadata.find("crivo.fpr");
  if (asked == info.metadata.end()) return std::nullopt;
  double fpr = 0;
  const char* end = asked->second.data() + asked->second.size();
  const auto parsed = std::from_chars(asked->second.data(), end, fpr);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return fpr;
}

void describe_signatures(unsigned bits, FileInfo& info) {
  info.signature_bits = bits;
  if (bits != 0) info.fpr = std::ldexp(1.0, -static_cast<int>(bits));
}

void describe_ranks(const index::RankIndex& ranks, FileInfo& info) {
  info.algorithm = built_as(info, "crivo.algorithm", ranks.algorithm);
  info.parameters = ranks.function->parameters();
  describe_signatures(ranks.signatures.bits(), info);
}

void describe_parts(const file::Container& container, FileInfo& info) {
  if (container.parts() != nullptr)
    info.parameters.push_back({"parts", container.parts()->parts()});
}

}  // namespace

namespace index {

void describe(const records::CodecSection& section, std::string& codec,
              std::vector<Parameter>& parameters) {
  codec = section.type().name;
  if (section.block_bytes != 0) {
    parameters.push_back({"block_bytes", std::uint64_t{section.block_bytes}});
  }
  if (!section.dictionary.empty()) {
    parameters.push_back({"dictionary_bytes", std::uint64_t{section.dictionary.size()}});
  }
}

FileInfo describe(const StoreFiles& files) {
  FileInfo info = describe_container(files.index);
  describe_ranks(files.ranks, info);
  info.fpr = 0;  // the key is stored with its record: answers are exact
  info.backend = files.backend.name;
  describe(files.records->codec(), info.codec, info.parameters);
  const records::RecordFile::Updates updates = files.records->updates();
  info.changed_records = updates.changed;
  info.removed_records = updates.removed;
  info.bytes += files.records->file_bytes() + updates.bytes;
  describe_parts(files.index, info);
  return info;
}

FileInfo describe(const file::Container& container) {
  FileInfo info = describe_container(container);
  switch (container.header().kind) {
    case file::Kind::mphf:
      describe_ranks(index::RankIndex(container), info);
      break;
    case file::Kind::filter: {
      const filter::FilterFile filter(container);
      info.algorithm = built_as(info, "crivo.type", filter.type->name);
      info.fpr = filter.membership->fpr();
      info.asked_fpr = asked_fpr(info);
      info.parameters = filter.membership->parameters();
      break;
    }
    case file::Kind::map: {
      const map::MapFile map(container);
      info.algorithm = built_as(info, "crivo.algorithm", map.algorithm());
      info.value_form = index::value_form(container.header());
      info.value_bits = map.function().width();
      info.value_entropy = map.function().entropy();
      info.parameters = map.function().parameters();
      describe_signatures(map.signature_bits(), info);
      break;
    }
    case file::Kind::part:
    case file::Kind::keys:
    case file::Kind::totals:
      break;
    case file::Kind::manifest:
      refuse_part(container);
      break;
    case file::Kind::records:
      throw Error(ErrorKind::usage,
                  container.name() + ": is a part of a record store; name its directory");
    case file::Kind::store:
      throw Error(ErrorKind::usage,
                  container.name() + ": is the index of a record store; name its directory");
  }
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
