# Writes OUTPUT, a header with the commit that SOURCE is at, "and changes" where there are some: the program's results
# name what they were measured by. Run at every build; the file changes when the commit does.
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
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define CRIVO_COMMIT \"${commit}\"\n" @ONLY)
