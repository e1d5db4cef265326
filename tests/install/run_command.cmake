# SPDX-License-Identifier: BSD-3-Clause
#
# run(COMMAND...): runs the command, stores its output in `output`, and fails when it fails.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The program that all ways build: the first lesson, which must print its expected output.
set(LESSON ${SOURCE_DIR}/apps/examples/01_first_model)
function(check_lesson program)
  run(bash ${SOURCE_DIR}/apps/examples/check_output.sh ${program} ${LESSON}.expected)
endfunction()
