# Included from common/cupti/CMakeLists.txt where there is a CUDA Toolkit.
# A program for a real GPU, built as ./lab run builds one, and what is recorded of it there.
set(sample ${CMAKE_CURRENT_BINARY_DIR}/sample)
add_custom_command(
  OUTPUT ${sample}
  COMMAND ${lab_nvcc} ${lab_cuda_compile_flags} -I${PROJECT_SOURCE_DIR}/common/include -c ${CMAKE_CURRENT_LIST_DIR}/sample.cu -o ${sample}.o
  COMMAND ${CMAKE_CXX_COMPILER} ${lab_cuda_link_flags} ${sample}.o -o ${sample} ${lab_cupti_runtime}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/sample.cu lab_cupti
  COMMENT "Compiling for a real GPU: sample.cu"
  VERBATIM)
add_custom_target(cupti_sample ALL DEPENDS ${sample})
add_executable(cupti_on_gpu_test ${CMAKE_CURRENT_LIST_DIR}/on_gpu_test.cpp)
target_compile_definitions(cupti_on_gpu_test PRIVATE LAB_SAMPLE="${sample}" LAB_SOURCE="${PROJECT_SOURCE_DIR}")
target_link_libraries(cupti_on_gpu_test PRIVATE lab_trace lab_warnings doctest::doctest Threads::Threads)
add_dependencies(cupti_on_gpu_test cupti_sample)
add_test(NAME cupti.on_gpu COMMAND cupti_on_gpu_test)
set_tests_properties(cupti.on_gpu PROPERTIES SKIP_RETURN_CODE 77)

# A schedule is kept up without a GPU too, where the driver only seems to be one.
add_library(cupti_fake_driver SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_driver.cpp)
set_target_properties(cupti_fake_driver PROPERTIES OUTPUT_NAME cuda SOVERSION 1
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_driver)
add_executable(cupti_schedule_test ${CMAKE_CURRENT_LIST_DIR}/schedule_test.cpp ${CMAKE_CURRENT_LIST_DIR}/../captures.cpp
                                   ${CMAKE_CURRENT_LIST_DIR}/../schedule.cpp)
# And what a graph touches is read of one that only seems to be one.
add_executable(cupti_graphs_test ${CMAKE_CURRENT_LIST_DIR}/graphs_test.cpp ${CMAKE_CURRENT_LIST_DIR}/../driver_launch.cpp
                                 ${CMAKE_CURRENT_LIST_DIR}/../graphs.cpp)
foreach(target cupti_schedule_test cupti_graphs_test)
  target_compile_options(${target} PRIVATE -fno-pie)
  # The old kind of path comes before LD_LIBRARY_PATH, where a real driver may be.
  target_link_options(${target} PRIVATE -no-pie -Wl,--disable-new-dtags)
  target_link_libraries(${target} PRIVATE cupti_fake_driver lab_cupti_record lab_warnings doctest::doctest
                                          Threads::Threads ${CMAKE_DL_LIBS})
endforeach()
foreach(target cupti_fake_driver cupti_schedule_test cupti_graphs_test)
  target_include_directories(${target} SYSTEM PRIVATE ${lab_cuda_headers} ${lab_cupti_headers})
endforeach()
add_test(NAME cupti.schedule COMMAND cupti_schedule_test)
add_test(NAME cupti.graphs COMMAND cupti_graphs_test)
