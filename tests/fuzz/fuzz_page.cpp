// SPDX-License-Identifier: Apache-2.0
/// Bytes as the first page of a file that is named for its keys: who reads keys and who extracts
/// lines say the same of it; and `binary_lines` refuses no format.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "crivo/progress.hpp"
#include "fuzz/fuzz_input.hpp"
#include "input/first_page.hpp"

namespace {

using namespace crivo;

constexpr std::string_view kNoLines = ", not lines of text";

constexpr const char* kRead = "lines";

/// The format that a reader says that the file has; empty if it refuses it for something else, such
/// as damage, which may lie before or behind what tells the format.
std::string said_of(const KeyInput& input) {
  try {
    Progress progress;
    read_keys(input, progress, [](const KeyBlock&) {});
    return kRead;
  } catch (const Error& error) {
    const std::string_view text = error.what();
    const std::size_t begin = text.find(": is ");
    if (error.kind() == ErrorKind::bad_input && text.ends_with(kNoLines) && begin != text.npos)
      return std::string(text.substr(begin + 5, text.size() - kNoLines.size() - begin - 5));
    if (error.kind() != ErrorKind::bad_input && error.kind() != ErrorKind::io) std::abort();
  }
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file;
  file.fill(data, size);
  const fuzz::Input page(data, std::min(size, input::kFirstPageBytes));
  const auto* const bytes = reinterpret_cast<const char*>(page.view().data());
  const std::string_view text(bytes, page.view().size());
  for (const bool decompressed : {false, true}) {
    const auto format = input::other_format(text, decompressed);
    if (format && format->empty()) std::abort();
    if (!decompressed && !format) continue;
    // What is one before it is decompressed is one behind a compression.
    if (!decompressed && !input::other_format(text, true)) std::abort();
  }

  const KeyInput lines{{file.path()}, {.allow_empty = true}};
  const std::string said = said_of(lines);
  ExtractSummary summary;
  const ExtractOptions options{
      .what = Extract::lines, .from = Collection::lines, .format = lines.format};
  const std::string extracted = said_of(extracted_keys(lines.paths, options, summary));
  const bool is_whole = summary.cut_files == 0 && !said.empty() && !extracted.empty();
  if (is_whole && extracted != said) std::abort();
  KeyInput meant = lines;
  meant.format.binary_lines = true;
  const std::string binary = said_of(meant);
  if (!binary.empty() && binary != kRead) std::abort();
  return 0;
}
