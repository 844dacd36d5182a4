// SPDX-License-Identifier: Apache-2.0
// Calls one function of the library, as a program that knows of crivo::Error alone: anything else
// that leaves the library ends it by a signal. Lookups must allocate nothing (fault_library.c
// counts it).
//
//   library_user OPERATION PATH...

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "program/exit_code.hpp"

namespace {

using Paths = std::vector<std::filesystem::path>;
/// What is called; the caller's own part was done before.
using Call = std::function<void()>;

constexpr std::size_t kKeys = 300;

/// Keys of lengths up to 300, made before main() like all that is the test's own.
struct Keys {
  Keys() {
    for (std::size_t i = 0; i < kKeys; ++i) {
      texts.push_back(i % 2 == 0 ? "key " + std::to_string(i) : std::string(i, 'k'));
      numbers.push_back(i);
    }
    views.assign(texts.begin(), texts.end());
  }
  std::vector<std::string> texts;
  std::vector<std::string_view> views;
  std::vector<std::uint64_t> numbers;
};
const Keys kSome;
const int kCounter = ::open(std::getenv("CRIVO_FAULT_COUNT"), O_RDONLY);
std::array<std::uint64_t, kKeys> numbers_found;
std::array<bool, kKeys> answers;

/// Ends the run with exit 70 if what happens while it lives allocates.
class NoAllocations {
 public:
  NoAllocations() : before_(count()) {}
  ~NoAllocations() {
    if (count() != before_) std::_Exit(70);
  }
  NoAllocations(const NoAllocations&) = delete;
  NoAllocations& operator=(const NoAllocations&) = delete;

 private:
  static std::uint64_t count() {
    std::uint64_t calls = 0;
    if (::pread(kCounter, &calls, sizeof calls, 0) != sizeof calls) std::_Exit(71);
    return calls;
  }

  std::uint64_t before_;
};

Call look_up_ranks(const Paths& paths) {
  return [path = paths.at(0)] {
    const crivo::Mphf mphf = crivo::Mphf::open(path);
    const NoAllocations none;
    mphf.lookup(kSome.views, numbers_found);
    mphf.lookup(kSome.numbers, numbers_found);
    for (const std::string_view key : kSome.views) numbers_found[0] += mphf.lookup(key);
  };
}

Call look_up_members(const Paths& paths) {
  return [path = paths.at(0)] {
    const crivo::Filter filter = crivo::Filter::open(path);
    const NoAllocations none;
    filter.contains(kSome.views, answers);
    filter.contains(kSome.numbers, answers);
    for (const std::string_view key : kSome.views) answers[0] ^= filter.contains(key);
  };
}

Call look_up_values(const Paths& paths) {
  return [path = paths.at(0)] {
    const crivo::Map map = crivo::Map::open(path);
    const NoAllocations none;
    map.lookup(kSome.views, numbers_found, answers);
    map.lookup(kSome.numbers, numbers_found, answers);
    for (const std::string_view key : kSome.views) {
      numbers_found[0] += map.lookup(key).value_or(0);
    }
  };
}

Call look_up_records(const Paths& paths) {
  const crivo::Store::Reader::Visit visit = [](std::size_t i, const crivo::Store::Answer& answer) {
    numbers_found[i] = answer.record.size();
  };
  return [path = paths.at(0), visit] {
    const crivo::Store store = crivo::Store::open(path);
    crivo::Store::Reader reader(store);
    const NoAllocations none;
    reader.find(kSome.views, visit);
    for (const std::string_view key : kSome.views)
      numbers_found[0] += reader.find(key).record.size();
  };
}

Call list_names(const Paths&) {
  return [] {
    const NoAllocations none;
    numbers_found[0] = crivo::mphf_algorithms().size() + crivo::map_algorithms().size() +
                       crivo::filter_types().size() + crivo::key_hashes().size();
  };
}

crivo::KeyInput lines(const std::filesystem::path& path) {
  return {{path.string()}, {}};
}

/// A build of the default algorithm, from the first path to the second.
template <typename Options>
Call building(crivo::BuildSummary (*build)(const crivo::KeyInput&, const crivo::Output&,
                                           const Options&, const crivo::BuildOptions&),
              const Paths& paths) {
  crivo::BuildOptions options;
  options.replace = true;
  options.resources.threads = 2;
  return [build, input = lines(paths.at(0)), out = paths.at(1), kind = Options(), options] {
    build(input, out, kind, options);
  };
}

const std::map<std::string, Call (*)(const Paths&)> kOperations{
    {"ranks", look_up_ranks},
    {"members", look_up_members},
    {"values", look_up_values},
    {"records", look_up_records},
    {"names", list_names},
    {"build-mphf", [](const Paths& p) { return building(crivo::build_mphf, p); }},
    {"build-filter", [](const Paths& p) { return building(crivo::build_filter, p); }},
    {"build-map", [](const Paths& p) { return building(crivo::build_map, p); }},
    {"build-store", [](const Paths& p) { return building(crivo::build_store, p); }},
    {"add",
     [](const Paths& p) -> Call {
       return [path = p.at(0), input = lines(p.at(1))] { (void)crivo::add_to_filter(path, input); };
     }},
    {"unite",
     [](const Paths& p) -> Call {
       return [inputs = Paths{p.at(0), p.at(0)}, out = p.at(1)] {
         (void)crivo::unite_filters(inputs, out, true);
       };
     }},
    {"inspect",
     [](const Paths& p) -> Call { return [path = p.at(0)] { (void)crivo::inspect(path); }; }},
    {"verify",
     [](const Paths& p) -> Call {
       return [path = p.at(0), input = lines(p.at(1))] {
         (void)crivo::verify_keys(path, input, {.resources = {.threads = 2}});
       };
     }},
};

Call prepared(int argc, char** argv) {
  if (argc < 2) std::_Exit(72);
  return kOperations.at(argv[1])(Paths(argv + 2, argv + argc));
}

}  // namespace

int main(int argc, char** argv) {
  Call call;
  try {
    call = prepared(argc, argv);
  } catch (const std::bad_alloc&) {  // the caller's own
    return exit_code(crivo::ErrorKind::io);
  }
  try {
    call();
  } catch (const crivo::Error& error) {
    std::fprintf(stderr, "library_user: %s\n", error.what());
    return exit_code(error.kind());
  }
  return 0;
}
