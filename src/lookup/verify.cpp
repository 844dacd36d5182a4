// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <string>

#include "base/as_error.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/open.hpp"
#include "file/trust/signature_check.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/open_trusted.hpp"

namespace crivo {
namespace {

void verify_container(const file::Container& container, const base::BuildContext& context) {
  if (container.paged().has_file()) return verify_container(container.copied(), context);
  context.progress.begin("verify", container.bytes(), Progress::Unit::bytes);
  const auto progress = [&](std::uint64_t bytes) { context.progress.add(bytes); };
  container.verify(context.threads, progress);
  const index::IndexKind* const kind = index::find_index_kind(container.header().kind);
  if (kind != nullptr && kind->verify_more != nullptr)
    kind->verify_more(container, context.threads, progress);
  (void)container.metadata();
}

/// Measured: nanoseconds of one thread, of a byte that is checked.
constexpr double kByteCost = 0.15;

/// Does what is left when the signature was checked: every byte of what is open.
template <typename Opened>
Signature verify_rest(const trust::SignatureCheck& check, const file::Container& signed_file,
                      const Opened& opened, const base::BuildContext& context) {
  index::Phases phases = index::verify_phases_of(opened, context.threads);
  if (check.needs_bytes()) {
    const auto bytes = static_cast<double>(trust::own_container(signed_file).file_bytes().size());
    phases.insert(phases.begin(), {"signature", 1 + index::kSignedByteCost * bytes});
  }
  context.progress.plan(phases);
  check.check_bytes(signed_file, context.progress);
  index::verify_opened(opened, context);
  context.progress.finish();
  Signature signature = check.signature();  // first, as memory may be short
  check.note_seen();
  return signature;
}

/// Whether its header says so; what is wrong with a file is said elsewhere.
bool is_chain(const std::filesystem::path& path) {
  try {
    return file::Container::open(path).header().kind == file::Kind::chain;
  } catch (const Error&) {
    return false;
  }
}

/// Returns the signature of the chain, or else that of its last delta.
Signature verify_chain(const std::filesystem::path& path, const Trust& trust,
                       const base::BuildContext& context) {
  const file::Container chain = file::Container::open(path);
  exact::ChainOpener opener({.trust = trust});
  (void)opener.open(chain);
  context.progress.plan(index::verify_phases_of(chain, context.threads));
  index::verify_opened(chain, context);
  context.progress.finish();
  Signature signature = opener.signature();  // first, as memory may be short
  opener.note_seen();
  return signature;
}

}  // namespace

namespace index {

Phases verify_phases_of(const file::Container& container, unsigned threads) {
  return {{"verify", 1 + kByteCost * static_cast<double>(container.bytes()) / threads}};
}

Phases verify_phases_of(const StoreFiles& files, unsigned threads) {
  Phases phases = verify_phases_of(files.index, threads);
  for (const Progress::Phase& phase : files.sealed->verify_phases(threads)) phases.push_back(phase);
  return phases;
}

void verify_opened(const file::Container& container, const base::BuildContext& context) {
  verify_container(container, context);
  (void)describe(container);
}

namespace {

/// Whether a lookup of the key asks for the record of this rank.
bool leads_to(const StoreFiles& files, const records::RecordFile& records, std::string_view key,
              const Hash128& hash, std::uint64_t rank) {
  if (rank < files.index.header().keys)
    return files.ranks.lookup(key, hash) == rank && records.may_hold(rank, hash.hi);
  std::uint64_t found = 0;
  return records.added_rank(hash, found) == records::Outcome::found && found == rank;
}

}  // namespace

std::uint64_t verify_opened(const StoreFiles& files, const records::RecordFile& records,
                            const base::BuildContext& context, std::span<StoredPair> stored) {
  const HashFunction function = index::hash_function(files.index.header());
  verify_container(files.index, context);
  if (files.ranks.in_order) dictionary::check_directory(*files.ranks.in_order, files.index);
  records.verify(context, [&](std::uint64_t rank, std::string_view key, std::string_view record) {
    const Hash128 hash = detail::HashAccess::raw(function, key);
    if (!leads_to(files, records, key, hash, rank)) {
      files.index.fail("damaged: the key " + quote(key) + " does not get its record's rank " +
                       std::to_string(rank));
    }
    if (!stored.empty()) stored[rank] = {hash.lo, detail::HashAccess::raw(function, record).lo};
  });
  return present_records(records);
}

base::BuildContext context_of(const Resources& resources, Progress& own) {
  return {base::thread_count(resources.threads),
          resources.progress != nullptr ? *resources.progress : own};
}

void check_file(const file::Container& container, const Resources& resources) {
  Progress own;
  const base::BuildContext context = context_of(resources, own);
  context.progress.plan(verify_phases_of(container, context.threads));
  verify_opened(container, context);
  context.progress.finish();
}

void check_file(const StoreFiles& files, const Resources& resources) {
  Progress own;
  const base::BuildContext context = context_of(resources, own);
  context.progress.plan(verify_phases_of(files, context.threads));
  verify_opened(files, context);
  context.progress.finish();
}

}  // namespace index

void verify(const std::filesystem::path& path, const Resources& resources) try {
  if (index::is_store(path)) {
    index::check_file(index::StoreFiles::open(path, file::Loading::for_a_pass), resources);
  } else {
    index::check_file(file::Container::open(path), resources);
  }
} catch (...) {
  base::rethrow_as_error();
}

Signature verify_signed(const std::filesystem::path& path, const Trust& trust,
                        const Resources& resources) try {
  Progress own;
  const base::BuildContext context = index::context_of(resources, own);
  if (is_chain(path)) return verify_chain(path, trust, context);
  const trust::SignatureCheck check(index::signed_file(path), {index::signed_name(path)}, trust);
  if (index::is_store(path)) {
    const auto files = index::StoreFiles::open(path, file::Loading::for_a_pass);
    index::refuse_uncovered(files, "be trusted");
    check.check_root(files.index);
    if (const auto* const records = files.sealed->container(); records != nullptr)
      check.check_records(*records);
    return verify_rest(check, files.index, files, context);
  }
  const file::Container container = file::Container::open(path);
  check.check_root(container);
  return verify_rest(check, container, container, context);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
