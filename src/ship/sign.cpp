// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "base/refuse_option.hpp"
#include "crivo/build/ship.hpp"
#include "file/pending_file.hpp"
#include "file/trust/blake2b_of.hpp"
#include "file/trust/key_file.hpp"
#include "file/trust/signature_check.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/check_file.hpp"
#include "lookup/kinds.hpp"
#include "lookup/open_trusted.hpp"
#include "ship/secret_key.hpp"

namespace crivo {
namespace {

/// Verifies what is open, and hashes the file that gets the signature.
template <typename Opened>
hashing::Blake2b::Value verify_and_hash(const Opened& opened, const file::Container& own,
                                        const base::BuildContext& context) {
  index::Phases phases = index::verify_phases_of(opened, context.threads);
  phases.push_back(
      {"signature", 1 + index::kSignedByteCost * static_cast<double>(own.file_bytes().size())});
  context.progress.plan(phases);
  index::verify_opened(opened, context);
  const auto hash = trust::blake2b_of(own.file_bytes(), context.progress);
  context.progress.finish();
  return hash;
}

trust::Statement statement_of(const file::Container& own, const SignOptions& options) {
  trust::Statement statement{
      .bytes = own.file_bytes().size(), .sequence = options.sequence, .expires = options.expires};
  if (own.hash_tree() != file::HashTree::none) statement.root = own.digest();
  return statement;
}

}  // namespace

SignSummary sign(const std::filesystem::path& path, const SignOptions& options) try {
  constexpr std::chrono::sys_seconds kFirst{std::chrono::seconds(0)};
  constexpr std::chrono::sys_seconds kLast{std::chrono::seconds(253402300799)};
  if (options.expires && (*options.expires < kFirst || *options.expires > kLast))
    base::refuse_option("expires", "a signature expires between the years 1970 and 9999");
  trust::require_libcrypto();
  const std::filesystem::path output = trust::signature_path(index::signed_file(path));
  auto target = file::OutputTarget::file(
      output, options.replace ? file::IfExists::replace : file::IfExists::refuse);
  target.set_progress(options.resources.progress);
  target.refuse_inputs({index::signed_file(path).string(), options.secret_key.string()});
  trust::SecretKey key;
  trust::read_secret_key(options.secret_key, options.password, key);
  Progress own_progress;
  const base::BuildContext context = index::context_of(options.resources, own_progress);
  hashing::Blake2b::Value hash{};
  trust::Statement statement;
  if (index::is_store(path)) {
    const auto files = index::StoreFiles::open(path, file::Loading::for_a_pass);
    index::refuse_uncovered(files, "be signed");
    const file::Container& own = trust::own_container(files.index);
    hash = verify_and_hash(files, own, context);
    statement = statement_of(own, options);
    if (const auto* const records = files.sealed->container(); records != nullptr) {
      if (records->hash_tree() == file::HashTree::none)
        throw Error(ErrorKind::usage, records->name() +
                                          ": has no hash tree, so that no signature of the store "
                                          "covers it; build it without no_tree");
      statement.records = records->digest();
    }
  } else {
    const file::Container container = file::Container::open(path);
    if (container.parts() == nullptr) index::refuse_part(container);
    if (container.header().kind == file::Kind::chain) exact::refuse_uncovered(container);
    const file::Container& own = trust::own_container(container);
    hash = verify_and_hash(container, own, context);
    statement = statement_of(own, options);
  }
  const trust::SignatureFile signature = trust::make_signature(hash, statement, key);
  file::PendingFile pending(target);
  const std::string text = trust::encode(signature);
  pending.write_at(0, base::as_bytes(text));
  SignSummary summary{.output = output,
                      .key_id = trust::key_id_text(signature.key_id),
                      .comment = signature.comment,
                      .warnings = {}};
  trust::warn_of_rights(options.secret_key, summary.warnings);
  // Nothing that can fail is behind it.
  std::ranges::move(pending.publish(), std::back_inserter(summary.warnings));
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
