// SPDX-License-Identifier: Apache-2.0
#include "crivo/build/key_form.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"
#include "input/kmer_window.hpp"

namespace crivo::keys {

std::string form_text(const KeyForm& form) {
  std::string text(kExtractNames[static_cast<std::size_t>(form.what)]);
  if (form.what == Extract::urls && form.surt) text += " surt";
  if (form.what == Extract::terms && form.fold) text += " fold";
  if (form.what == Extract::kmers) text += ' ' + std::to_string(form.k);
  return text;
}

std::optional<KeyForm> parse_form(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(' '));
  const auto* const found = std::ranges::find(kExtractNames, name);
  if (found == kExtractNames.end()) return std::nullopt;
  KeyForm form{.what = static_cast<Extract>(found - kExtractNames.begin()), .fold = false};
  const std::string_view rest = text.substr(std::min(text.size(), name.size() + 1));
  if (form.what == Extract::urls) form.surt = rest == "surt";
  if (form.what == Extract::terms) form.fold = rest == "fold";
  if (form.what != Extract::terms) form.fold = KeyForm{}.fold;
  if (form.what == Extract::kmers) {
    const auto k = base::number_in<unsigned>(rest);
    if (!k || *k < 1 || *k > kMostBases) return std::nullopt;
    form.k = *k;
  }
  if (form_text(form) != text) return std::nullopt;
  return form;
}

std::optional<KeyForm> recorded_form(
    const std::map<std::string, std::string, std::less<>>& metadata) {
  const auto found = metadata.find(kFormName);
  return found == metadata.end() ? std::nullopt : parse_form(found->second);
}

std::string key_of(const KeyForm& form, std::string_view text) {
  switch (form.what) {
    case Extract::urls:
      return form.surt ? surt(url(text)) : url(text);
    case Extract::terms:
      return form.fold ? fold(text) : std::string(text);
    case Extract::kmers: {
      const auto number = text.size() == form.k ? kmer(text) : std::nullopt;
      std::string key(number ? sizeof *number : 0, '\0');
      if (number) base::store_le(key.data(), *number);
      return key;
    }
    case Extract::lines:
    case Extract::docnos:
      break;
  }
  return std::string(text);
}

std::optional<std::uint64_t> number(std::string_view text) {
  if (text.starts_with('-')) {
    const auto below = base::number_in<std::int64_t>(text);
    return below ? std::optional(static_cast<std::uint64_t>(*below)) : std::nullopt;
  }
  return base::number_in<std::uint64_t>(text);
}

std::string fold(std::string_view term) {
  std::string folded(term);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return folded;
}

std::string url(std::string_view text) {
  text = base::trimmed(text);
  if (text.starts_with('<') && text.ends_with('>'))
    text = base::trimmed(text.substr(1, text.size() - 2));
  std::string url;
  for (const char c : text) c == ' ' ? url += "%20" : url += c;
  return url;
}

std::optional<std::uint64_t> kmer(std::string_view bases) {
  if (bases.empty() || bases.size() > kMostBases) return std::nullopt;
  KmerWindow window(static_cast<unsigned>(bases.size()));
  bool whole = false;
  for (const char base : bases) whole = window.add(base);
  return whole ? std::optional(window.canonical()) : std::nullopt;
}

}  // namespace crivo::keys
