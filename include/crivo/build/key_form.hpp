// SPDX-License-Identifier: Apache-2.0
/// Forms of keys: what the texts of a collection became keys by, so that what is asked for is put
/// in the same form.
///
///     if (const auto form = crivo::keys::recorded_form(info.metadata))
///       key = crivo::keys::key_of(*form, "http://www.example.com/");
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/detail/export.hpp"

namespace crivo {

/// Says what becomes a key.
enum class Extract {
  lines,   ///< each line, or what ExtractOptions::format takes out of it
  urls,    ///< the URL that each record is about; of lines, those that are URLs
  terms,   ///< each run of letters and digits in the text of each document
  docnos,  ///< what each document is called
  kmers,   ///< each ExtractOptions::k bases that follow one another, in hexadecimal digits
};

/// Names the enumerators of Extract, in order.
inline constexpr std::array<std::string_view, 5> kExtractNames{"lines", "urls", "terms", "docnos",
                                                               "kmers"};

/// The most bases of a k-mer: 2 bits each in 64.
inline constexpr unsigned kMostBases = 31;

}  // namespace crivo

namespace crivo::keys {

/// Returns a URL in the order of its host's parts, from the last, as indexes of web archives have
/// it
/// ("Sort- friendly URI Reordering Transform"): http://www.Example.com:80/A?b=2&a=1#c is
/// com,example)/a?a=1&b=2. Without a scheme, user, port that is the scheme's own, leading "www"
/// with digits behind it, and fragment; in lower case (of ASCII); with the parts of the query in
/// byte order, and no slash at the end of a path but "/". An address in digits or brackets is not
/// turned around. What has no host (dns:example.com) stays as it is; example.com/ is read as a URL
/// of http. Percent signs and session ids stay. O(url log(url)).
CRIVO_API std::string surt(std::string_view url);

/// Says how the texts of a collection became keys. Members that do not matter to `what` have their
/// defaults.
struct KeyForm {
  Extract what = Extract::lines;
  bool surt = false;  ///< of URLs
  bool fold = true;   ///< of terms
  unsigned k = 31;    ///< of k-mers

  friend bool operator==(const KeyForm&, const KeyForm&) = default;
};

/// Returns the text of a form: "lines", "urls", "urls surt", "terms fold", "terms", "docnos" or
/// "kmers 31".
CRIVO_API std::string form_text(const KeyForm& form);
/// Reads such a text. Returns nothing for any other.
CRIVO_API std::optional<KeyForm> parse_form(std::string_view text);
/// Returns the form of the keys of a file with this metadata (FileInfo::metadata), if it has one.
CRIVO_API std::optional<KeyForm> recorded_form(
    const std::map<std::string, std::string, std::less<>>& metadata);

/// Makes the key of `text`: fold(), url(), surt() of that, or the 8 bytes of kmer(), the lowest
/// first, as the form says. A text that is no k-mer of the form's bases makes an empty key.
CRIVO_API std::string key_of(const KeyForm& form, std::string_view text);

/// Returns the 64-bit number that `text` is in decimal digits, from -2^63 to below 2^64, one below
/// 0 in two's complement; nothing for any other text.
CRIVO_API std::optional<std::uint64_t> number(std::string_view text);

/// Writes A to Z as a to z; all other bytes stay.
CRIVO_API std::string fold(std::string_view term);
/// Writes a URL as it is extracted: without < and > and white space around it, a space in it as
/// %20.
CRIVO_API std::string url(std::string_view text);
/// Returns the canonical number of 1 to kMostBases bases, in either case: the lesser of that of the
/// bases and that of their reverse complement, the first highest, A 0, C 1, G 2, T 3. Returns
/// nothing for any other text.
CRIVO_API std::optional<std::uint64_t> kmer(std::string_view bases);

}  // namespace crivo::keys
