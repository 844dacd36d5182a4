#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "file/container.hpp"
#include "file/layout.hpp"
#include "file/section_types.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::file {
namespace {

/// The least that has the kind, the key hash and all the types.
std::uint16_t minor_version_of_all(const Header& header,
                                   const std::vector<SectionEntry>& sections) {
  std::uint16_t minor_version =
      std::max(minor_version_of(header.kind), minor_version_of(header.key_hash));
  for (const SectionEntry& section : sections) {
    minor_version = std::max(minor_version, minor_version_of(section.type));
  }
  return minor_version;
}

/// The header up to its checksum.
base::Bytes encode_header(const Header& header, std::uint64_t file_length,
                          std::uint64_t table_offset, const std::vector<SectionEntry>& sections) {
  base::FieldWriter w;
  w.bytes(layout::magic()).u16(kMajorVersion).u16(minor_version_of_all(header, sections));
  w.u32(static_cast<std::uint32_t>(layout::kHeaderBytes));
  w.u64(0).u64(0);  // incompatible and compatible features: none yet
  w.u64(file_length).u64(table_offset);
  w.u32(static_cast<std::uint32_t>(sections.size())).u32(static_cast<std::uint32_t>(header.kind));
  w.u64(header.keys).u64(header.seed);
  w.u32(static_cast<std::uint32_t>(header.key_hash)).u32(0);
  w.bytes(header.content_id);
  w.zeros(24);
  return w.take();
}

base::Bytes encode_table(const std::vector<SectionEntry>& sections) {
  base::FieldWriter w;
  for (const SectionEntry& section : sections) {
    w.u32(section.type).u32(0).u64(section.offset).u64(section.length);
    w.u32(static_cast<std::uint32_t>(layout::kAlignment)).u32(0);
    w.u64(section.checksum).u64(0);
  }
  return w.take();
}

base::Bytes encode_metadata(const Metadata& metadata) {
  base::FieldWriter w;
  w.u32(static_cast<std::uint32_t>(metadata.size()));
  for (const auto& [name, value] : metadata) {
    w.u32(static_cast<std::uint32_t>(name.size())).u32(static_cast<std::uint32_t>(value.size()));
    w.bytes(base::as_bytes(name)).bytes(base::as_bytes(value));
  }
  return w.take();
}

}  // namespace

/// Appends to the output and hashes what passes.
class ContainerWriter::SectionSink final : public base::Sink {
 public:
  SectionSink(Appender& output, std::uint32_t type)
      : output_(output), type_(type), offset_(output.size()) {}

  void append(base::ByteView bytes) override {
    hash_.add(bytes);
    output_.append(bytes);
  }
  std::uint64_t size() const noexcept override { return output_.size() - offset_; }
  SectionEntry entry() const { return {type_, offset_, size(), hash_.value()}; }

 private:
  Appender& output_;
  std::uint32_t type_;
  std::uint64_t offset_;
  hashing::StreamHash hash_;
};

ContainerWriter::ContainerWriter(PendingFile& file) : file_(file), output_(file) {
  output_.append(
      base::Bytes(layout::kHeaderBytes));  // written last, when all that it says is known
}

ContainerWriter::~ContainerWriter() = default;

base::Sink& ContainerWriter::begin_section(std::uint32_t type) {
  end_section();
  open_section_ = std::make_unique<SectionSink>(output_, type);
  return *open_section_;
}

void ContainerWriter::end_section() {
  if (!open_section_) return;
  sections_.push_back(open_section_->entry());
  open_section_.reset();
  output_.append(base::Bytes(bits::align_up(output_.size(), layout::kAlignment) - output_.size()));
}

ContainerWriter::MappedSection ContainerWriter::map_section() {
  end_section();
  output_.flush();
  MappedFile file(file_.path_to_open(), Loading::mapped);
  const SectionEntry& section = sections_.back();
  const base::ByteView bytes = file.bytes().subspan(section.offset, section.length);
  return {std::move(file), bytes};
}

ContainerWriter::Written ContainerWriter::finish(const Header& header, const Metadata& metadata) {
  if (!metadata.empty()) begin_section(kMetadataSection).append(encode_metadata(metadata));
  end_section();
  const std::uint64_t table_offset = output_.size();
  base::Bytes head = encode_header(
      header, table_offset + sections_.size() * layout::kEntryBytes + layout::kFooterBytes,
      table_offset, sections_);
  const base::Bytes table = encode_table(sections_);

  const base::Bytes checked = base::FieldWriter().bytes(head).bytes(table).take();
  const std::uint64_t checksum = XXH3_64bits(checked.data(), checked.size());
  const XXH128_canonical_t digest = [&] {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(checked.data(), checked.size()));
    return canonical;
  }();

  base::FieldWriter footer;
  footer.u64(output_.size() + table.size() + layout::kFooterBytes).u64(checksum);
  footer.bytes(layout::inverted_magic());
  output_.append(table);
  output_.append(footer.view());
  head.resize(layout::kHeaderBytes);
  base::store_le(head.data() + layout::kHeaderBytes - sizeof checksum, checksum);
  output_.flush();
  file_.write_at(0, head);

  Written written{output_.size(), {}, minor_version_of_all(header, sections_)};
  std::memcpy(written.digest.data(), digest.digest, written.digest.size());
  return written;
}

}  // namespace crivo::file
