// SPDX-License-Identifier: Apache-2.0
// The table of choices, as C reads it.
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "capi/call.hpp"
#include "crivo.h"
#include "crivo/build/kinds.hpp"
#include "crivo/error.hpp"

namespace crivo::capi {
namespace {

template <typename Values>
std::string joined(const Values& values) {
  std::string all;
  for (const auto& value : values) {
    if (!all.empty()) all += ' ';
    if constexpr (std::integral<std::remove_cvref_t<decltype(value)>>) {
      all += std::to_string(value);
    } else {
      all += value;
    }
  }
  return all;
}

/// The rows of all kinds, with their texts ending with NUL; kept as long as the program runs.
class Table {
 public:
  Table() {
    for (const KindInfo& kind : kinds()) {
      std::vector<crivo_choice>& rows = rows_[std::string(kind.name)];
      for (const Choice& row : crivo::choices_of(kind.name)) {
        rows.push_back(
            {.struct_size = sizeof(crivo_choice),
             .name = kept(std::string(row.name)),
             .help = kept(std::string(row.help)),
             .type = static_cast<crivo_choice_type>(row.type),
             .initial = kept(row.initial),
             .values = kept(row.names != nullptr ? joined(row.names()) : joined(row.numbers)),
             .takers = kept(std::string(row.takers))});
      }
    }
  }

  const crivo_choice& at(const std::string& kind, std::size_t index) const {
    const auto found = rows_.find(kind);
    if (found == rows_.end()) (void)crivo::choices_of(kind);  // which says what there is
    if (index >= found->second.size())
      throw Error(ErrorKind::usage, "there are only " + std::to_string(found->second.size()) +
                                        " choices of the kind " + kind);
    return found->second[index];
  }

 private:
  const char* kept(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  std::deque<std::string> texts_;
  std::map<std::string, std::vector<crivo_choice>> rows_;
};

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

const char* crivo_kind_name(size_t index) {
  const auto all = kinds();
  return index < all.size() ? all[index].name.data() : nullptr;
}

crivo_status crivo_choice_of(const char* kind, size_t index, crivo_choice* choice) {
  return capi::call([&] {
    capi::check_room(choice, "choice");
    static const capi::Table kTable;
    capi::give(kTable.at(capi::needed(kind, "the kind"), index), choice);
  });
}
