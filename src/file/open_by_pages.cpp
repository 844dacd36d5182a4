// SPDX-License-Identifier: Apache-2.0
/// OpenMode::read: what is not in memory until it is wanted.
#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "file/container.hpp"

namespace crivo::file {
namespace {

void load(const PagedBytes& paged, base::ByteView bytes, const std::string& name) {
  if (!paged.load(bytes))
    throw Error(ErrorKind::corrupt, name + ": damaged: its header or table cannot be read",
                {.file = name});
}

}  // namespace

Container Container::open_by_pages(const base::FileDescriptor& file, const std::string& name) {
  MappedFile memory = MappedFile::by_pages(file, name);
  const PagedBytes paged = memory.paged();
  if (!paged.has_file()) return open(std::move(memory), name, Loading::copy);
  const base::ByteView bytes = memory.bytes();
  load(paged, bytes.first(layout::kHeaderBytes), name);
  // Where that is no place of a table, the header is damaged, which is found below.
  const auto table = base::load_le<std::uint64_t>(bytes.data() + layout::kTableOffsetAt);
  constexpr std::uint64_t kMostBytes = kMaxSections * layout::kEntryBytes + layout::kFooterBytes;
  if (table < bytes.size() && bytes.size() - table <= kMostBytes)
    load(paged, bytes.subspan(table), name);
  Container container(bytes, name);
  container.mapping_ = std::move(memory);
  const KindRow& kind = *find_kind(container.header_.kind);
  if (kind.kind == Kind::records) return container;
  if (!kind.touches || !container.page_sums_) return open(file, name, Loading::copy);
  container.check_what_is_touched();
  return container;
}

}  // namespace crivo::file
