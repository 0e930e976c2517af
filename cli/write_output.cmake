# Writes what a command prints to a file, or no file where it fails. ARGUMENTS: separated by blanks.
separate_arguments(words UNIX_COMMAND "${ARGUMENTS}")
separate_arguments(emulator UNIX_COMMAND "${EMULATOR}")
execute_process(COMMAND ${emulator} ${COMMAND} ${words} OUTPUT_VARIABLE text RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${COMMAND} ${ARGUMENTS}: status ${status}")
endif()
file(WRITE ${OUT} "${text}")
