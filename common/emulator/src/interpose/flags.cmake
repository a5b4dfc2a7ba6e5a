# What single files of this folder need. Included from common/emulator/CMakeLists.txt, where the target is.
#
# The compiler knows what memcpy and malloc do, and would turn their bodies into calls of themselves.
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/memory.cpp ${CMAKE_CURRENT_LIST_DIR}/heap.cpp ${CMAKE_CURRENT_LIST_DIR}/stacks.cpp
  PROPERTIES COMPILE_OPTIONS -fno-builtin)
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/stdio.cpp PROPERTIES COMPILE_OPTIONS "-fno-builtin;-U_FORTIFY_SOURCE")
