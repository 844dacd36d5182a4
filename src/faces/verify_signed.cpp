// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/as_error.hpp"
#include "crivo/trust.hpp"
#include "faces/verify_phases.hpp"
#include "file/trust/signature_check.hpp"
#include "opening/kinds.hpp"
#include "opening/signed_store.hpp"

namespace crivo {
namespace {

/// What is left when the signature was checked: every byte of what is open.
template <typename Opened>
Signature verify_rest(const trust::SignatureCheck& check, const file::Container& signed_file,
                      const Opened& opened, const base::BuildContext& context) {
  index::Plan plan = index::verify_plan_of(opened, context.threads);
  if (check.needs_bytes()) {
    const auto bytes = static_cast<double>(trust::own_container(signed_file).file_bytes().size());
    plan.insert(plan.begin(), {"signature", 1 + index::kSignedByteCost * bytes});
  }
  context.progress.plan(plan);
  check.check_bytes(signed_file, context.progress);
  index::verify_opened(opened, context);
  context.progress.finish();
  check.note_seen();
  return check.signature();
}

}  // namespace

Signature verify_signed(const std::filesystem::path& path, const Trust& trust,
                        const Resources& resources) try {
  const trust::SignatureCheck check(index::signed_file(path), index::signed_name(path), trust);
  Progress own;
  const base::BuildContext context = index::context_of(resources, own);
  if (index::is_store(path)) {
    const auto files = index::StoreFiles::open(path, file::Loading::for_a_pass);
    index::refuse_changing(files, "be trusted");
    check.check_root(files.index);
    if (const auto* const records = files.records->container(); records != nullptr)
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
