// SPDX-License-Identifier: Apache-2.0
#include "build/resume_places.hpp"

#include <algorithm>
#include <string>

#include "build/memory_need.hpp"
#include "input/sources.hpp"

namespace crivo::index {
namespace {

/// All that decides about the bytes of an output beside the keys, as a text.
std::string text_of(const KeyFormat& format, const BuildOptions& options,
                    const file::Header& header, file::Metadata choices) {
  const auto put = [&](const char* name, std::uint64_t value) {
    choices[name] = std::to_string(value);
  };
  put("format_version", std::uint64_t{file::kMajorVersion} << 32 | file::kMinorVersion);
  put("kind", static_cast<std::uint64_t>(header.kind));
  put("key_hash", static_cast<std::uint64_t>(header.key_hash));
  put("seed", options.seed);
  put("ignore_duplicates", options.ignore_duplicates ? 1 : 0);
  put("framing", static_cast<std::uint64_t>(format.framing));
  put("width", format.width);
  put("strip_cr", format.strip_cr ? 1 : 0);
  put("binary_lines", format.binary_lines ? 1 : 0);
  put("allow_empty", format.allow_empty ? 1 : 0);
  put("key_column", format.key_column);
  put("value_column", format.value_column);
  put("row_column", format.row_column);
  put("column_delimiter", static_cast<unsigned char>(format.column_delimiter));
  put("quotes", format.quotes ? 1 : 0);
  put("skip_header", format.skip_header ? 1 : 0);
  put("hex", format.hex ? 1 : 0);
  put("max_key_bytes", format.max_key_bytes);
  put("max_line_bytes", format.max_line_bytes);
  choices["key_name"] = format.key_name;
  choices["value_name"] = format.value_name;
  choices["row_name"] = format.row_name;
  choices["json_key"] = format.json_key;
  for (const std::string& key : format.leading_keys)
    choices["leading_keys"] += std::to_string(key.size()) + ':' + key;
  choices["json_value"] = format.json_value;
  choices["json_row"] = format.json_row;
  return std::string(base::as_text(file::encode(choices)));
}

/// Throws Error(usage) for an input that another process could not go on with.
void refuse_source(const KeyInput& input) {
  if (input.source)
    throw Error(ErrorKind::usage, "a build that can be resumed needs files as its input",
                {.remedy = "resume_dir"});
}

/// A part is what a killed build reads again at most: a small share of the input, and no more than
/// memory holds; but large enough that what is written of each of its partitions is read back at a
/// disk's full rate.
std::uint64_t part_bytes(std::uint64_t memory_bytes, std::uint64_t input_bytes) noexcept {
  constexpr std::uint64_t kParts = 16;
  constexpr std::uint64_t kLeast = std::uint64_t{4} << 20;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  return std::clamp(std::min(memory_bytes / 4, input_bytes / kParts), kLeast, kMost);
}

}  // namespace

input::ResumeDirectory* ResumePlaces::keys(const KeyInput& input, const file::Header& header,
                                           const file::Metadata& choices) {
  if (options_.resume_dir.empty()) return nullptr;
  refuse_source(input);
  keys_.emplace(options_.resume_dir, input.paths, text_of(input.format, options_, header, choices),
                part_bytes(budget_.bytes, input::regular_input_bytes(input).value_or(0)));
  return &*keys_;
}

input::HashLogPlace ResumePlaces::universe(const KeyInput& universe, const file::Header& header,
                                           const file::Metadata& choices,
                                           std::uint64_t& resumed_bytes) {
  if (options_.resume_dir.empty()) return {};
  refuse_source(universe);
  // A second one of a set that is read again, with another seed.
  universe_.reset();
  universe_.emplace(options_.resume_dir / "universe", universe.paths,
                    text_of(universe.format, options_, header, choices),
                    part_bytes(budget_.bytes, input::regular_input_bytes(universe).value_or(0)));
  return {&*universe_, budget_.stream_bytes() / 4, &resumed_bytes};
}

PartLog* ResumePlaces::parts(const input::KeySet& /*keys*/, unsigned cell_bits) {
  parts_.reset();
  if (keys_) parts_.emplace(keys_->part_log(), keys_->journal_check() + cell_bits);
  return parts_ ? &*parts_ : nullptr;
}

void ResumePlaces::remove() noexcept {
  if (universe_) universe_->remove();
  if (keys_) keys_->remove();
}

}  // namespace crivo::index
