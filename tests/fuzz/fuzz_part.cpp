// SPDX-License-Identifier: Apache-2.0
/// Bytes as a file between the steps of a sharded build, once every checksum fits
/// (mended_file.hpp): refused, or the build goes on from it to a file that is sound (or a store,
/// whose records may be damaged).
///
/// Byte 0 says which it is: a part; a directory's only file of keys; its totals, beside the sound
/// file of keys. Byte 1 says what is built of keys.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "crivo/build/shards.hpp"
#include "crivo/inspect.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/mended_file.hpp"
#include "shards/key_directory.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;
using Path = std::filesystem::path;

enum class Step : std::uint8_t { part, keys, totals, count };

BuildOptions options() {
  BuildOptions options;
  options.resources.threads = 1;
  options.replace = true;
  return options;
}

void write_file(const Path& path, base::ByteView bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << base::as_text(bytes);
  if (!out.flush()) std::abort();
}

/// Calls `step`, which may refuse its files in any way that the user is to mend.
template <typename Use>
bool is_done(Use&& step) {
  try {
    step();
    return true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    return false;
  }
}

/// Of the keys that seed_corpus deals out.
const Path& sound_directory() {
  static const test::TempDirectory directory;
  static const Path dealt = [] {
    std::ofstream keys(directory.path() / "keys");
    for (int i = 0; i < 400; ++i) keys << "key " << i << '\n';
    keys.close();
    const Path path = directory.path() / "dealt";
    partition_keys({{(directory.path() / "keys").string()}, {}}, path, {}, options());
    finish_partition(path, options());
    return path;
  }();
  return dealt;
}

/// The only part of the keys in a finished directory.
void build_part(const Path& dealt, std::uint8_t what, const Path& part) {
  switch (what % 9) {
    case 0:
      build_mphf_part(dealt, {}, part, {.signature_bits = 8}, options());
      return;
    case 1:
      build_mphf_part(dealt, {}, part, {.algorithm = "tiny"}, options());
      return;
    case 2:
      build_filter_part(dealt, {}, part, {}, options());
      return;
    case 3:
      build_filter_part(dealt, {}, part, {.type = "cuckoo"}, options());
      return;
    case 4:
      build_map_part(dealt, {}, part, {}, options());
      return;
    case 5:
      build_store_part(dealt, {}, part, {.codec = "zstd"}, options());
      return;
    case 6:
      build_store_part(dealt, {}, part, {.backend = "flat", .codec = "tokens12"}, options());
      return;
    default:
      build_dictionary_part(dealt, {}, part, {.values = what % 9 == 8}, options());
  }
}

/// Makes totals those of the sound file of keys, as far as they name it.
void name_sound_keys(fuzz::FileParts& totals) {
  constexpr std::size_t kBeforeFiles = 48;  // formats/parts.md, section 98
  static const index::KeyFile keys(sound_directory() / index::keys_file_name(0, 1));
  std::ranges::copy(keys.header().build_id, totals.header.ids.begin() + 16);
  for (fuzz::FileSection& section : totals.sections) {
    if (section.bytes.size() < kBeforeFiles + keys.digest().size()) continue;
    std::ranges::copy(keys.digest(), section.bytes.begin() + kBeforeFiles);
  }
}

void expect_sound_merge(const Path& part, const Path& merged) {
  std::filesystem::remove_all(merged);  // a file, or a store's directory
  if (!is_done([&] { merge_parts({part}, merged, options()); })) return;
  if (std::filesystem::is_directory(merged)) {
    (void)is_done([&] { verify(merged); });  // units go into a store as a part has them
  } else {
    verify(merged);
  }
}

void go_on(Step step, std::uint8_t what, fuzz::FileParts parts) {
  if (step == Step::totals) name_sound_keys(parts);
  const base::Bytes file = fuzz::put_together(parts);
  static const test::TempDirectory directory;
  const Path part = directory.path() / "part";
  const Path merged = directory.path() / "merged";
  if (step == Step::part) {
    write_file(part, file);
    expect_sound_merge(part, merged);
    return;
  }
  const Path dealt = directory.path() / "dealt";
  const std::string keys_name = index::keys_file_name(0, 1);
  std::filesystem::create_directories(dealt);
  if (step == Step::keys) {
    write_file(dealt / keys_name, file);
    if (!is_done([&] { finish_partition(dealt, options()); })) return;
  } else {
    std::filesystem::copy_file(sound_directory() / keys_name, dealt / keys_name,
                               std::filesystem::copy_options::overwrite_existing);
    write_file(dealt / index::kTotalsName, file);
  }
  if (is_done([&] { build_part(dealt, what, part); })) expect_sound_merge(part, merged);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto step = static_cast<Step>(data[0] % static_cast<unsigned>(Step::count));
  go_on(step, data[1], fuzz::take_apart(fuzz::Input(data + 2, size - 2).view()));
  return 0;
}
