# CUDA C++ for the emulated GPU: translate <<<>>>, compile with instrumentation, link with our callbacks.
#
#   lab_add_emulated_object(TARGET file.cu)     an object library
#   lab_add_emulated_program(TARGET file.cu)    a program of its own
#
# The flags stand here once; grader/cli compiles student files with the same ones, through lab-toolchain.json. Version 4
# of DWARF, since addr2line names wrong files in version 5: it counts them from 0 where a function changes none.

set(lab_emulated_compile_flags
    -std=c++17 -D__CUDACC__ -UNDEBUG -O2 -gdwarf-4 -g1 -fno-pie -pthread -fno-omit-frame-pointer
    -fsanitize=thread # compiled in, never linked: the emulator supplies the __tsan_* callbacks
    # expanded inline, or checked by libc, they would escape the callbacks
    -U_FORTIFY_SOURCE -fno-builtin-memcpy -fno-builtin-memset -fno-builtin-memmove -fno-builtin-memcmp
    -fno-builtin-strcpy
    -Wall -Wextra -Wno-unused-parameter -Wno-unknown-pragmas)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND lab_emulated_compile_flags -mllvm -tsan-instrument-read-before-write
       -mllvm -tsan-distinguish-volatile # what polls a flag is no race
       -gdwarf-aranges) # libdw finds the source line of an address through them
else()
  # Fences are callbacks too: that it knows none of its own for them is no matter here.
  list(APPEND lab_emulated_compile_flags --param tsan-distinguish-volatile=1 -Wno-tsan)
endif()

# What nobody set is the same in every run: a handle that was never created, say. g++ has this from version 12 on.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-ftrivial-auto-var-init=pattern lab_sets_variables)
if(lab_sets_variables)
  list(APPEND lab_emulated_compile_flags -ftrivial-auto-var-init=pattern)
endif()

set(lab_emulated_include_dirs
    ${PROJECT_SOURCE_DIR}/common/emulator/include
    ${PROJECT_SOURCE_DIR}/common/include
    ${PROJECT_SOURCE_DIR}/grader)

# A fast linker, where there is one: the link is a fifth of the wait for a verdict.
find_program(lab_lld NAMES ld.lld)
find_program(lab_gold NAMES ld.gold)
set(lab_emulated_link_flags -no-pie -pthread -Wl,--wrap=main)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND lab_lld)
  list(APPEND lab_emulated_link_flags -fuse-ld=lld)
elseif(lab_gold)
  list(APPEND lab_emulated_link_flags -fuse-ld=gold)
endif()

# Headers with launches or __shared__ in them are translated too: where to look for them.
set(lab_translate_folders -I${PROJECT_SOURCE_DIR}/common/include -I${PROJECT_SOURCE_DIR}/grader)

function(lab_translate source output_variable)
  get_filename_component(source ${source} ABSOLUTE)
  file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${source})
  set(output ${PROJECT_BINARY_DIR}/translated/${relative}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND lab-translate ${source} --output ${output} --depfile ${output}.d ${lab_translate_folders} ${ARGN}
    DEPENDS ${source} lab-translate
    DEPFILE ${output}.d
    COMMENT "Translating ${relative}"
    VERBATIM)
  set(${output_variable} ${output} PARENT_SCOPE)
endfunction()

function(lab_add_emulated_object target source)
  lab_translate(${source} translated)
  get_filename_component(folder ${source} DIRECTORY)
  add_library(${target} OBJECT ${translated})
  # in one piece, for CMake would leave out the second -mllvm; with cuda_runtime.h, as nvcc does
  list(JOIN lab_emulated_compile_flags " " flags)
  target_compile_options(${target} PRIVATE "SHELL:${flags} -include cuda_runtime.h")
  # quoted includes of the original keep working
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${folder} ${lab_emulated_include_dirs})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

function(lab_add_emulated_program target source)
  lab_add_emulated_object(${target}_object ${source})
  add_executable(${target} $<TARGET_OBJECTS:${target}_object>)
  target_link_options(${target} PRIVATE ${lab_emulated_link_flags})
  target_link_libraries(${target} PRIVATE lab_emulator_runtime)
endfunction()
