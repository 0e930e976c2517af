# Fails the build where the emulator has static initialisers: nothing would ever call them.
execute_process(COMMAND ${READELF} -SW ${PROGRAM} OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
if(sections MATCHES "\\.(init_array|ctors)")
  file(REMOVE ${PROGRAM})
  message(FATAL_ERROR "${PROGRAM} has static initialisers, which never run in a Valgrind tool: use constinit")
endif()
