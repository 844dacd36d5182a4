// SPDX-License-Identifier: Apache-2.0
/// Filters of fingerprints as they are looked up.

#include <string>

#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "file/mapped_file.hpp"
#include "foreign/fingerprint_filter.hpp"
#include "foreign/formats.hpp"

namespace crivo::foreign {
namespace {

FingerprintShape shape_of(base::ByteView bytes, const std::string& name) {
  const auto shape = read_shape(bytes.first(std::min(bytes.size(), kSignBytes)), bytes.size());
  if (!shape) throw Error(ErrorKind::corrupt, name + ": the file changed while it was opened");
  return *shape;
}

class OpenedFingerprints final : public OpenIndex {
 public:
  OpenedFingerprints(const std::filesystem::path& path, const OpenOptions& options)
      : OpenIndex(path.string(), "filter"),
        bytes_(path, file::loading(options.mode)),
        shape_(shape_of(bytes_.bytes(), name())),
        fingerprints_(bytes_.bytes().subspan(head_bytes(shape_.layout))) {}

  std::uint64_t size() const noexcept override { return shape_.keys; }
  FileInfo info() const override {
    FileInfo info;
    info.kind = kind();
    info.algorithm = format_of(name())->name;
    info.algorithm_name = "format";
    info.bytes = bytes_.bytes().size();
    info.format_version = "1";
    info.hash =
        shape_.layout == FingerprintLayout::binary_fuse ? "none: keys are numbers" : "xxh64";
    info.rows = {{"keys", std::uint64_t{shape_.keys}, "keys", std::to_string(shape_.keys)},
                 {"fingerprint_bits", std::uint64_t{8 * shape_.bytes}, "fingerprint bits",
                  std::to_string(8 * shape_.bytes)}};
    return info;
  }
  /// There are no checks but the one of the head.
  void verify(const Resources&) const override {}

  void answer(const Key& key, const Visit& visit) override { tell(key.text(), 1, visit); }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for (std::size_t i = 0; i < keys.size(); ++i) tell(keys[i], i + 1, visit);
  }

 private:
  void tell(std::string_view key, std::uint64_t line, const Visit& visit) const {
    const std::uint64_t number = number_of_key(shape_.layout, key, line);
    const bool maybe = contains(shape_, fingerprints_, number);
    visit(key, {.found = maybe, .text = maybe ? "maybe" : ""});
  }

  file::MappedFile bytes_;
  FingerprintShape shape_;
  base::ByteView fingerprints_;
};

}  // namespace

std::unique_ptr<OpenIndex> open_fingerprints(const std::filesystem::path& path,
                                             const OpenOptions& options) {
  return std::make_unique<OpenedFingerprints>(path, options);
}

std::uint64_t number_of_key(FingerprintLayout layout, std::string_view key, std::uint64_t line) {
  if (layout == FingerprintLayout::datasketches_xor) return hashing::xxh64(key);
  if (key.size() == sizeof(std::uint64_t)) return base::load_le<std::uint64_t>(key.data());
  throw Error(ErrorKind::bad_input,
              "the format's keys are numbers of 8 bytes, the lowest first: a key has " +
                  std::to_string(key.size()),
              {.line = line});
}

}  // namespace crivo::foreign
