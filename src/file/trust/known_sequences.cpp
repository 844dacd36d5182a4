// SPDX-License-Identifier: Apache-2.0
#include "file/trust/known_sequences.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include "base/bytes.hpp"
#include "base/number_text.hpp"
#include "crivo/error.hpp"
#include "file/output_lock.hpp"
#include "file/pending_file.hpp"
#include "file/trust/key_file.hpp"

namespace crivo::trust {
namespace {

constexpr std::string_view kFirstLine = "known sequences 1";
/// Of some hundred thousand names.
constexpr std::size_t kMostStateBytes = std::size_t{16} << 20;

/// Whether a line of the file can keep the name.
bool can_be_kept(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// What the file keeps: nothing where there is none, or an empty one.
KnownSequences read_known(const std::filesystem::path& state) {
  std::error_code ignored;
  if (std::filesystem::status(state, ignored).type() == std::filesystem::file_type::not_found)
    return {};
  const auto text = read_text(state, kMostStateBytes);
  if (!text)
    throw Error(ErrorKind::corrupt, state.string() + ": is too long for a file of known sequences",
                {.file = state.string()});
  return decode_known(*text, state.string());
}

void refuse_older(const KnownSequences& known, const std::filesystem::path& state,
                  const std::string& name, std::uint64_t sequence, const std::string& signature) {
  const auto seen = known.find(name);
  if (seen == known.end() || seen->second <= sequence) return;
  throw Error(ErrorKind::corrupt,
              signature + ": is older than one that was seen before: its sequence is " +
                  std::to_string(sequence) + ", and " + state.string() + " has " +
                  std::to_string(seen->second),
              {.file = signature});
}

}  // namespace

KnownSequences decode_known(std::string_view text, const std::string& name) {
  const auto refuse = [&] {
    throw Error(ErrorKind::corrupt, name + ": is not a file of known sequences", {.file = name});
  };
  KnownSequences known;
  if (text.empty()) return known;
  if (take_line(text) != kFirstLine) refuse();
  while (!text.empty()) {
    const std::string_view line = take_line(text).value_or("");
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const auto sequence = base::number_in<std::uint64_t>(line.substr(0, tab));
    const std::string_view kept = line.substr(std::min(tab + 1, line.size()));
    if (tab == line.size() || !sequence || !can_be_kept(kept) ||
        !known.emplace(kept, *sequence).second) {
      refuse();
    }
  }
  return known;
}

std::string encode(const KnownSequences& known) {
  std::string text = std::string(kFirstLine) + "\n";
  for (const auto& [name, sequence] : known) text += std::to_string(sequence) + "\t" + name + "\n";
  return text;
}

void refuse_older(const std::filesystem::path& state, const std::string& name,
                  std::uint64_t sequence, const std::string& signature) {
  if (!can_be_kept(name))
    throw Error(ErrorKind::usage, quote(name) + ": " + state.string() +
                                      " cannot keep a name with control characters");
  refuse_older(read_known(state), state, name, sequence, signature);
}

void note_sequence(const std::filesystem::path& state, const std::string& name,
                   std::uint64_t sequence, const std::string& signature) {
  while (true) {
    const auto target = file::OutputTarget::file(state, file::IfExists::replace);
    const file::OutputLock lock(target);
    KnownSequences known = read_known(state);
    refuse_older(known, state, name, sequence, signature);
    const auto [seen, is_new] = known.try_emplace(name, sequence);
    if (!is_new && seen->second == sequence) return;
    seen->second = sequence;
    file::PendingFile file(target);
    const std::string text = encode(known);
    file.write_at(0, base::as_bytes(text));
    try {
      file.publish(lock);  // that the name may not outlast a loss of power was noted by nobody
      return;
    } catch (const Error&) {
      // A first one may have come meanwhile, which no lock keeps away: then once more, after it.
      if (lock.replaced() || !target.look()) throw;
    }
  }
}

}  // namespace crivo::trust
