# SPDX-License-Identifier: Apache-2.0
# The clang that tools/clang-version finds, for the presets with sanitizers.
if(NOT CMAKE_CXX_COMPILER)
  execute_process(COMMAND "${CMAKE_CURRENT_LIST_DIR}/clang-version" OUTPUT_VARIABLE version
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(CMAKE_C_COMPILER "clang-${version}")
  set(CMAKE_CXX_COMPILER "clang++-${version}")
endif()
