# Warnings for our own code; linked privately, so that nobody who uses a target inherits them. They are errors where
# the project is developed (CI sets the variable below), not for a student whose newer compiler knows more of them.
set(LAB_WARNINGS_AS_ERRORS "$ENV{LAB_WARNINGS_AS_ERRORS}" CACHE BOOL "Compile the course's own code with -Werror")
set(lab_werror "")
if(LAB_WARNINGS_AS_ERRORS)
  set(lab_werror -Werror)
endif()

add_library(lab_warnings INTERFACE)
target_compile_options(lab_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion ${lab_werror})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # g++ 13 takes every reference that a temporary returns for one into it: recording.work_with_id(1).raw()
  target_compile_options(lab_warnings INTERFACE -Wno-dangling-reference)
endif()
