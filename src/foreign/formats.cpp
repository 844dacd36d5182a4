// SPDX-License-Identifier: Apache-2.0
#include "foreign/formats.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "base/as_error.hpp"
#include "base/named_rows.hpp"
#include "base/refuse_option.hpp"
#include "build/build_frame.hpp"
#include "build/kind_builder.hpp"
#include "crivo/build/foreign.hpp"
#include "crivo/error.hpp"
#include "foreign/build/builds.hpp"
#include "foreign/clubcard_file.hpp"
#include "foreign/parquet_file.hpp"
#include "foreign/puffin_file.hpp"

namespace crivo::foreign {
namespace {

bool is_clubcard(base::ByteView first, std::uint64_t) noexcept {
  return ClubcardFile::may_be(first);
}
bool is_clubcard_index(base::ByteView first, std::uint64_t) noexcept {
  return base::as_text(first).starts_with(kClubcardIndexMagic);
}

bool is_parquet(base::ByteView first, std::uint64_t) noexcept {
  return parquet::File::may_be(first);
}

bool is_puffin(base::ByteView first, std::uint64_t) noexcept {
  return base::as_text(first).starts_with(puffin::kMagic);
}

constexpr std::string_view kFuseHelp = "numbers of 64 bits, of xor_singleheader";
constexpr std::string_view kSketchHelp = "Apache DataSketches' XorFilter";

/// A row of a filter of fingerprints.
template <FingerprintLayout kLayout, unsigned kBytes>
constexpr FormatRow fingerprints(std::string_view name, std::string_view help) {
  FormatRow row{
      .info = {.name = name, .kind = "filter", .help = help, .limits = "It has no checksum."},
      .open = open_fingerprints};
  row.is_of = [](base::ByteView first, std::uint64_t bytes) noexcept {
    const auto shape = read_shape(first, bytes);
    return shape && shape->layout == kLayout && shape->bytes == kBytes;
  };
  row.build = [](const KeyInput& input, const Output& output, const Choices& choices,
                 const BuildOptions& options) {
    return build_fingerprints(kLayout, kBytes, input, output, choices, options);
  };
  return row;
}

constexpr std::array kRows{
    FormatRow{{.name = "clubcard",
               .kind = "exact",
               .help = "revoked certificates, version 4 of C2SP's upki-revocation",
               .limits = "It has no checksum, and no number of members."},
              is_clubcard,
              open_clubcard,
              build_clubcard},
    FormatRow{{.name = "clubcard-index",
               .kind = "exact",
               .help = "upki's index.bin, which leads to the clubcards beside it",
               .limits = "It has no checksum, and no number of members."},
              is_clubcard_index,
              open_clubcard_index},
    FormatRow{{.name = "parquet",
               .kind = "filterset",
               .help = "Apache Parquet's files, by the Bloom filters of their row groups",
               .limits = "Its filters have no checksum, and no number of keys."},
              is_parquet,
              open_parquet},
    FormatRow{{.name = "puffin",
               .kind = "filterset",
               .help = "Apache Iceberg's Puffin files, by the filters of Crivo in them",
               .limits = "Its type of filters is provisional: no other program knows it."},
              is_puffin,
              open_puffin},
    fingerprints<FingerprintLayout::binary_fuse, 1>("binary-fuse8", kFuseHelp),
    fingerprints<FingerprintLayout::binary_fuse, 2>("binary-fuse16", kFuseHelp),
    fingerprints<FingerprintLayout::datasketches_xor, 1>("datasketches-xor8", kSketchHelp),
    fingerprints<FingerprintLayout::datasketches_xor, 2>("datasketches-xor16", kSketchHelp),
};

constexpr auto kInfos = [] {
  std::array<FormatInfo, kRows.size()> infos;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    infos[i] = kRows[i].info;
    infos[i].built = kRows[i].build != nullptr;
  }
  return infos;
}();

/// Throws Error(usage) for what is asked for and no format has a place for.
void refuse_others(const BuildOptions& options) {
  if (options.keyed_hash) base::refuse_option("keyed_hash", "the format has a hash of its own");
  if (!options.notes.empty()) base::refuse_option("notes", "the format has no metadata");
  if (!options.resume_dir.empty())
    base::refuse_option("resume_dir", "the build of such a file cannot be resumed");
}

const FormatRow* row_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return nullptr;
  std::ifstream file(path, std::ios::binary);
  std::array<char, kSignBytes> first;
  file.read(first.data(), first.size());
  const auto bytes = std::as_bytes(std::span(first)).first(static_cast<std::size_t>(file.gcount()));
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) return nullptr;
  const auto* const row =
      std::ranges::find_if(kRows, [&](const FormatRow& each) { return each.is_of(bytes, size); });
  return row != kRows.end() ? row : nullptr;
}

}  // namespace

std::span<const FormatInfo> formats() noexcept {
  return kInfos;
}

const FormatInfo* format_of(const std::filesystem::path& path) noexcept {
  try {
    const FormatRow* const row = row_of(path);
    return row != nullptr ? &kInfos[static_cast<std::size_t>(row - kRows.data())] : nullptr;
  } catch (...) {
    return nullptr;
  }
}

std::unique_ptr<OpenIndex> open(const std::filesystem::path& path, const OpenOptions& options) try {
  const FormatRow* const row = row_of(path);
  if (row == nullptr)
    throw Error(ErrorKind::usage, path.string() + ": is in none of the known formats of others");
  if (options.trust) throw Error(ErrorKind::usage, path.string() + ": the format has no signature");
  return row->open(path, options);
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build(std::string_view format, const KeyInput& input, const Output& output,
                   const Choices& choices, const BuildOptions& options) try {
  std::vector<std::string_view> names;
  for (const FormatRow& row : kRows) {
    if (row.build == nullptr) continue;
    names.push_back(row.info.name);
    if (row.info.name != format) continue;
    refuse_others(options);
    index::check_input(input, index::find_kind_builder(row.info.kind).kind);
    BuildSummary summary = row.build(input, output, choices, options);
    summary.kind = row.info.kind;
    summary.algorithm = row.info.name;
    summary.algorithm_name = "format";
    return summary;
  }
  base::refuse_name("format", format, names);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo::foreign
