// SPDX-License-Identifier: Apache-2.0
/// The pipeline's front for structures that need the keys themselves: key files in, their texts in
/// byte order out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "crivo/value_form.hpp"
#include "stream/text_stream.hpp"

namespace crivo::input {

struct TextOptions {
  /// The bytes of texts in memory, before they go to a temporary file in temp_dir.
  std::uint64_t memory_bytes = UINT64_MAX;
  std::filesystem::path temp_dir{};
};

/// The texts of an input, all of which were added.
struct ReadTexts {
  std::unique_ptr<stream::TextStream> texts;
  std::vector<Warning> warnings;  ///< of the input: TextSigns
};

/// Into how many pieces an input of so many bytes is divided, or one whose size is not known.
std::size_t text_pieces(const std::optional<std::uint64_t>& bytes) noexcept;

/// Reads the keys of `input`, repeats included. They are divided into pieces by a sample from all
/// over the input, or where that can be read once only, by the first of them. Errors name the file
/// and the line.
ReadTexts stream_texts(const KeyInput& input, const TextOptions& options,
                       const base::BuildContext& context);
/// The same of key-and-value pairs, as write_valued_text() makes texts of them.
ReadTexts stream_valued_texts(const KeyInput& input, const ValueForm& form,
                              const TextOptions& options, const base::BuildContext& context);

}  // namespace crivo::input
