// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/as_error.hpp"
#include "crivo/open.hpp"
#include "file/trust/signature_check.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/check_file.hpp"
#include "lookup/kinds.hpp"
#include "lookup/signed_store.hpp"

namespace crivo {
namespace {

/// What is left when the signature was checked: every byte of what is open.
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
