# Compares what the archive defines for everybody (the C functions that stand in front of libc's) with the list in
# EXPECTED: a function that falls out of the list would silently be libc's again, real clock and all.
execute_process(COMMAND ${NM} --defined-only --extern-only --format=posix ${ARCHIVE}
                OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${NM} could not read ${ARCHIVE}.")
endif()

string(REGEX MATCHALL "[^\n]+" lines "${output}")
set(found "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z_][A-Za-z0-9_]*) T ")
    set(name ${CMAKE_MATCH_1})
    if(NOT name MATCHES "^_Z")
      list(APPEND found ${name})
    endif()
  endif()
endforeach()
file(STRINGS ${EXPECTED} expected REGEX "^[^#]")

set(missing ${expected})
list(REMOVE_ITEM missing ${found})
set(surplus ${found})
list(REMOVE_ITEM surplus ${expected})
if(missing OR surplus)
  message(FATAL_ERROR "The set of interposed functions changed. No longer interposed: ${missing}. New: ${surplus}. "
                      "If this is meant, edit ${EXPECTED}.")
endif()
