// SPDX-License-Identifier: Apache-2.0
/// What made the keys of a file, so that what is looked up is made a key in the same way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/export.hpp"
#include "crivo/extract.hpp"
#include "crivo/surt.hpp"

namespace crivo::keys {

/// The name under which a file's metadata, and BuildOptions::notes, have the text of a form.
inline constexpr std::string_view kFormName = "crivo.with.keys";

/// Of ExtractOptions, what a key depends on. Options that do not matter to `what` have their
/// defaults.
struct KeyForm {
  Extract what = Extract::lines;
  bool surt = false;  ///< of URLs
  bool fold = true;   ///< of terms
  unsigned k = 31;    ///< of k-mers

  friend bool operator==(const KeyForm&, const KeyForm&) = default;
};

/// That of keys that are extracted by these options. Throws Error(usage) where k is out of range.
CRIVO_API KeyForm form_of(const ExtractOptions& options);

/// "lines", "urls", "urls surt", "terms fold", "terms", "docnos" or "kmers 31", and back: nothing
/// for another text.
CRIVO_API std::string form_text(const KeyForm& form);
CRIVO_API std::optional<KeyForm> parse_form(std::string_view text);
/// That of a file with this metadata (FileInfo::metadata), where there is one.
CRIVO_API std::optional<KeyForm> recorded_form(
    const std::map<std::string, std::string, std::less<>>& metadata);

/// The key that `text` becomes: fold(), url(), surt() of that, or the 8 bytes of kmer(), the lowest
/// first, as the form says. Of a text that is no k-mer of the form's bases, an empty key.
CRIVO_API std::string key_of(const KeyForm& form, std::string_view text);

/// A to Z as a to z; all other bytes stay.
CRIVO_API std::string fold(std::string_view term);
/// A URL as it is extracted: without < and > and white space around it, a space in it as %20.
CRIVO_API std::string url(std::string_view text);
/// The canonical number of 1 to kMostBases bases, in either case: the lesser of that of the bases
/// and that of their reverse complement, the first highest, A 0, C 1, G 2, T 3. Nothing for any
/// other text.
CRIVO_API std::optional<std::uint64_t> kmer(std::string_view bases);

}  // namespace crivo::keys
