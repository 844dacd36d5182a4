// SPDX-License-Identifier: Apache-2.0
#include "file/trust/signature_check.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "crivo/error.hpp"
#include "file/manifest.hpp"
#include "file/output_target.hpp"
#include "file/pending_file.hpp"
#include "file/trust/blake2b_of.hpp"
#include "file/trust/key_file.hpp"
#include "hashing/blake2b.hpp"

namespace crivo::trust {

const file::Container& own_container(const file::Container& container) noexcept {
  return container.parts() != nullptr ? container.parts()->manifest() : container;
}

SignatureCheck::SignatureCheck(const std::filesystem::path& file, std::vector<std::string> names,
                               const Trust& trust)
    : trust_(trust), names_(std::move(names)), path_(signature_path(file).string()) {
  require_libcrypto();
  file_ = read_signature(file);
  check_statement();
}

SignatureCheck::SignatureCheck(std::string_view text, std::string path,
                               std::vector<std::string> names, const Trust& trust)
    : trust_(trust), names_(std::move(names)), path_(std::move(path)) {
  require_libcrypto();
  file_ = decode_signature(text, path_);
  check_statement();
}

void SignatureCheck::check_statement() {
  find_key();
  statement_ = parse_comment(file_.comment, path_);
  check_freshness();
}

void SignatureCheck::fail(const std::string& problem) const {
  throw Error(ErrorKind::corrupt, path_ + ": " + problem, {.file = path_});
}

/// Two keys may have one number, which is not secret: the one that signed is asked for.
void SignatureCheck::find_key() {
  const base::Bytes comment = signed_comment(file_);
  bool is_known = false;
  std::string known;
  for (const PublicKey& key : trust_.keys) {
    known += (known.empty() ? "" : ", ") + key.id_text();
    if (key.id != file_.key_id) continue;
    is_known = true;
    if (!is_signed(comment, file_.comment_signature, key.bytes)) continue;
    key_ = &key;
    return;
  }
  if (is_known) fail("was altered: the signature of its trusted comment is wrong");
  fail("is signed by key " + key_id_text(file_.key_id) + ", which is not trusted" +
       (known.empty() ? "" : " (" + known + " is)"));
}

void SignatureCheck::check_freshness() const {
  if (names_.empty()) return;
  const std::uint64_t sequence = statement_ ? statement_->sequence : 0;
  if (statement_ && statement_->expires) {
    const auto now = trust_.now.value_or(
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
    if (now >= *statement_->expires) fail("expired at " + time_text(*statement_->expires));
  }
  if (sequence < trust_.minimum_sequence)
    fail("is too old: its sequence is " + std::to_string(sequence) + ", and at least " +
         std::to_string(trust_.minimum_sequence) + " is asked for");
  if (trust_.state.empty()) return;
  for (const std::string& name : names_) refuse_older(trust_.state, name, sequence, path_);
}

void SignatureCheck::check_root(const file::Container& container) const {
  if (!statement_) return;
  const file::Container& own = own_container(container);
  if (own.file_bytes().size() != statement_->bytes)
    own.fail("has " + std::to_string(own.file_bytes().size()) + " bytes, and " + path_ +
             " is of a file of " + std::to_string(statement_->bytes));
  const std::optional<file::Digest>& root = statement_->root;
  if (!root) return;
  if (own.digest() != *root) own.fail("is another file than the one that " + path_ + " is of");
  if (own.hash_tree() == file::HashTree::none)
    own.fail("has no hash tree, and " + path_ + " names its root");
}

void SignatureCheck::check_bytes(const file::Container& container, Progress& progress) const {
  if (!needs_bytes()) return;
  const file::Container& own = own_container(container);
  if (!is_signed(blake2b_of(own.file_bytes(), progress), file_.signature, key_->bytes))
    own.fail("is another file than the one that " + path_ + " is of");
}

bool SignatureCheck::is_of(base::ByteView bytes) const {
  if (statement_ && statement_->bytes != bytes.size()) return false;
  return is_signed(hashing::Blake2b().add(bytes).finish(), file_.signature, key_->bytes);
}

void SignatureCheck::check_records(const file::Container& records) const {
  if (!statement_ || !statement_->records)
    fail("names no records, but the store has some in another file; sign the store, not its index");
  if (records.digest() != *statement_->records || records.hash_tree() == file::HashTree::none)
    records.fail("has other records than those that " + path_ + " is of");
}

void SignatureCheck::note_seen() const {
  if (trust_.state.empty()) return;
  for (const std::string& name : names_)
    note_sequence(trust_.state, name, statement_ ? statement_->sequence : 0, path_);
}

Signature SignatureCheck::signature() const {
  Signature all{.key_id = key_->id_text(), .comment = file_.comment};
  if (statement_) {
    all.sequence = statement_->sequence;
    all.expires = statement_->expires;
  }
  return all;
}

namespace {

constexpr std::string_view kFirstLine = "known sequences 1";
/// The most bytes of a state: it has some hundred thousand names.
constexpr std::size_t kMostStateBytes = std::size_t{16} << 20;

/// Whether a line of the file can keep the name.
bool can_be_kept(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// Reads the sequences that the file keeps: none where there is no file, or an empty one.
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
