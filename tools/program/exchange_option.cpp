// SPDX-License-Identifier: Apache-2.0
#include "program/exchange_option.hpp"

namespace crivo::cli {

void add_exchange(CLI::App& command, ExchangeCommands& commands, const std::string& what) {
  CLI::Option* get =
      command
          .add_option("--get", commands.get,
                      "without a shared directory: this command (of sh) writes the file that "
                      "$CRIVO_NAME names to its standard output")
          ->type_name("CMD");
  command
      .add_option("--put", commands.put,
                  "this command keeps its standard input under that name: " + what +
                      ", which is then read back by --get and compared")
      ->type_name("CMD")
      ->needs(get);
}

}  // namespace crivo::cli
