# Manual pages and completions are written by the command itself, so that they say what it takes.
include(GNUInstallDirs)
set(manual ${CMAKE_BINARY_DIR}/share/man/man1)
set(completions ${CMAKE_BINARY_DIR}/share/completions)
set(described "")
# Built for another architecture, it runs on what the toolchain file names for that.
string(REPLACE ";" " " emulator "${CMAKE_CROSSCOMPILING_EMULATOR}")
function(roofmark_described file)
  string(REPLACE ";" " " arguments "${ARGN}")
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DCOMMAND=$<TARGET_FILE:roofmark> "-DEMULATOR=${emulator}" "-DARGUMENTS=${arguments}" -DOUT=${file}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/write_output.cmake
    DEPENDS roofmark ${CMAKE_CURRENT_SOURCE_DIR}/write_output.cmake VERBATIM)
  set(described ${described} ${file} PARENT_SCOPE)
endfunction()

roofmark_described(${manual}/roofmark.1 manual)
foreach(command ${roofmark_commands})
  roofmark_described(${manual}/roofmark-${command}.1 manual ${command})
endforeach()
roofmark_described(${completions}/roofmark.bash completion bash)
roofmark_described(${completions}/_roofmark completion zsh)
roofmark_described(${completions}/roofmark.fish completion fish)
add_custom_target(roofmark_manual ALL DEPENDS ${described})

install(DIRECTORY ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${completions}/roofmark.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME roofmark)
install(FILES ${completions}/_roofmark DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${completions}/roofmark.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
