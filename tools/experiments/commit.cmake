# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a source file that defines what commit.hpp declares: the commit that SOURCE is at. Run at every build; the
# file changes when the commit does.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git -C "${SOURCE}" status --porcelain --untracked-files=no -- src include tools/experiments
                          tools/apps tools/gen OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit " and changes")
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#include "experiments/commit.hpp"

namespace crivo::experiments {
const char* commit() noexcept { return "@commit@"; }
}  // namespace crivo::experiments
]])
