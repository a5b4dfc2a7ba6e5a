# cmake -D SOURCE=… -D FOLDER=… -P topics_test.cmake: a half-added lab is told what it lacks, whichever part was first.
include(${SOURCE}/grader/checks/topics.cmake)

set(parts
    labs/02_sample/README.md
    labs/02_sample/exercise.hpp
    labs/02_sample/starter.cu
    labs/02_sample/hints.md
    solutions/02_sample/solution.cu
    grader/checks/02_sample/driver.cu
    grader/checks/02_sample/checks.cpp)

if(ATTEMPT) # the inner call: fails where a part is missing
  lab_find_topics(${FOLDER} topics)
  message("found: ${topics}")
  return()
endif()

foreach(missing IN LISTS parts ITEMS nothing)
  file(REMOVE_RECURSE ${FOLDER})
  foreach(part IN LISTS parts)
    if(NOT part STREQUAL missing)
      file(WRITE ${FOLDER}/${part} "")
    endif()
  endforeach()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${SOURCE} -D FOLDER=${FOLDER} -D ATTEMPT=1 -P ${CMAKE_CURRENT_LIST_FILE}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
  string(REGEX REPLACE "[ \n]+" " " output "${output}") # cmake wraps its messages
  if(missing STREQUAL nothing)
    set(wanted "found: 02_sample")
  else()
    set(wanted "The lab 02_sample is half added: create ${missing},")
  endif()
  string(FIND "${output}" "${wanted}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "without ${missing} expected \"${wanted}\", got: ${output}")
  endif()
endforeach()
file(REMOVE_RECURSE ${FOLDER})
