# Entry points in front of the whole CUDA runtime API, which note where they were called and go on, and those of the C
# library's functions that read and write memory. Writes
# wrapped_functions.cpp and wrap_options.txt (for the linker) into the build folder.
#
#   cmake -DNM=nm -DLIBRARY=libcudart_static.a -DOUTPUT=folder -DMEMORY_FUNCTIONS=memcpy;... -P wrap_cuda_api.cmake
execute_process(COMMAND ${NM} --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T (cuda[A-Za-z0-9_]+|__cudaLaunchKernel[a-z_]*)" functions "${symbols}")
list(TRANSFORM functions REPLACE " T " "")
list(REMOVE_DUPLICATES functions)
list(LENGTH functions count)
if(count LESS 100)
  message(FATAL_ERROR "${LIBRARY} has ${count} functions of the CUDA runtime API, which cannot be all of them.")
endif()

set(code "// Made by wrap_cuda_api.cmake.\n\n")
set(options "")
foreach(function IN LISTS functions)
  string(APPEND options "--wrap=${function}\n")
  if(NOT function MATCHES "^cudaLaunchHostFunc(_ptsz)?$") # startup.cpp has these
    string(APPEND code
           "asm(\".text\\n.globl __wrap_${function}\\n.type __wrap_${function}, @function\\n\"\n"
           "    \"__wrap_${function}:\\n\\tmovq (%rsp), %r11\\n\\tmovq %r11, %fs:lab_call_site@tpoff\\n\"\n"
           "    \"\\tjmp __real_${function}\\n\");\n")
  endif()
endforeach()
foreach(function IN LISTS MEMORY_FUNCTIONS)
  string(APPEND options "--wrap=${function}\n") # memory_functions.cpp has these
endforeach()
string(APPEND options "--wrap=__cudaRegisterVar\n--wrap=__cudaRegisterManagedVar\n") # device_variables.cpp has these
file(WRITE ${OUTPUT}/wrapped_functions.cpp "${code}")
file(WRITE ${OUTPUT}/wrap_options.txt "${options}")
