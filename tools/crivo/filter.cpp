#include "crivo/command.hpp"

namespace crivo::cli {

void add_filter_command(CLI::App& app, Action& action) {
  CLI::App* filter = app.add_subcommand("filter", "choose a filter");
  filter->require_subcommand(1);
  add_filter_advise(*filter, action);
}

}  // namespace crivo::cli
