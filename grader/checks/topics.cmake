# The folders are the registry of labs: labs/NN_topic, solutions/NN_topic, grader/checks/NN_topic.

# Stops the configure step unless `file` is there.
function(lab_require root topic file what)
  if(NOT EXISTS ${root}/${file})
    message(FATAL_ERROR "The lab ${topic} is half added: create ${file}, ${what}.")
  endif()
endfunction()

# Sets `result` to the labs' topics, in order. A lab that lacks a part stops the configure step.
function(lab_find_topics root result)
  set(depends CONFIGURE_DEPENDS)
  if(CMAKE_SCRIPT_MODE_FILE) # there is no build to make depend on anything
    set(depends)
  endif()
  set(topics)
  foreach(parent labs solutions grader/checks)
    file(GLOB folders ${depends} RELATIVE ${root}/${parent} ${root}/${parent}/[0-9][0-9]_*)
    list(APPEND topics ${folders})
  endforeach()
  list(REMOVE_DUPLICATES topics)
  list(SORT topics)
  foreach(topic IN LISTS topics)
    lab_require(${root} ${topic} labs/${topic}/README.md "the handout")
    lab_require(${root} ${topic} labs/${topic}/exercise.hpp "the contract: the functions that the student writes")
    lab_require(${root} ${topic} labs/${topic}/starter.cu "the student's file with its gaps")
    lab_require(${root} ${topic} labs/${topic}/hints.md "the hints, headed by the checks' names")
    lab_require(${root} ${topic} solutions/${topic}/solution.cu "the starter with its gaps filled")
    lab_require(${root} ${topic} grader/checks/${topic}/driver.cu "the scenarios that call the student's functions")
    lab_require(${root} ${topic} grader/checks/${topic}/checks.cpp "the checks that judge what they return")
  endforeach()
  set(${result} ${topics} PARENT_SCOPE)
endfunction()
