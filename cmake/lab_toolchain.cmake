# What the `lab` command needs to compile student files: a precompiled header, and lab-toolchain.json with the
# compiler, the flags and the built parts. Include it after every subdirectory.
#
#   lab_ready   the target that ./lab builds: the command and all that a check needs, without the project's tests

# --- the precompiled header, made with the very flags student files get ----------------------------------------------

set(lab_pch_header ${PROJECT_BINARY_DIR}/precompiled/lab_precompiled.hpp)
configure_file(${PROJECT_SOURCE_DIR}/grader/cli/precompiled.hpp ${lab_pch_header} COPYONLY)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(lab_pch_output ${lab_pch_header}.pch)
else()
  set(lab_pch_output ${lab_pch_header}.gch)
endif()
list(TRANSFORM lab_emulated_include_dirs PREPEND "-I" OUTPUT_VARIABLE lab_pch_includes)
add_custom_command(
  OUTPUT ${lab_pch_output}
  COMMAND ${CMAKE_CXX_COMPILER} ${lab_emulated_compile_flags} ${lab_pch_includes} -MD -MF ${lab_pch_output}.d -MT
          ${lab_pch_output} -x c++-header ${lab_pch_header} -o ${lab_pch_output}
  DEPENDS ${lab_pch_header}
  DEPFILE ${lab_pch_output}.d
  COMMENT "Precompiling the headers of exercises"
  VERBATIM)
add_custom_target(lab_precompiled_header DEPENDS ${lab_pch_output})

# --- lab-toolchain.json ----------------------------------------------------------------------------------------------

# A JSON list of strings. $<TARGET_OBJECTS:...> gives several; everything else is one string, commas and all.
function(lab_json_list output)
  set(strings "")
  foreach(item IN LISTS ARGN)
    if(item MATCHES "TARGET_OBJECTS")
      set(item "$<JOIN:${item},\", \">")
    endif()
    list(APPEND strings "\"${item}\"")
  endforeach()
  string(JOIN ", " strings ${strings})
  set(${output} "[${strings}]" PARENT_SCOPE)
endfunction()

file(GLOB lab_folders CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/labs ${PROJECT_SOURCE_DIR}/labs/[0-9]*)
set(lab_entries "")
set(lab_parts "")
foreach(lab IN LISTS lab_folders)
  lab_json_list(objects $<TARGET_OBJECTS:exercise_driver_${lab}>)
  list(APPEND lab_entries
       "\n    \"${lab}\": {\"driver_objects\": ${objects}, \"checks\": \"$<TARGET_FILE:checks_${lab}>\"}")
  list(APPEND lab_parts exercise_driver_${lab} checks_${lab})
endforeach()
string(JOIN "," lab_entries ${lab_entries})

# What target_link_libraries(... lab_emulator_runtime) would give, for a link that CMake does not do.
function(lab_link_items target output)
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  get_target_property(options ${target} INTERFACE_LINK_OPTIONS)
  set(items "")
  if(options)
    list(APPEND items ${options})
  endif()
  foreach(library IN LISTS libraries)
    if(library STREQUAL "Threads::Threads")
      list(APPEND items -pthread)
    elseif(TARGET ${library})
      list(APPEND items $<TARGET_FILE:${library}>)
    elseif(library MATCHES "^[-/]")
      list(APPEND items ${library})
    else()
      list(APPEND items -l${library})
    endif()
  endforeach()
  set(${output} ${items} PARENT_SCOPE)
endfunction()

lab_link_items(lab_emulator_runtime lab_emulator_items)
lab_json_list(lab_json_compile_flags ${lab_emulated_compile_flags})
lab_json_list(lab_json_include_folders ${lab_emulated_include_dirs})
lab_json_list(lab_json_link_flags ${lab_emulated_link_flags})
lab_json_list(lab_json_exercise_objects $<TARGET_OBJECTS:lab_exercise_main> $<TARGET_FILE:lab_exercise>)
lab_json_list(lab_json_runtime ${lab_emulator_items})

# --- the same for a real GPU, where there is a CUDA Toolkit -----------------------------------------------------------

set(lab_cuda_entry "null")
if(lab_nvcc)
  set(lab_cuda_include_dirs ${PROJECT_SOURCE_DIR}/common/include ${PROJECT_SOURCE_DIR}/grader)
  list(TRANSFORM lab_cuda_include_dirs PREPEND "-I" OUTPUT_VARIABLE lab_cuda_includes)
  set(lab_cuda_drivers "")
  set(lab_cuda_objects "")
  foreach(lab IN LISTS lab_folders)
    set(driver ${PROJECT_SOURCE_DIR}/grader/checks/${lab}/driver.cu)
    set(object ${PROJECT_BINARY_DIR}/cuda/driver_${lab}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${lab_nvcc} ${lab_cuda_compile_flags} ${lab_cuda_includes} -I${PROJECT_SOURCE_DIR}/labs/${lab} -MD -MF
              ${object}.d -c ${driver} -o ${object}
      DEPENDS ${driver}
      DEPFILE ${object}.d
      COMMENT "Compiling for a real GPU: the driver of ${lab}"
      VERBATIM)
    list(APPEND lab_cuda_objects ${object})
    lab_json_list(objects ${object} $<TARGET_OBJECTS:lab_exercise_data_end>)
    list(APPEND lab_cuda_drivers "\n      \"${lab}\": ${objects}")
  endforeach()
  add_custom_target(lab_cuda_parts DEPENDS ${lab_cuda_objects})
  add_dependencies(lab_cuda_parts lab_cupti lab_exercise_data_begin lab_exercise_data_end)
  list(APPEND lab_parts lab_cuda_parts)
  string(JOIN "," lab_cuda_drivers ${lab_cuda_drivers})
  lab_json_list(lab_json_cuda_compile_flags ${lab_cuda_compile_flags})
  lab_json_list(lab_json_cuda_include_folders ${lab_cuda_include_dirs})
  get_target_property(lab_staying_link_flag lab_exercise_data_begin INTERFACE_LINK_OPTIONS)
  lab_json_list(lab_json_cuda_link_flags ${lab_cuda_link_flags} ${lab_staying_link_flag} $<TARGET_OBJECTS:lab_exercise_data_begin>)
  lab_json_list(lab_json_cuda_runtime ${lab_cupti_runtime})
  set(lab_cuda_entry "{
    \"nvcc\": \"${lab_nvcc}\",
    \"compile_flags\": ${lab_json_cuda_compile_flags},
    \"include_folders\": ${lab_json_cuda_include_folders},
    \"link_flags\": ${lab_json_cuda_link_flags},
    \"runtime_libraries\": ${lab_json_cuda_runtime},
    \"driver_objects\": {${lab_cuda_drivers}
    }
  }")
endif()

file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/lab-toolchain.json CONTENT
"{
  \"version\": \"${PROJECT_VERSION}\",
  \"source_folder\": \"${PROJECT_SOURCE_DIR}\",
  \"compiler\": \"${CMAKE_CXX_COMPILER}\",
  \"compiler_id\": \"${CMAKE_CXX_COMPILER_ID}\",
  \"compile_flags\": ${lab_json_compile_flags},
  \"include_folders\": ${lab_json_include_folders},
  \"precompiled_header\": \"${lab_pch_header}\",
  \"link_flags\": ${lab_json_link_flags},
  \"exercise_objects\": ${lab_json_exercise_objects},
  \"runtime_libraries\": ${lab_json_runtime},
  \"labs\": {${lab_entries}
  },
  \"cuda\": ${lab_cuda_entry}
}
")

add_custom_target(lab_ready)
add_dependencies(lab_ready lab-cli lab_precompiled_header lab_emulator_runtime lab_exercise lab_exercise_main ${lab_parts})
# For plain `cmake --build`, which builds all.
add_custom_target(lab_ready_by_default ALL)
add_dependencies(lab_ready_by_default lab_ready)
