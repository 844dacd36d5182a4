// SPDX-License-Identifier: Apache-2.0
#include "build/notes.hpp"

#include <string>
#include <string_view>

#include "crivo/build/key_form.hpp"
#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"

namespace crivo::index {
namespace {

/// The names that the format keeps for itself begin with it.
constexpr std::string_view kOwn = "crivo.";
/// More than all choices take.
constexpr std::uint64_t kRoomOfChoices = std::uint64_t{1} << 16;

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::usage, "notes: " + problem);
}

}  // namespace

void check_notes(const BuildOptions& options) {
  for (const auto& [name, value] : options.notes) {
    if (name.empty()) refuse("a name is empty");
    if ((name + value).find('\0') != std::string::npos) refuse(quote(name) + " holds a NUL");
    if (!is_utf8(name) || !is_utf8(value)) refuse(quote(name) + " or its value is not UTF-8");
    if (name == keys::kFormName && keys::parse_form(value)) continue;
    if (name.starts_with(kOwn)) refuse(quote(name) + ": names that begin with crivo. are crivo's");
  }
  constexpr std::uint64_t kMost = file::kMaxMetadataBytes - kRoomOfChoices;
  if (file::encode(options.notes).size() > kMost)
    refuse("they take more than " + std::to_string(kMost) + " bytes");
}

void refuse_notes(const BuildOptions& options) {
  if (!options.notes.empty()) refuse("only a whole file has some; name them where it is merged");
}

file::Metadata with_notes(file::Metadata choices, const BuildOptions& options) {
  choices.insert(options.notes.begin(), options.notes.end());
  return choices;
}

BuildOptions recorded_options(const file::Container& container, const Resources& resources) {
  const file::Header& header = container.header();
  BuildOptions build;
  build.seed = header.seed.low;
  build.seed_high = header.seed.high;
  build.aes_hash = header.key_hash == hashing::KeyHashId::aes;
  build.keyed_hash = header.key_hash == hashing::KeyHashId::siphash ||
                     header.key_hash == hashing::KeyHashId::keyed_range;
  build.ignore_duplicates = true;
  build.allow_empty_set = true;
  build.resources = resources;
  for (auto& [name, value] : container.metadata())
    if (!name.starts_with("crivo.") || name == keys::kFormName) build.notes.emplace(name, value);
  return build;
}

}  // namespace crivo::index
