#include <algorithm>
#include <limits>

#include "experiments/dissertation.hpp"
#include "experiments/printed/dissertation.hpp"

namespace crivo::experiments {
namespace {

Json lengths(const KeySet& keys) {
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  std::size_t longest = 0;
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    shortest = std::min(shortest, keys[i].size());
    longest = std::max(longest, keys[i].size());
  }
  const auto bytes = static_cast<double>(keys.text().size() - keys.size());
  return {{"keys", keys.size()},
          {"shortest", shortest},
          {"longest", longest},
          {"mean", bytes / static_cast<double>(keys.size())}};
}

void measure_key_sets(Run& run) {
  run.step("words", [&] { return lengths(run.key_sets().words()); });
  run.step("urls", [&] { return lengths(run.key_sets().urls()); });
}

void report_key_sets(const Results& results, Report& report) {
  report.heading(3, "Table 4.2: the key sets");
  report::Table table({"set", "keys", "shortest", "longest", "mean length", "printed: shortest",
                       "longest", "mean length"});
  const auto add = [&](const std::string& name, const char* id, const printed::KeySet& old) {
    const auto number = [&](const char* field) {
      return report::grouped(static_cast<std::uint64_t>(results.number(id, field)));
    };
    table.add({name, number("keys"), number("shortest"), number("longest"),
               report::fixed(results.number(id, "mean"), 2), report::grouped(old.shortest),
               report::grouped(old.longest), report::fixed(old.mean, 2)});
  };
  add("vocabulary (TREC-VLC2)", "words", printed::kWords);
  add("URLs", "urls", printed::kUrls);
  report.table(table);
  report.paragraph(
      "The document's collections are not to be had. `crivo gen words` and `crivo gen urls` make "
      "keys of the same number, range of lengths and mean length; theirs are the texts that the "
      "functions hash.");
}

}  // namespace

Experiment key_sets_experiment() {
  return {"key-sets", "The key sets (dissertation, section 4.1)", measure_key_sets,
          report_key_sets};
}

}  // namespace crivo::experiments
