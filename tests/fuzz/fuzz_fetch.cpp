// SPDX-License-Identifier: Apache-2.0
/// Bytes as the list of a published set of files, which is signed for the fuzzer's key: refused, or
/// every file of it is fetched as the list says. What was there before stays whole until then. The
/// first byte says what the site lies about.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "crivo/build/ship.hpp"
#include "crivo/error.hpp"
#include "file/trust/libcrypto.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/published.hpp"
#include "hashing/blake2b.hpp"
#include "ship/contents.hpp"
#include "ship/secret_key.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;
namespace fs = std::filesystem;

constexpr std::uint8_t kAltersList = 1;
constexpr std::uint8_t kAltersFiles = 2;
constexpr std::uint8_t kCutsFiles = 4;
constexpr std::uint8_t kIsStale = 8;     // signs the sequence that was there before
constexpr std::uint8_t kIsForeign = 16;  // signs by another key
constexpr std::uint8_t kExpires = 32;

class MemorySite final : public Site {
 public:
  MemorySite(std::string_view list, std::uint64_t sequence, std::uint8_t lies)
      : Site("site"), lies_(lies) {
    trust::SecretKey key;
    key.id = fuzz::kKeyId;
    key.seed = {std::byte{static_cast<unsigned char>((lies & kIsForeign) != 0 ? 2 : 1)}};
    trust::Statement statement{.bytes = list.size(), .sequence = sequence};
    if ((lies & kExpires) != 0) statement.expires = parse_time("2001-01-01");
    const auto hash = hashing::Blake2b().add(base::as_bytes(list)).finish();
    files_[std::string(file::kCurrentName)] =
        trust::encode(trust::make_signature(hash, statement, key));
    files_[file::contents_name(sequence)] = list;
    for (const std::string& content : fuzz::published_contents())
      files_[file::object_name(fuzz::sha256_of(content))] = content;
  }

  void read(const std::string& name, std::uint64_t /*most*/, const Take& take) override {
    const auto file = files_.find(name);
    if (file == files_.end()) throw Error(ErrorKind::io, name + ": is not there");
    std::string bytes = file->second;
    const bool is_object = name.starts_with("files/");
    const bool altered =
        (lies_ & (is_object ? kAltersFiles : kAltersList)) != 0 && name != file::kCurrentName;
    if (altered) bytes += 'x';
    if (is_object && (lies_ & kCutsFiles) != 0 && !bytes.empty()) bytes.pop_back();
    for (std::size_t at = 0; at < bytes.size(); at += kPiece)
      take(base::as_bytes(std::string_view(bytes).substr(at, kPiece)));
  }

 private:
  static constexpr std::size_t kPiece = 100;

  std::uint8_t lies_;
  std::map<std::string, std::string> files_;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether the set came to be the current one.
bool fetched(const fs::path& directory, std::string_view list, std::uint64_t sequence,
             std::uint8_t lies) {
  static const PublicKey key{fuzz::kKeyId, trust::public_key_of({std::byte{1}})};
  MemorySite site(list, sequence, lies);
  try {
    const FetchSummary summary =
        fetch(site, directory, {.keys = {key}, .state = directory.parent_path() / "state"});
    if (summary.sequence != sequence) std::abort();
    return true;
  } catch (const Error& error) {
    // io: a file that the site has not, or whose name is too long here.
    if (error.kind() != ErrorKind::corrupt && error.kind() != ErrorKind::io) std::abort();
    return false;
  }
}

void expect_whole(const fs::path& directory, std::string_view list) {
  for (const file::PublishedFile& one : file::decode_contents(list, "list")) {
    const std::string content = content_of(directory / "current" / one.name);
    if (content.size() != one.bytes || fuzz::sha256_of(content) != one.sha256) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fuzz::Input input(data + 1, size - 1);
  const std::string_view list = base::as_text(input.view());
  fuzz::expect_use_or_refusal([&] {
    const file::Contents contents = file::decode_contents(list, "list");
    if (file::encode(contents) != list) std::abort();
  });
  const test::TempDirectory temporary;
  const fs::path directory = temporary.path() / "sets";
  const std::string first = file::encode(fuzz::first_set());
  if (!fetched(directory, first, 1, 0)) std::abort();
  const std::uint64_t sequence = (data[0] & kIsStale) != 0 ? 1 : 2;
  if (fetched(directory, list, sequence, data[0])) {
    // The list of a set that is here is not read again.
    const std::uint8_t forbidden = kIsForeign | kExpires | (sequence == 2 ? kAltersList : 0);
    if ((data[0] & forbidden) != 0) std::abort();
    expect_whole(directory, list);
    // The same set once more, and then an older one.
    if (!fetched(directory, list, sequence, 0)) std::abort();
    if (sequence == 2 && fetched(directory, first, 1, 0)) std::abort();
  } else {
    expect_whole(directory, first);
  }
  return 0;
}
