// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.hpp"
#include "collections/formats.hpp"
#include "crivo/build/extract.hpp"
#include "crivo/error.hpp"

namespace crivo::extract {
namespace {

constexpr std::size_t kOffsetBytes = sizeof(std::uint64_t);

/// PISA's payload vector (payload_vector.hpp): u64 n, n + 1 offsets of u64, and the payloads one
/// behind the other. All is read.
/// Offsets stand before all payloads, so that the file is read at two places.
class PayloadReader final : public RecordReader {
 public:
  PayloadReader(RecordBytes& offsets, const ExtractOptions& options, FaultLog& faults)
      : offsets_(offsets),
        payloads_(offsets.path(), 1),
        folds_(options.what == Extract::terms && options.fold),
        faults_(faults) {}

  bool next(KeyTaker& keys) override {
    if (!begun_ && !begin()) return false;
    if (left_ == 0) {
      if (!payloads_.at_end())
        faults_.bad_record(payloads_.offset(), "the file goes on behind its last payload");
      return false;
    }
    const std::uint64_t place = offsets_.offset();
    std::uint64_t end = 0;
    if (!read_number(end)) return cut(place, "the offsets end before the last one");
    if (end < last_) return cut(place, "an offset is less than the one before it");
    const std::uint64_t begin = payloads_.offset();
    const std::uint64_t size = end - last_;
    last_ = end;
    --left_;
    if (size <= kMaxKeyBytes) {
      const std::string_view payload = payloads_.peek(static_cast<std::size_t>(size));
      if (payload.size() < size) return cut(begin, kNoPayload);
      if (folds_) {
        keys.take(keys::fold(payload), begin);
      } else {
        keys.take(payload, begin);
      }
    } else {
      faults_.bad_record(begin, "a payload of " + std::to_string(size) + " bytes");
    }
    if (payloads_.skip(size) < size) return cut(begin, kNoPayload);
    return true;
  }

 private:
  static constexpr const char* kNoPayload = "the file ends before its last payload";

  /// Moves on to the second offset, and to the first payload.
  bool begin() {
    begun_ = true;
    // So many that their offsets fit into a file.
    constexpr std::uint64_t kMost = UINT64_MAX / kOffsetBytes - 2;
    if (!read_number(left_) || !read_number(last_) || last_ != 0 || left_ > kMost)
      return cut(0, "expected a payload vector, which begins with a count and the offset 0");
    const std::uint64_t before = (left_ + 2) * kOffsetBytes;
    if (payloads_.skip(before) < before)
      return cut(payloads_.offset(), "the file ends before its last offset");
    return true;
  }

  bool read_number(std::uint64_t& number) {
    const std::string_view bytes = offsets_.peek(kOffsetBytes);
    if (bytes.size() < kOffsetBytes) return false;
    number = base::load_le<std::uint64_t>(bytes.data());
    offsets_.skip(kOffsetBytes);
    return true;
  }

  bool cut(std::uint64_t offset, const char* problem) {
    // Damage of compressed data is told by who sees the end.
    if (offsets_.damage().empty()) faults_.cut_short(offset, problem);
    return false;
  }

  RecordBytes& offsets_;
  RecordBytes payloads_;
  bool folds_;
  FaultLog& faults_;
  bool begun_ = false;
  std::uint64_t left_ = 0;  ///< payloads
  std::uint64_t last_ = 0;  ///< the offset behind which the next one begins
};

}  // namespace

std::unique_ptr<RecordReader> payload_reader(RecordBytes& bytes, const ExtractOptions& options,
                                             FaultLog& faults) {
  if (!bytes.is_regular()) {
    throw Error(ErrorKind::usage,
                bytes.name() + ": a payload vector is read from a file, not from a pipe");
  }
  return std::make_unique<PayloadReader>(bytes, options, faults);
}

}  // namespace crivo::extract
