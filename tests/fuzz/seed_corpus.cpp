// SPDX-License-Identifier: Apache-2.0
/// Writes what the fuzz targets begin with: seed_corpus DIR fills a folder in DIR for each.
#include <bit>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "build/choices.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/dictionary.hpp"
#include "crivo/open.hpp"
#include "file/container.hpp"
#include "file/copied_ends.hpp"
#include "file/section_types.hpp"
#include "file/trust/signature_check.hpp"
#include "file/trust/signature_file.hpp"
#include "fuzz/mended_file.hpp"
#include "fuzz/remote_files.hpp"
#include "fuzz/seeds.hpp"
#include "fuzz/served_sets.hpp"
#include "fuzz/updated_store.hpp"
#include "input/resume_directory.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/filter_file.hpp"
#include "records/backends/lmdb/build/environment_writer.hpp"
#include "records/backends/lmdb/build/group_builder.hpp"
#include "records/backends/lmdb/group.hpp"
#include "records/build/encoding.hpp"
#include "records/build/record_encoder.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/exact/build/builder.hpp"
#include "structures/exact/build/flip_encoder.hpp"
#include "structures/exact/flip_list.hpp"
#include "structures/exact/groups.hpp"
#include "structures/filter.hpp"
#include "structures/mphf.hpp"
#include "structures/signatures.hpp"
#include "structures/static_function.hpp"
#include "support/compressed.hpp"
#include "support/hashes.hpp"
#include "support/signed_function.hpp"
#include "support/stores.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;
using namespace crivo::fuzz;

constexpr std::uint64_t kCounts[] = {0, 1, 2, 100, 3000, 25000};

template <typename Int>
Int load(const std::string& bytes, std::size_t at) {
  return base::load_le<Int>(base::as_bytes(bytes).subspan(at).data());
}

void write_containers(const Path& directory) {
  std::filesystem::create_directories(directory);
  for (const std::uint32_t sections : {0U, 1U, 3U}) {
    const Path path = directory / std::to_string(sections);
    file::PendingFile file(file::OutputTarget::file(path, file::IfExists::replace));
    file::ContainerWriter writer(file);
    for (std::uint32_t i = 0; i < sections; ++i) {
      const auto alignment = i == 2 ? file::layout::kPageAlignment : file::layout::kAlignment;
      writer.begin_section(file::kFirstSkippable + 100, i, alignment)
          .append(base::as_bytes(std::string(70 * i, 'x')));
    }
    writer.finish(file::Header{}, {{"name", "value"}});
    (void)file.publish();
  }
}

void write_functions(const Path& corpus, const stream::SortedHashes& hashes,
                     const base::BuildContext& context) {
  const std::string count = std::to_string(hashes.size());
  for (std::size_t i = 0; i < mphf::builders().size(); ++i) {
    const std::string choice(1, static_cast<char>(i));
    const std::string name = std::to_string(i) + "-" + count;
    base::MemorySink sink;
    mphf::builders()[i].build(hashes, {}, context, sink);
    write(corpus / "mphf", name, choice, sink.view());
    if (i != 0 || hashes.size() > 0xffff) continue;
    for (const unsigned bits : {8U, 16U, 32U}) {
      base::MemorySink again;
      base::MemorySink signatures;
      test::SignedFunction(hashes, mphf::builders()[i], bits, context, again)
          .write_signatures(signatures);
      write(corpus / "signatures", count + "-" + std::to_string(bits),
            little_endian(hashes.size(), 2), signatures.view());
    }
  }
}

void write_filters(const Path& corpus, const stream::SortedHashes& hashes,
                   const base::BuildContext& context) {
  for (std::size_t i = 0; i < filter::builders().size(); ++i) {
    for (const double fpr : {0.5, 1.0 / 256, 1.0 / 8192}) {
      FilterOptions options;
      options.fpr = fpr;
      base::MemorySink sink;
      filter::builders()[i].build(hashes, options, context, sink);
      write(corpus / "filter",
            std::to_string(i) + "-" + std::to_string(hashes.size()) + "-" + std::to_string(fpr),
            std::string(1, static_cast<char>(i)), sink.view());
    }
  }
}

/// Filters of no key with room for many, which fit in no cache: their zeros are left out.
void write_large_filters(const Path& corpus) {
  base::Progress progress;
  for (std::size_t i = 0; i < filter::builders().size(); ++i) {
    const filter::Builder& type = filter::builders()[i];
    if (!index::takes<FilterOptions>("capacity", type.name)) continue;
    FilterOptions options;
    options.capacity = 3'000'000;
    base::MemorySink sink;
    type.build(stream::SortedHashes::from_unsorted({}), options, {1, progress}, sink);
    base::ByteView begin = sink.view();
    while (!begin.empty() && begin.back() == std::byte{0}) begin = begin.first(begin.size() - 1);
    if (begin.size() > 4096) continue;
    const std::string choice = of_bytes({128 + static_cast<int>(i)});
    const std::string name = std::to_string(i);
    const std::uint64_t size = sink.view().size();
    write(corpus / "filter", name + "-large", choice + little_endian(size, 4), begin);
    // As if all keys were there, but for what is behind the header.
    constexpr std::uint64_t kOnes = std::uint64_t{1} << 31;
    constexpr std::size_t kHead = 256;
    write(corpus / "filter", name + "-full", choice + little_endian(kOnes + size, 4),
          base::ByteView(sink.view()).first(kHead));
  }
}

/// Cuckoo filters whose buckets are read in each way that there is.
void write_cuckoos(const Path& corpus) {
  base::Progress progress;
  const auto hashes = stream::SortedHashes::from_unsorted(test::random_hashes(300));
  std::size_t number = 0;
  while (filter::builders()[number].name != "cuckoo") ++number;
  for (const bool semi_sorted : {false, true}) {
    for (const unsigned bits : {4U, 7U, 8U, 12U, 15U, 16U, 20U, 32U}) {
      FilterOptions options{.type = "cuckoo", .semi_sorted = semi_sorted};
      options.bits = bits;
      base::MemorySink sink;
      filter::builders()[number].build(hashes, options, {1, progress}, sink);
      write(corpus / "filter",
            "cuckoo-" + std::to_string(bits) + (semi_sorted ? "-sorted" : "-plain"),
            of_bytes({static_cast<int>(number)}), sink.view());
    }
  }
}

void write_maps(const Path& corpus, const stream::SortedHashes& hashes,
                const base::BuildContext& context) {
  for (std::size_t i = 0; i < map::builders().size(); ++i) {
    for (const unsigned width : {1U, 8U, 13U, 32U}) {
      base::MemorySink sink;
      map::builders()[i].build(
          hashes, {width, 3},
          [width](std::span<const Hash128>, std::uint64_t first, std::span<std::uint64_t> values) {
            for (std::uint64_t& value : values) {
              // 0 for half of them, 1 for a quarter, ...; or 0 for all but a few.
              const std::uint64_t mixed = base::mix64(++first);
              const std::uint64_t any = mixed % 64 == 0 ? mixed >> 32 : 0;
              value = (width == 8 ? any : static_cast<unsigned>(std::countl_zero(mixed))) &
                      (~std::uint64_t{0} >> (64 - width));
            }
          },
          context, sink);
      write(corpus / "map",
            std::to_string(i) + "-" + std::to_string(hashes.size()) + "-" + std::to_string(width),
            std::string(1, static_cast<char>(i)), sink.view());
    }
  }
}

/// Groups of all classes, beside a function of 50 keys.
void write_exact_groups(const Path& corpus) {
  std::vector<exact::Group> groups;
  for (unsigned kind = 0; exact::is_class(kind); ++kind)
    groups.push_back({base::mix64(kind), static_cast<exact::Class>(kind)});
  std::ranges::sort(groups, {}, &exact::Group::hash);
  write(corpus / "exact", "groups", "",
        exact::encode_groups({.grouped = true, .members = 50, .passing = 50}, groups));
  write(corpus / "exact", "alone", "",
        exact::encode_groups({.members = 50, .passing = 50}, {{0, exact::Class::bit_only}}));
}

/// A list of flips of three groups, one that joins two such, the links of a chain, and a layer that
/// a delta adds to a filter; the first byte tells them apart.
void write_deltas(const Path& corpus) {
  std::vector<exact::GroupedKey> keys;
  std::vector<exact::FlipGroup> groups;
  constexpr std::uint64_t kKeys = 400;
  constexpr std::uint64_t kFlips = 20;
  for (std::uint64_t group = 0; group < 3; ++group) {
    for (const Hash128& hash : test::random_hashes(kKeys, group)) keys.push_back({group, hash});
    groups.push_back({group, kFlips, exact::cell_bits_for(kKeys, kFlips)});
  }
  std::ranges::sort(keys);
  std::vector<exact::GroupedKey> flips;
  for (std::uint64_t group = 0; group < 3; ++group) {
    for (std::uint64_t i = 0; i < kFlips; ++i) flips.push_back(keys[group * kKeys + i * 19]);
  }
  const base::Bytes bits = exact::encode_flips(flips, keys, groups, 1);
  base::FieldWriter added;
  added.u64(5).u64(9);
  exact::FlipList list{.flips = flips.size(), .members = 7, .universe = 3 * kKeys, .listed = 3};
  list.bits = bits;
  exact::Delta delta{.grouped = true, .groups = 3, .lists = {list}};
  const std::string kDelta(1, '\0');
  write(corpus / "delta", "one", kDelta, exact::encode_delta(delta));
  list.added = added.view();
  delta.lists.push_back(list);
  delta.joined.resize(2);
  write(corpus / "delta", "joined", kDelta, exact::encode_delta(delta));
  const exact::Chain chain{.links = {{"base.crv", {}, 100}, {"days/one.crv", {}, 10}}};
  write(corpus / "delta", "links", "\1", exact::encode_chain(chain));
  base::Progress progress;
  for (const std::uint64_t count : kCounts) {
    const auto hashes = stream::SortedHashes::from_unsorted(test::random_hashes(count));
    base::MemorySink sink;
    filter::builder_of(filter::layer_type()).build(hashes, {}, {1, progress}, sink);
    const exact::Delta layer{.of_filter = true, .lists = {{.members = count}}};
    std::string bytes(1, '\2');
    bytes += base::as_text(exact::encode_delta(layer));
    write(corpus / "delta", "layer-" + std::to_string(count), bytes, sink.view());
  }
}

void write_sections(const Path& corpus) {
  write_exact_groups(corpus);
  write_deltas(corpus);
  base::Progress progress;
  const base::BuildContext context{1, progress};
  for (const std::uint64_t count : kCounts) {
    const auto hashes = stream::SortedHashes::from_unsorted(test::random_hashes(count));
    write_functions(corpus, hashes, context);
    write_filters(corpus, hashes, context);
    write_maps(corpus, hashes, context);
  }
}

/// Of `all` records, of which `count` are looked at.
records::RecordCoding coding_of(const records::CodecRequest& request, std::uint64_t count,
                                std::uint64_t all) {
  records::RecordSample sample(request);
  for (std::uint64_t i = 0; i < count; ++i) sample.add(key(i), record(i));
  return sample.coding(all);
}

/// An environment's file and the section about it.
void write_store(const Path& corpus, std::uint64_t records) {
  const std::string name = std::to_string(records);
  const Path tree = corpus / "tree";
  std::filesystem::create_directories(tree);
  records::FinishedEnvironment finished;
  file::PendingFile file(file::OutputTarget::file(tree / name, file::IfExists::replace));
  {
    records::EnvironmentWriter writer(file, 0);
    records::RecordEncoder encoder(
        coding_of({}, records, records), 1,
        [&](std::span<const records::EncodedUnit> units) { writer.add(units); });
    for (std::uint64_t i = 0; i < records; ++i) encoder.append({0, key(i), record(i)});
    finished = writer.finish(encoder.finish());
  }
  (void)file.publish();
  write(corpus / "environment", name, "", finished.section);
  write(corpus / "codec", name, "", finished.codec);
}

/// A group of each codec, and the section about it.
void write_groups(const Path& corpus) {
  for (const records::CodecType& type : records::codec_types()) {
    for (const std::uint64_t count : {1U, 2U, 90U}) {
      records::GroupBuilder group;
      records::RecordEncoder encoder(
          coding_of({.codec = type.id, .block_bytes = 512}, count, 1000 * count), 1,
          [&](std::span<const records::EncodedUnit> units) {
            for (const auto& unit : units) group.add(unit);
          });
      for (std::uint64_t i = 0; i < count; ++i) encoder.append({0, key(i), record(i)});
      const records::CodecSection section = encoder.finish();
      const std::string name = std::string(type.name) + "-" + std::to_string(count);
      const base::Bytes& dictionary = section.dictionary;
      const std::string head = little_endian(static_cast<std::uint64_t>(type.id), 1) +
                               little_endian(dictionary.size(), 2) +
                               std::string(base::as_text(dictionary)) + little_endian(count - 1, 8);
      write(corpus / "group", name, head, group.finish());
      write(corpus / "codec", name, "", section.encode());
      if (dictionary.size() < 100) continue;
      records::CodecSection damaged = section;
      for (const std::size_t at : {0, 1, 10}) {
        damaged.dictionary[at] = std::byte{at == 0};
        write(corpus / "codec", name + "-damaged-" + std::to_string(at), "", damaged.encode());
      }
      std::fill(damaged.dictionary.begin() + 8, damaged.dictionary.end(), std::byte{0xff});
      damaged.dictionary[0] = section.dictionary[0];
      damaged.dictionary[1] = section.dictionary[1];
      write(corpus / "codec", name + "-damaged", "", damaged.encode());
    }
  }
}

/// The first byte's bits as fuzz_keys reads them: framing, then 4 strips CR, 8 allows empty keys,
/// 16 is of records, 32 has columns as the second byte says, or members of JSON objects, and 64 a
/// header.
void write_key_files(const Path& directory) {
  std::string lines = "\r\n\n";
  std::string pairs;
  std::string nulls;
  std::string table = "v,k\n";
  std::string objects;
  for (std::uint64_t i = 0; i < 100; ++i) {
    table += "\"" + record(i) + "\"\"\n\"," + key(i) + "\n";
    objects += R"({"k":")" + key(i) +
               R"(\u00e9\n","more":[1,{"k":null}],"v":-1.5e3})"
               "\n";
    lines += key(i) + (i % 3 == 0 ? "\r\n" : "\n");
    pairs += key(i) + "\t" + record(i) + "\n";
    nulls += key(i) + '\0' + record(i) + '\0';
  }
  const struct {
    const char* name;
    char choice;
    const std::string& text;
    char width = 8;
  } inputs[] = {{"lines", 0 + 4 + 8, lines},
                {"pairs", 0 + 16, pairs},
                {"null", 1, nulls},
                {"null-pairs", 1 + 16, nulls},
                {"fixed", 2, nulls},
                {"table", 0 + 32 + 64, table, static_cast<char>(129)},
                {"objects", 0 + 16 + 32, objects, static_cast<char>(193)}};
  for (const auto& input : inputs) {
    const std::string choice{input.choice, input.width};
    const std::string name = input.name;
    write(directory, name, choice, base::as_bytes(input.text));
    // Twice, with what may stand between streams; and the bytes as they are, where no checksum but
    // the last guards them.
    const std::string zeros(8, '\0');
    const std::string skipped("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
    const std::pair<const char*, std::string> packed[] = {
        {".gz", test::gzip(input.text) + zeros + test::gzip(input.text)},
        {".stored.gz", test::gzip(input.text, 0)},
        {".zst", test::zstd(input.text) + skipped + test::zstd(input.text)},
        {".xz", test::xz(input.text) + zeros + test::xz(input.text)},
        {".unchecked.xz", test::xz(input.text, LZMA_CHECK_NONE)},
        {".bz2", test::bzip2(input.text) + test::bzip2(input.text)},
    };
    for (const auto& [ending, bytes] : packed) {
      write(directory, name + ending, choice, base::as_bytes(bytes));
    }
  }
}

/// Files that begin as other formats do, and text that nearly does.
void write_pages(const Path& directory) {
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  const std::string gzipped = test::gzip("a\nb\n");
  const std::pair<const char*, std::string> pages[] = {
      {"lines", "a\nb\n"},
      {"mark",
       "\xef\xbb\xbf"
       "a\n"},
      {"mark-zlib", std::string("\xef\xbb\xbfx\x9c\0\n", 7)},
      {"tar", tar},
      {"tar.gz", test::gzip(tar)},
      {"gz", gzipped},
      {"gz.gz", test::gzip(gzipped)},
      {"gz.zst", test::zstd(gzipped)},
      {"utf16", std::string("\xff\xfe"
                            "a\0\n\0",
                            6)},
      {"wide", std::string("a\0l\0p\0h\0a\0b\0e\0t\0", 16)},
      {"parquet", std::string("PAR1\x15\0", 6)},
      {"text",
       "PAR1\n%PDF-1.4\n070701\nx\x5e"
       "2\n"},
      {"lmdb", std::string(16, '\0') + "\xde\xc0\xef\xbe"},
      {"crivo", std::string("\xc3"
                            "CRV\r\n\x1a\n",
                            8)},
      {"warc", "WARC/1.0\r\nWARC-Type: response\r\n"},
      {"zlib", std::string("x\x9c\0\1", 4)}};
  for (const auto& [name, bytes] : pages) write(directory, name, "", base::as_bytes(bytes));
}

/// A FASTA file as fuzz_extract reads it: k-mers of 21 bases. corpus/extract has the others.
void write_collections(const Path& directory) {
  std::string bases = ">made\n";
  for (std::uint64_t i = 0; i < 500; ++i) bases += "ACGTTGCAAN"[i * i % 11 % 10];
  write(directory, "fasta", of_bytes({4 + 5 * 20, 7}), base::as_bytes(bases));
}

/// For fuzz_edits: filters that are built and then changed, sections to change, and pairs of them.
void write_edits(const Path& directory) {
  constexpr int kAllTypes = 3;  // bloom, counting-bloom, cuckoo
  std::string changes;
  for (int i = 0; i < 200; ++i) changes += static_cast<char>(i * 37 % 256);
  for (int type = 0; type < kAllTypes; ++type) {
    for (const int bits : {0, 4, 8, 16}) {
      for (const int variant : {0, 1}) {  // capacity, hashes, counter bits, semi-sorted
        const std::string options =
            of_bytes({0, type, 100 * variant, 3 * variant, 3 - variant, variant, bits, 20});
        write(directory,
              "built-" + std::to_string(type) + "-" + std::to_string(bits) + "-" +
                  std::to_string(variant),
              options, base::as_bytes(changes));
      }
    }
  }
  base::Progress progress;
  int type = 0;
  for (const filter::Builder& candidate : filter::builders()) {
    if ((candidate.type().can & filter::kAdds) == 0) continue;
    for (const std::uint64_t count : {0U, 1U, 500U}) {
      base::Bytes sections[2];
      for (std::uint64_t salt : {0U, 1U}) {
        base::MemorySink sink;
        FilterOptions options;
        options.capacity = 1000;
        candidate.build(stream::SortedHashes::from_unsorted(test::random_hashes(count, salt)),
                        options, {1, progress}, sink);
        sections[salt] = sink.take();
      }
      const std::string name = std::to_string(type) + "-" + std::to_string(count);
      write(directory, "claimed-" + name,
            of_bytes({1, type, static_cast<int>(changes.size())}) + changes, sections[0]);
      if ((candidate.type().can & filter::kUnites) == 0) continue;
      for (const int operation : {2, 3}) {
        const std::string both =
            std::string(base::as_text(sections[0])) + std::string(base::as_text(sections[1]));
        write(directory, "combined-" + std::to_string(operation) + "-" + name,
              of_bytes({operation, 0}) + little_endian(sections[0].size(), 2),
              base::as_bytes(both));
      }
    }
    ++type;
  }
}

/// The finished directory of the keys of a file, which is made anew.
void deal(const Path& keys, const Path& dealt) {
  std::filesystem::remove_all(dealt);
  partition_keys({{keys.string()}, {}}, dealt, {}, build_options());
  finish_partition(dealt, build_options());
}

/// The same of pairs, with their records.
void deal_records(const Path& pairs, const Path& dealt) {
  std::filesystem::remove_all(dealt);
  partition_keys({{pairs.string()}, {}}, dealt, {.records = true}, build_options());
  finish_partition(dealt, build_options());
}

/// Deals out so many keys themselves, of the file `pairs`, which is made for it.
void deal_texts(const Path& pairs, std::uint64_t count, bool values, const Path& dealt) {
  std::ofstream lines(pairs);
  for (std::uint64_t i = 0; i < count; ++i) {
    lines << "key " << i;
    if (values) lines << '\t' << i % 7;
    lines << '\n';
  }
  lines.close();
  std::filesystem::remove_all(dealt);
  partition_keys({{pairs.string()}, {}}, dealt, {.values = values, .texts = true}, build_options());
  finish_partition(dealt, build_options());
}

/// Calls keep(name) for the only part of each structure of a directory's keys, which is at `part`.
void for_each_part(const Path& dealt, const Path& part,
                   const std::function<void(const std::string& name)>& keep) {
  const BuildOptions& options = build_options();
  for (const mphf::Builder& algorithm : mphf::builders()) {
    if (algorithm.plan == nullptr) continue;
    build_mphf_part(dealt, {}, part,
                    {.algorithm = std::string(algorithm.name), .signature_bits = 8}, options);
    keep(std::string(algorithm.name));
  }
  for (const filter::Builder& type : filter::builders()) {
    if (type.plan == nullptr || type.type().key_hash != hashing::KeyHashId::xxh3) continue;
    build_filter_part(dealt, {}, part, {.type = std::string(type.name)}, options);
    keep(std::string(type.name));
  }
  for (const char* const algorithm : {"ribbon", "fuse"}) {
    build_map_part(dealt, {}, part, {.algorithm = algorithm, .signature_bits = 8}, options);
    keep("map-" + std::string(algorithm));
  }
}

/// For fuzz_file: what the program would write, a file of each structure.
void write_files(const Path& directory) {
  const test::TempDirectory temporary;
  const Path& scratch = temporary.path();
  const Path output = scratch / "output";
  const BuildOptions& options = build_options();
  const auto keep = [&](const std::string& name) {
    write(directory, name, "", base::as_bytes(contents(output)));
  };
  for (const std::uint64_t count : {0U, 1U, 400U}) {
    std::string lines;
    for (std::uint64_t i = 0; i < count; ++i) lines += key(i) + "\n";
    std::ofstream(scratch / "lines") << lines;
    const KeyInput keys{{(scratch / "lines").string()}, {}};
    const std::string n = "-" + std::to_string(count);
    for (const mphf::Builder& algorithm : mphf::builders()) {
      for (const unsigned bits : {0U, 8U}) {
        build_mphf(keys, output, {.algorithm = std::string(algorithm.name), .signature_bits = bits},
                   options);
        keep(std::string(algorithm.name) + "-" + std::to_string(bits) + n);
      }
    }
    for (const std::string_view hash : {"universal", "zobrist", "jenkins"}) {
      build_mphf(keys, output, {.algorithm = "bdz", .hash = std::string(hash)}, options);
      keep("bdz-" + std::string(hash) + n);
    }
    std::string texts;
    for (std::uint64_t i = 0; i < count; ++i)
      texts += std::to_string(i * i * i % 99'999'999) + "\n";
    std::ofstream(scratch / "numbers") << texts;
    const KeyInput numbers{{(scratch / "numbers").string()}, {}};
    for (const filter::Builder& type : filter::builders()) {
      const bool takes_numbers = type.type().key_hash == hashing::KeyHashId::range;
      build_filter(takes_numbers ? numbers : keys, output, {.type = std::string(type.name)},
                   options);
      keep(std::string(type.name) + n);
    }
    for (const std::string bits : {"8", "12"}) {
      build_dictionary(keys, output, {.token_bits = bits, .block_keys = 16}, options);
      keep("dictionary-" + bits + n);
    }
    build_dictionary(keys, output, {.hashed = true}, options);
    keep("dictionary-hashed" + n);
    for (const map::Builder& algorithm : map::builders()) {
      for (const unsigned bits : {0U, 8U}) {
        build_map(keys, output,
                  {.algorithm = std::string(algorithm.name),
                   .compress = algorithm.compresses,
                   .signature_bits = bits},
                  options);
        keep("map-" + std::string(algorithm.name) + (algorithm.compresses ? "-c-" : "-") +
             std::to_string(bits) + n);
      }
    }
    std::string others;
    for (std::uint64_t i = 0; i < 20 * count; ++i) others += key(i * i) + "\n";
    std::ofstream(scratch / "others") << others;
    for (const char* const delimiter : {"", "."}) {  // groups by their hosts
      for (const std::string universe : {"lines", "others"}) {
        build_exact(keys, {{(scratch / universe).string()}, {}}, output,
                    {.group_delimiter = delimiter}, options);
        keep("exact-" + universe + delimiter + n);
      }
    }
    const Path dealt = scratch / "dealt";
    deal(scratch / "lines", dealt);
    write(directory, "keys" + n, "", base::as_bytes(contents(dealt / "keys-0-of-1.crv")));
    for_each_part(dealt, output, [&](const std::string& name) { keep("part-" + name + n); });
  }
}

/// For fuzz_file: maps of as many keys as are not in one small table, and a dictionary of keys of
/// which what is shared, or the number of tokens, is too large for a byte.
void write_larger_files(const Path& directory) {
  const test::TempDirectory temporary;
  const Path lines = temporary.path() / "lines";
  const Path output = temporary.path() / "output";
  const KeyInput input{{lines.string()}, {}};
  {
    std::ofstream out(lines);
    for (std::uint64_t i = 0; i < 4500; ++i) out << key(i) << '\t' << (i % 3 == 0 ? 1 : 0) << '\n';
  }
  for (const char* const algorithm : {"ribbon", "fuse"}) {
    build_map(input, output, {.algorithm = algorithm, .values = true}, build_options());
    write(directory, "map-" + std::string(algorithm) + "-many", "",
          base::as_bytes(contents(output)));
  }
  {
    std::ofstream out(lines);
    for (std::uint64_t i = 0; i < 40; ++i) {
      std::string text = std::string(300 + 7 * (i / 4), 'k') + std::to_string(i);
      for (std::uint64_t j = 0; j < 60 * (i % 3); ++j)
        text += static_cast<char>('a' + base::mix64(200 * i + j) % 26);
      out << text << '\n';
    }
  }
  build_dictionary(input, output, {.block_keys = 16}, build_options());
  write(directory, "dictionary-long", "", base::as_bytes(contents(output)));
}

/// What the first byte of an input of fuzz_store says: the checks of units are left as they are; or
/// how many times such a number of modes and ways.
constexpr int kChecksDiffer = 4;
constexpr int kStoreModes = 8;

/// For fuzz_store: both files, which are opened in each mode, and as long ones, too.
void write_long_store(const Path& directory, const std::string& name, const std::string& files) {
  for (const int how : {1, 3, 5, 6, 8, 9, 10, 13, 14})
    write(directory, name + "-" + std::to_string(how), of_bytes({how * kStoreModes}),
          base::as_bytes(files));
}

/// For fuzz_store: of each backend and codec; and with a unit that has not its check.
void write_stores(const Path& directory) {
  const test::TempDirectory temporary;
  const Path pairs = temporary.path() / "pairs";
  const Path store = temporary.path() / "store";
  for (const std::uint64_t count : {0U, 1U, 120U}) {
    std::ofstream lines(pairs);
    for (std::uint64_t i = 0; i < count; ++i) lines << key(i) << '\t' << record(i) << '\n';
    lines.close();
    for (const std::string name : {"lmdb", "flat", "ordered"}) {
      const bool ordered = name == "ordered";
      const std::string backend = ordered ? "flat" : name;
      for (const char* const codec : {"none", "tokens12", "zstd", "neighbours"}) {
        if (!ordered && codec == std::string_view("neighbours")) continue;
        build_store({{pairs.string()}, {}}, store,
                    {.backend = backend, .codec = codec, .ordered = ordered}, build_options());
        const std::string index = contents(store / "index.crv");
        const std::string files =
            little_endian(index.size(), 4) + index + contents(test::data_file(store));
        const std::string its_name = name + "-" + codec + "-" + std::to_string(count);
        write(directory, its_name, of_bytes({0}), base::as_bytes(files));
        if (count > 100) write_long_store(directory, its_name, files);
      }
      if (count < 100) continue;
      build_store({{pairs.string()}, {}}, store,
                  {.backend = backend, .codec = "none", .ordered = ordered}, build_options());
      const std::string index = contents(store / "index.crv");
      std::string data = contents(test::data_file(store));
      data.replace(data.find(record(50)), 2, "[]");
      write(directory, name + "-damaged",
            of_bytes({kChecksDiffer}) + little_endian(index.size(), 4),
            base::as_bytes(index + data));
    }
  }
}

/// For fuzz_store: records of all bytes, some rare, and of runs of them.
void write_odd_records(const Path& directory) {
  const test::TempDirectory temporary;
  const Path store = temporary.path() / "store";
  std::vector<std::string> keys;
  std::vector<std::string> records;
  for (std::uint64_t i = 0; i < 150; ++i) {
    keys.push_back(key(i));
    std::string record(i % 40, static_cast<char>('a' + i % 3));
    for (std::uint64_t j = 0; j < i % 50; ++j) {
      const std::uint64_t mixed = base::mix64(100 * i + j);
      record += static_cast<char>((mixed & 255) >> (mixed >> 8 & 7));
    }
    records.push_back(record + "ababababababababababab");
  }
  for (const char* const codec : {"neighbours", "zstd"}) {
    build_store(records_in(keys, records), store,
                {.backend = "flat", .codec = codec, .ordered = true}, build_options());
    const std::string index = contents(store / "index.crv");
    write(directory, std::string("odd-") + codec, of_bytes({0}) + little_endian(index.size(), 4),
          base::as_bytes(index + contents(test::data_file(store))));
  }
}

/// For fuzz_store: an environment whose root looks like a branch of one page, which LMDB itself
/// takes for impossible; and records of which the header has another number than the index.
void write_impossible_stores(const Path& directory) {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kFlagsAt = 10;
  constexpr std::size_t kLowerAt = 12;
  constexpr std::size_t kKeysAt = 56;
  constexpr char kNothingFits = 1;
  const std::string lmdb = contents(directory / "lmdb-none-120");
  const std::size_t begin = 5 + load<std::uint32_t>(lmdb, 1);
  for (const int hash_differs : {0, 2}) {
    std::string bytes = lmdb;
    bytes[0] = static_cast<char>(kNothingFits + hash_differs);
    for (std::size_t page = begin + 2 * kPage; page < bytes.size(); page += kPage) {
      if (bytes[page + kFlagsAt] != 2) continue;
      bytes[page + kFlagsAt] = 1;
      bytes.replace(page + kLowerAt, 2, little_endian(18, 2));
    }
    write(directory, "lmdb-impossible-" + std::to_string(hash_differs), "", base::as_bytes(bytes));
  }
  std::string flat = contents(directory / "flat-none-120");
  flat[0] = kNothingFits;
  flat[5 + load<std::uint32_t>(flat, 1) + kKeysAt] ^= 1;
  write(directory, "flat-other-number", "", base::as_bytes(flat));
}

/// For fuzz_part: the files of sharded builds, which are of one shard.
void write_steps(const Path& directory) {
  const test::TempDirectory temporary;
  const Path& scratch = temporary.path();
  const Path part = scratch / "part";
  const Path dealt = scratch / "dealt";
  for (const std::uint64_t count : {0U, 1U, 400U}) {
    std::ofstream lines(scratch / "lines");
    for (std::uint64_t i = 0; i < count; ++i) lines << "key " << i << '\n';
    lines.close();
    deal(scratch / "lines", dealt);
    const std::string n = "-" + std::to_string(count);
    const auto keep = [&](const std::string& name, int step, int what, const Path& file) {
      write(directory, name + n, of_bytes({step, what}), base::as_bytes(contents(file)));
    };
    for (int what = 0; what < 5; ++what) {
      keep("keys-" + std::to_string(what), 1, what, dealt / "keys-0-of-1.crv");
      keep("totals-" + std::to_string(what), 2, what, dealt / "totals.crv");
    }
    for_each_part(dealt, part, [&](const std::string& name) { keep(name, 0, 0, part); });
    std::ofstream pairs(scratch / "pairs");
    for (std::uint64_t i = 0; i < count; ++i) pairs << key(i) << '\t' << record(i) << '\n';
    pairs.close();
    deal_records(scratch / "pairs", dealt);
    for (int what = 5; what < 7; ++what)
      keep("records-" + std::to_string(what), 1, what, dealt / "keys-0-of-1.crv");
    for (const char* const codec : {"none", "tokens12", "zstd"}) {
      build_store_part(dealt, {}, part, {.codec = codec}, build_options());
      keep("store-" + std::string(codec), 0, 0, part);
    }
    for (const bool values : {false, true}) {
      deal_texts(scratch / "valued", count, values, dealt);
      keep(values ? "valued-texts" : "texts", 1, values ? 8 : 7, dealt / "keys-0-of-1.crv");
      build_dictionary_part(dealt, {}, part, {.values = values}, build_options());
      keep(values ? "valued-dictionary" : "dictionary", 0, 0, part);
    }
  }
  // Of more keys some are bumped keys, whose ranks are known only when parts are joined.
  constexpr int kWithBumped = 1200;
  std::ofstream pairs(scratch / "pairs");
  for (int i = 0; i < kWithBumped; ++i) pairs << i << "\tr\n";
  pairs.close();
  deal_records(scratch / "pairs", dealt);
  for (const char* const codec : {"none", "tokens12", "zstd"}) {
    build_store_part(dealt, {}, part, {.codec = codec}, build_options());
    write(directory, "store-" + std::string(codec) + "-bumped", of_bytes({0, 0}),
          base::as_bytes(contents(part)));
  }
}

/// For fuzz_manifest: manifests of the sets that it makes too.
void write_manifests(const Path& directory) {
  const test::TempDirectory scratch;
  for (const Path& manifest : fuzz::make_served_sets(scratch.path()))
    write(directory, manifest.filename(), "", base::as_bytes(contents(manifest)));
}

/// For fuzz_updates, which makes the same stores: their updates as they are, and with what a
/// mutation seldom hits.
void write_updates(const Path& directory) {
  const test::TempDirectory built;
  const std::string sound = contents(fuzz::UpdatedStore(built.path()).updates());
  const auto keep = [&](const char* name, std::size_t place, std::string_view bytes) {
    std::string damaged = sound;
    damaged.replace(place, bytes.size(), bytes);
    write(directory, name, "", base::as_bytes(damaged));
  };
  keep("sound", 0, "");
  const fuzz::UpdatedStore by_block(built.path(), "zstd", {.codec = "zstd"});
  write(directory, "by-block", "", base::as_bytes(contents(by_block.updates())));
  const fuzz::UpdatedStore ordered(built.path(), "ordered", fuzz::kOrdered);
  write(directory, "ordered", "", base::as_bytes(contents(ordered.updates())));
  const fuzz::UpdatedStore flat(built.path(), "flat", fuzz::kFlat);
  std::string of_flat = contents(flat.updates());
  write(directory, "flat", "", base::as_bytes(of_flat));
  // No update of a key of the build can be read, whatever the slots tell of others.
  const std::size_t its_last =
      load<std::uint64_t>(of_flat, 32) < load<std::uint64_t>(of_flat, 512 + 32) ? 512 : 0;
  const std::size_t its_record = load<std::uint64_t>(of_flat, its_last + 40);
  const std::size_t its_run =
      load<std::uint64_t>(of_flat, its_record + records::CommitRecord::kFixedBytes);
  of_flat[its_run + 1] ^= 1;
  write(directory, "flat-damaged", "", base::as_bytes(of_flat));
  const std::size_t last =
      load<std::uint64_t>(sound, 32) < load<std::uint64_t>(sound, 512 + 32) ? 512 : 0;
  keep("unnamed-commit", last, std::string(72, '\0'));
  keep("damaged-slot", last + 33, "x");
  keep("later-version", last + 8, of_bytes({9}));
  const std::size_t record = load<std::uint64_t>(sound, last + 40);
  using records::RunPlace;
  const std::size_t runs = load<std::uint64_t>(sound, record + 40);
  const std::size_t first_run = record + records::CommitRecord::kFixedBytes;
  const std::size_t first_added = first_run + runs * records::CommitRecord::kRunBytes;
  keep("many-runs", record + 40, of_bytes({127}));
  keep("other-entries", record + 8, of_bytes({1}));
  keep("other-removals", record + 16, of_bytes({1}));
  keep("other-bytes", record + 56, of_bytes({1}));
  const std::size_t run = load<std::uint64_t>(sound, first_run);
  const std::size_t entries = load<std::uint64_t>(sound, first_run + 8);
  const std::size_t added = load<std::uint64_t>(sound, first_added);
  keep("run-outside", first_run, little_endian(1'000'000'000, 8));
  keep("long-run", first_run + 8, little_endian(1'000'000'000, 8));
  keep("value-in-itself", run + 6, little_endian(run, 6));
  keep("last-value-in-itself", run + RunPlace::kEntryBytes * (entries - 1) + 6,
       little_endian(run, 6));
  keep("equal-ranks", run + RunPlace::kEntryBytes, std::string_view(sound).substr(run, 6));
  keep("damaged-table", run + RunPlace::kEntryBytes * entries, of_bytes({99}));
  keep("damaged-value", load<std::uint64_t>(sound, run + 6) & 0xffffffffffff, of_bytes({1, 1, 1}));
  keep("damaged-added", added + 2, of_bytes({99}));
  keep("equal-added", added + RunPlace::kAddedBytes + 16,
       std::string_view(sound).substr(added + 16, 6));
  keep("added-outside", added + 16, little_endian(0, 6));
  // A slot, and the head of the commit behind that of the other one.
  std::string damaged = sound;
  const std::size_t end = load<std::uint64_t>(sound, (512 - last) + 48);
  damaged[last + 33] ^= 1;
  damaged[end + 1] ^= 1;
  write(directory, "damaged-end", "", base::as_bytes(damaged));
  write(directory, "cut-short", "", base::as_bytes(sound).first(sound.size() - 1));
}

/// For fuzz_journal: of a set of keys, of one with numbers of lines, and of one with records.
void write_journals(const Path& directory) {
  input::BuildJournal journal;
  journal.choices = "algorithm=fast";
  journal.inputs = {{"keys", 1000, 1}, {"more.gz", 20, -1}};
  journal.hashed_bytes = sizeof(Hash128);
  journal.part_bytes = std::uint64_t{4} << 20;
  journal.parts = 1;
  journal.logged.log_bytes = 8192;
  journal.logged.partitions = {{{{0, 160}, {4096, 16}}, 7}, {{{160, 1600}}, 8}};
  journal.signs = {1, 4};
  write(directory, "keys", "", input::encode(journal));
  journal.units = {{3, 0, 5}, {}};
  write(directory, "numbers", "", input::encode(journal));
  journal.units.clear();
  journal.records = {.pieces = 2, .salt = 5, .log_bytes = 4000, .runs = {{3000, 48}, {3500, 24}}};
  write(directory, "records", "", input::encode(journal));
}

/// For fuzz_minisig: signatures with comments of each sort, the comments alone, known sequences.
void write_signatures_of_files(const Path& directory) {
  trust::SignatureFile signature{.key_id = 7, .comment = "timestamp:1\tfile:keys\thashed"};
  write(directory, "minisign", "", base::as_bytes(trust::encode(signature)));
  trust::Statement statement{.bytes = 1000};
  write(directory, "least", "", base::as_bytes(trust::comment_of(statement)));
  statement = {.bytes = 1000,
               .root = file::Digest{std::byte{1}},
               .records = file::Digest{std::byte{2}},
               .sequence = 17,
               .expires = parse_time("2026-12-07T04:40:01Z")};
  signature.comment = trust::comment_of(statement);
  write(directory, "all", "", base::as_bytes(trust::encode(signature)));
  write(directory, "comment", "", base::as_bytes(signature.comment));
  const std::string known = trust::encode({{"a.crv", 1}, {"b.crv", 20}});
  write(directory, "known", "", base::as_bytes(known));
  write(directory, "known-twice", "", base::as_bytes(known + "1\ta.crv\n"));
  const char* const wrong[] = {
      "2 bytes=1",         "1 bytes=1 ",   "1 size=1",         "1 bytes=x",
      "1 bytes=1 bytes=1", "1 sequence=1", "1 bytes=1 root=0", "1 bytes=1 expires=never"};
  for (std::size_t i = 0; i < std::size(wrong); ++i) {
    write(directory, "comment-" + std::to_string(i), "crivo ",
          base::as_bytes(std::string_view(wrong[i])));
  }
  // A legacy one, another algorithm, no base64, a comment that is too long, and an end too soon.
  const std::string text = trust::encode(signature);
  const std::size_t at = text.find("\nRUQ") + 1;
  write(directory, "legacy", text.substr(0, at) + "RWQ", base::as_bytes(text.substr(at + 3)));
  write(directory, "other", text.substr(0, at) + "RXg", base::as_bytes(text.substr(at + 3)));
  write(directory, "letters", text.substr(0, at) + "!!!", base::as_bytes(text.substr(at + 3)));
  write(directory, "short", "", base::as_bytes(text.substr(0, at)));
  write(directory, "more", text, base::as_bytes(std::string_view("more")));
  signature.comment.append(trust::kMostCommentBytes, 'x');
  write(directory, "long", "", base::as_bytes(trust::encode(signature)));
}

/// For fuzz_remote: filters and maps, and a ribbon with the directory that larger ones have.
void write_remote(const Path& directory) {
  const test::TempDirectory temporary;
  const Path output = temporary.path() / "output";
  const auto keys_of = [](std::uint64_t count) {
    std::vector<std::string> keys;
    for (std::uint64_t i = 0; i < count; ++i) keys.push_back(key(i));
    return keys;
  };
  const auto some = keys_of(3000);
  const auto many = keys_of(25'000);
  build_filter(keys_in(some), output, {}, build_options());
  write(directory, "small", "", base::as_bytes(contents(output)));
  build_map(keys_in(some), output, {.signature_bits = 8}, build_options());
  write(directory, "map", "", base::as_bytes(contents(output)));
  build_filter(keys_in(many), output, {.bits = 12}, build_options());
  const std::string file = contents(output);
  fuzz::FileParts parts = fuzz::take_apart(base::as_bytes(file));
  const base::Bytes ribbon = parts.sections.front().bytes;
  base::Bytes copies;
  file::append({0, base::ByteView(ribbon).first(64), base::ByteView(ribbon).last(40)}, copies);
  parts.sections.push_back({.type = file::kDirectorySection, .bytes = copies});
  write(directory, "directory", "", fuzz::put_together(parts));
  // Of a section that is not there, of more bytes than one has, and of other bytes.
  const auto write_wrong = [&](const char* name, std::size_t place, std::byte value) {
    parts.sections.back().bytes = copies;
    parts.sections.back().bytes[place] = value;
    write(directory, name, "", fuzz::put_together(parts));
  };
  write_wrong("directory-elsewhere", 0, std::byte{9});
  write_wrong("directory-longer", 8 + 3, std::byte{1});
  write_wrong("directory-other", 3 * 8, copies[3 * 8] ^ std::byte{1});
  // What is never read by ranges: a file without a tree, and one that stands for others.
  FileParts other;
  other.header = parts.header;
  for (const file::Kind kind : {file::Kind::totals, file::Kind::manifest}) {
    other.header.kind = static_cast<std::uint32_t>(kind);
    write(directory, "kind-" + std::string(file::kind_name(kind)), "", fuzz::put_together(other));
  }
  // The fuzzer's own files as they are, with what becomes of the cache; and with a change in each.
  constexpr int kFlags = 8;
  for (int set = 0; set < static_cast<int>(kRemoteSets); ++set) {
    const std::string name = "set-" + std::to_string(set);
    write(directory, name, of_bytes({set, set % kFlags}), {});
    write(directory, name + "-again", of_bytes({set, (set + 3) % kFlags}), {});
    for (int change = 0; change < 4; ++change) {
      write(directory, name + "-" + std::to_string(change),
            of_bytes({set, 0, change % 2}) +
                little_endian(500 + 17'000 * static_cast<unsigned>(change), 4) + "\1",
            {});
    }
  }
}

/// For fuzz_output: an output of every way, where nothing is, and in the place of an old one.
void write_outputs(const Path& directory) {
  const std::string faults(12, '\xff');
  const std::string content("\3abc\4defg", 9);
  const std::string things[] = {
      of_bytes({0}),                                // nothing
      of_bytes({1, 0, 0}),                          // an old file
      of_bytes({5, 1, 0, 0, 1, 0, 2, 0, 5, 1, 6}),  // an old directory, and leftovers
  };
  for (int way = 0; way < 5; ++way) {
    for (std::size_t i = 0; i < std::size(things); ++i) {
      write(directory, std::to_string(way) + "-" + std::to_string(i),
            of_bytes({way, i == 0 ? 0 : 1}) + faults + things[i], base::as_bytes(content));
    }
  }
}

/// For fuzz_arguments: command lines of every subcommand.
void write_arguments(const Path& directory) {
  const std::vector<std::string> lines[] = {
      {"--help"},
      {"--version"},
      {"build", "mphf", "keys", "-o", "out", "--algorithm", "compact", "--signature", "16",
       "--threads", "2", "--seed", "7", "--duplicates", "ignore", "--force"},
      {"build", "mphf", "-", "-o", "out", "--null", "--allow-empty", "--json", "--quiet"},
      {"build", "filter", "a", "b", "-o", "out", "--type", "cuckoo", "--fpr", "0.001", "--capacity",
       "1000", "--semi-sorted"},
      {"build", "map", "keys", "-o", "out", "--values", "--compress", "--dry-run"},
      {"build", "store", "records", "--output=out", "--temp-dir", "/tmp", "--progress", "never"},
      {"query", "out", "--key", "a", "--json"},
      {"query", "out", "keys", "--crlf"},
      {"get", "store", "a", "b"},
      {"info", "--json", "out"},
      {"verify", "out", "--keys", "keys", "--values"},
      {"filter", "add", "out", "keys"},
      {"filter", "remove", "out", "keys", "--fixed", "8"},
      {"filter", "union", "a", "b", "-o", "c"},
      {"filter", "diff", "keys", "out", "--maybe"},
      {"filter", "advise", "-n", "1000000", "--fpr", "0.01"},
      {"bench", "out", "--keys", "keys", "--absent", "others"},
      {"gen", "urls", "-n", "100", "--seed", "3"},
  };
  int number = 0;
  for (const std::vector<std::string>& line : lines) {
    std::string bytes;
    for (const std::string& argument : line) bytes += argument + '\0';
    write(directory, std::to_string(number++), "", base::as_bytes(bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: seed_corpus DIR\n";
    return 2;
  }
  try {
    const Path corpus = argv[1];
    write_containers(corpus / "container");
    write_sections(corpus);
    write_groups(corpus);
    write_large_filters(corpus);
    write_cuckoos(corpus);
    for (const std::uint64_t records : {0U, 1U, 200U, 3000U}) write_store(corpus, records);
    write_key_files(corpus / "keys");
    write_pages(corpus / "page");
    write_collections(corpus / "extract");
    write_edits(corpus / "edits");
    write_files(corpus / "file");
    write_larger_files(corpus / "file");
    write_filter_sets(corpus / "file");
    write_rows(corpus / "file");
    write_touched(corpus);
    write_stores(corpus / "store");
    write_odd_records(corpus / "store");
    write_impossible_stores(corpus / "store");
    write_steps(corpus / "part");
    write_manifests(corpus / "manifest");
    write_updates(corpus / "updates");
    write_journals(corpus / "journal");
    write_signatures_of_files(corpus / "minisig");
    write_remote(corpus / "remote");
    write_signed(corpus / "signed");
    write_lists(corpus / "fetch");
    write_lmdb(corpus / "lmdb");
    write_outputs(corpus / "output");
    write_arguments(corpus / "arguments");
    std::filesystem::create_directories(corpus / "foreign");  // whose inputs are kept
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "seed_corpus: " << error.what() << '\n';
    return 1;
  }
}
