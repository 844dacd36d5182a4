// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/named_rows.hpp"
#include "file/container.hpp"
#include "file/section_types.hpp"
#include "records/backend.hpp"
#include "records/backends/flat/flat.hpp"
#include "records/backends/lmdb/lmdb.hpp"

namespace crivo::records {

namespace {

constexpr std::array kBackends{
    Backend{.name = "lmdb",
            .family = "data.mdb",
            .section_type = file::kEnvironmentSection,
            .refuses_by_slot = false,
            .is_signed = false,
            .may_be_ordered = false,
            .description = "an LMDB environment",
            .open = open_lmdb,
            .open_container = nullptr},
    Backend{.name = "flat",
            .family = "data.crv",
            .section_type = file::kSlotSection,
            .refuses_by_slot = true,
            .is_signed = true,
            .may_be_ordered = true,
            .description =
                "one file, whose records are found through slots in the index: the quickest "
                "lookups",
            .open = open_flat,
            .open_container = open_flat_container},
};

constexpr auto kNames = base::names_of<kBackends>();

}  // namespace

std::span<const Backend> backends() noexcept {
  return kBackends;
}
std::span<const std::string_view> backend_names() noexcept {
  return kNames;
}

std::uint64_t RecordFile::visit_some(std::uint64_t /*begin*/, const Visit& /*visit*/) const {
  throw Error(ErrorKind::usage, "the records of this backend cannot be changed");
}

const Backend& find_backend(std::string_view name) {
  return base::find_named(kBackends, "backend", name);
}

StoredCodec codec_of(const file::Container& index) {
  const base::ByteView section = index.require(file::kCodecSection, "codec");
  return file::naming(index.name(), [&] { return StoredCodec(index.touched(section)); });
}

const Backend& backend_of(const file::Container& index) {
  const Backend* const found = file::only_structure(index, kBackends);
  if (found == nullptr) index.fail("damaged: it does not say where its records are");
  if (found->refuses_by_slot && index.find(file::kSignatureSection))
    index.fail("damaged: it has both slots and signatures");
  return *found;
}

}  // namespace crivo::records
