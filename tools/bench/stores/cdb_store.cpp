// SPDX-License-Identifier: Apache-2.0
// tinycdb (libcdb-dev).
#include <cdb.h>
#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

#include "bench/stores/store.hpp"

namespace crivo::bench {
namespace {

void check(int result) {
  if (result < 0) throw std::runtime_error("cdb: cannot write or read");
}

int open_file(const std::filesystem::path& directory, int flags) {
  const int file = ::open((directory / "records.cdb").c_str(), flags, 0644);
  check(file);
  return file;
}

void build_cdb(const RecordSet& set, const std::filesystem::path& directory) {
  const int file = open_file(directory, O_RDWR | O_CREAT | O_TRUNC);
  cdb_make maker{};
  check(cdb_make_start(&maker, file));
  for (const auto& [key, record] : set.pairs) {
    check(cdb_make_add(&maker, key.data(), static_cast<unsigned>(key.size()), record.data(),
                       static_cast<unsigned>(record.size())));
  }
  check(cdb_make_finish(&maker));
  ::close(file);
}

class OpenCdb final : public OpenStore {
 public:
  explicit OpenCdb(const std::filesystem::path& directory) : file_(open_file(directory, O_RDONLY)) {
    check(cdb_init(&cdb_, file_));
  }
  ~OpenCdb() override {
    cdb_free(&cdb_);
    ::close(file_);
  }
  OpenCdb(const OpenCdb&) = delete;
  OpenCdb& operator=(const OpenCdb&) = delete;

  std::string_view find(std::string_view key, bool& found) override {
    found = cdb_find(&cdb_, key.data(), static_cast<unsigned>(key.size())) > 0;
    if (!found) return {};
    const unsigned size = cdb_datalen(&cdb_);
    return {static_cast<const char*>(cdb_get(&cdb_, size, cdb_datapos(&cdb_))), size};
  }

 private:
  int file_;
  cdb cdb_{};
};

}  // namespace

void add_cdb_store(std::vector<StoreMethod>& methods) {
  methods.push_back({"tinycdb", build_cdb,
                     [](const auto& directory) { return std::make_unique<OpenCdb>(directory); }});
}

}  // namespace crivo::bench
