#include <memory>
#include <string>
#include <vector>

#include "crivo/command.hpp"
#include "crivo/common.hpp"
#include "crivo/error.hpp"
#include "crivo/store.hpp"
#include "util/quote.hpp"

namespace crivo::cli {
namespace {

struct GetOptions {
  std::string path;
  std::vector<std::string> keys;
  bool null = false;
};

int get(const GetOptions& options) {
  const Store store = Store::open(options.path);
  Store::Reader reader(store);
  Output out;
  std::string absent;
  std::size_t absent_keys = 0;
  for (const std::string& key : options.keys) {
    const Store::Answer answer = reader.find(key);
    if (answer.status == Store::Status::damaged) {
      out.flush();
      throw Error(ErrorKind::corrupt, options.path + ": damaged: the record of " + util::quote(key) +
                                          " has not its checksum");
    }
    if (answer.status == Store::Status::absent) {
      if (absent_keys++ == 0) absent = util::quote(key);
      continue;
    }
    out.write(answer.record);
    if (options.null) out.write(std::string_view("\0", 1));
  }
  out.flush();
  if (absent_keys == 0) return 0;
  throw Error(ErrorKind::mismatch,
              options.path + ": no record for " + absent +
                  (absent_keys > 1 ? " and " + std::to_string(absent_keys - 1) + " more keys" : ""));
}

}  // namespace

void add_get(CLI::App& app, Action& action) {
  auto options = std::make_shared<GetOptions>();
  CLI::App* command = app.add_subcommand(
      "get",
      "write the records of keys, byte for byte; exit 1 if a key is absent\n\n"
      "Example: crivo get pages http://a.example/ > page.json");
  command->add_option("DIR", options->path, "a store's directory")->required();
  command->add_option("KEY", options->keys, "keys")->required();
  command->add_flag("-0,--null", options->null, "write a NUL after each record, to tell them apart");
  command->callback([options, &action] { action = [options] { return get(*options); }; });
}

}  // namespace crivo::cli
