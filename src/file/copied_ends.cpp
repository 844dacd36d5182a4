// SPDX-License-Identifier: Apache-2.0
#include "file/copied_ends.hpp"

#include "file/container.hpp"

namespace crivo::file {

void append(const CopiedEnds& ends, base::Bytes& directory) {
  const base::Bytes entry = base::FieldWriter()
                                .u64(ends.section)
                                .u64(ends.head.size())
                                .u64(ends.tail.size())
                                .bytes(ends.head)
                                .bytes(ends.tail)
                                .take();
  directory.insert(directory.end(), entry.begin(), entry.end());
}

std::vector<CopiedEnds> decode_directory(base::ByteView directory,
                                         const std::vector<SectionEntry>& sections) {
  base::FieldReader fields(directory, "directory");
  std::vector<CopiedEnds> all;
  while (fields.remaining() != 0) {
    CopiedEnds ends{.section = fields.u64(), .head = {}, .tail = {}};
    const std::uint64_t head = fields.u64();
    const std::uint64_t tail = fields.u64();
    if (ends.section >= sections.size() || (!all.empty() && ends.section <= all.back().section))
      fields.fail("has sections that the file has not, or not in this order");
    const SectionEntry& section = sections[ends.section];
    if (section.type == kDirectorySection || head > section.length || tail > section.length - head)
      fields.fail("has more bytes of a section than that has");
    ends.head = fields.take(head);
    ends.tail = fields.take(tail);
    all.push_back(ends);
  }
  return all;
}

}  // namespace crivo::file
