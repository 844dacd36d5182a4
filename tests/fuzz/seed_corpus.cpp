/// Writes sound inputs for the fuzz targets: seed_corpus DIR fills DIR/mphf, DIR/filter,
/// DIR/container.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "file/container.hpp"
#include "file/section_types.hpp"
#include "filter/filter.hpp"
#include "mphf/function.hpp"
#include "support/hashes.hpp"

namespace {

using namespace crivo;

constexpr std::uint64_t kCounts[] = {0, 1, 2, 100, 3000, 25000};

/// One input: the byte that chooses the algorithm or type, then its section.
void write(const std::filesystem::path& directory, const std::string& name, std::size_t choice,
           file::ByteView section) {
  std::filesystem::create_directories(directory);
  std::ofstream out(directory / name, std::ios::binary);
  out.put(static_cast<char>(choice));
  out << file::as_text(section);
  if (!out.flush()) throw std::runtime_error("cannot write " + (directory / name).string());
}

void write_containers(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  for (const std::uint32_t sections : {0U, 1U, 3U}) {
    file::ContainerWriter writer(directory / std::to_string(sections), file::IfExists::replace);
    for (std::uint32_t i = 0; i < sections; ++i) {
      writer.begin_section(file::kFirstSkippable + 100 + i)
          .append(file::as_bytes(std::string(70 * i, 'x')));
    }
    writer.finish(file::Header{}, {{"name", "value"}});
  }
}

void write_sections(const std::filesystem::path& corpus) {
  util::Progress progress;
  const util::BuildContext context{1, progress};
  for (const std::uint64_t count : kCounts) {
    const auto hashes = keys::SortedHashes::from_unsorted(test::random_hashes(count));
    for (std::size_t i = 0; i < mphf::algorithms().size(); ++i) {
      file::MemorySink sink;
      mphf::algorithms()[i].build(hashes, context, sink);
      write(corpus / "mphf", std::to_string(i) + "-" + std::to_string(count), i, sink.view());
    }
    for (std::size_t i = 0; i < filter::types().size(); ++i) {
      for (const unsigned bits : {1U, 8U, 13U}) {
        file::MemorySink sink;
        filter::types()[i].build(hashes, bits, context, sink);
        write(corpus / "filter",
              std::to_string(i) + "-" + std::to_string(count) + "-" + std::to_string(bits), i,
              sink.view());
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: seed_corpus DIR\n";
    return 2;
  }
  try {
    write_sections(argv[1]);
    write_containers(std::filesystem::path(argv[1]) / "container");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "seed_corpus: " << error.what() << '\n';
    return 1;
  }
}
