# lab_not_emulated(NAME CODE SENTENCE [INCLUDE]): a program with CODE in its body fails to compile, with SENTENCE.
function(lab_not_emulated name code sentence)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/not_emulated/${name}.cpp)
  set(include cuda_runtime.h)
  if(ARGC GREATER 3)
    set(include ${ARGV3})
  endif()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include <@include@>
@code@
]])
  add_test(NAME headers.not_emulated.${name} COMMAND ${compile} -std=c++17 ${source})
  set_tests_properties(headers.not_emulated.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${sentence}")
endfunction()

# The line is the program's: line 2 of the generated file.
function(lab_not_emulated_call name code sentence)
  lab_not_emulated(${name} "void program(cudaStream_t stream) { (void)stream, ${code}; }"
    "${name}.cpp:2:.*error: .*${sentence}" ${ARGN})
endfunction()

lab_not_emulated_call(graph "cudaGraphLaunch(nullptr, stream)" "cudaGraphLaunch is not emulated yet: ")
lab_not_emulated_call(capture "cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)"
  "cudaStreamBeginCapture is not emulated yet: ")
lab_not_emulated_call(callback "cudaStreamAddCallback(stream, nullptr, nullptr, 0)"
  "cudaStreamAddCallback is not emulated yet: use cudaLaunchHostFunc")
lab_not_emulated_call(pool "cudaMemPoolDestroy(nullptr)" "cudaMemPoolDestroy is not emulated yet: ")
lab_not_emulated_call(managed "cudaMallocManaged(static_cast<float**>(nullptr), 4)"
  "cudaMallocManaged is not emulated yet: ")
lab_not_emulated_call(peer "cudaDeviceEnablePeerAccess(1, 0)" "cudaDeviceEnablePeerAccess is not emulated yet: ")
lab_not_emulated_call(texture "cudaFreeArray(nullptr)" "cudaFreeArray is not emulated yet: ")
lab_not_emulated_call(copy_3d "cudaMemcpy3D(nullptr)" "cudaMemcpy3D is not emulated yet: ")
lab_not_emulated_call(process "cudaIpcGetMemHandle(nullptr, nullptr)" "cudaIpcGetMemHandle is not emulated yet: ")
lab_not_emulated_call(cooperative "cudaLaunchCooperativeKernel(program, 1, 1, nullptr, 0, stream)"
  "cudaLaunchCooperativeKernel is not emulated yet: ")
lab_not_emulated_call(shuffle "__shfl_down_sync(0xffffffff, 1.0f, 16)" "__shfl_down_sync is not emulated yet: ")
lab_not_emulated_call(vote "__any_sync(0xffffffff, 1)" "__any_sync is not emulated yet: ")
lab_not_emulated_call(syncwarp "__syncwarp()" "__syncwarp is not emulated yet: ")
lab_not_emulated_call(rounding "__fadd_rz(1.0f, 2.0f)" "__fadd_rz is not emulated yet: ")
lab_not_emulated_call(blas "cublasSaxpy(1, 2, 3)" "cublasSaxpy is not emulated yet: " cublas_v2.h)
lab_not_emulated_call(driver "cuInit(0)" "cuInit is not emulated yet: " cuda.h)

lab_not_emulated(managed_variable "__managed__ int counter;" "managed_variable.cpp:2:.*__managed__ is not emulated yet: ")
lab_not_emulated(cluster "__global__ void __cluster_dims__(2, 1, 1) kernel() {}" "__cluster_dims__ is not emulated: ")
foreach(header cooperative_groups.h cub/cub.cuh cuda/atomic cufft.h curand.h curand_kernel.h mma.h nvToolsExt.h
    thrust/device_vector.h)
  string(MAKE_C_IDENTIFIER ${header} name)
  lab_not_emulated(${name} "" "${header} is not emulated yet: " ${header})
endforeach()

# A wrapper that nobody calls does no harm.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/unused_wrapper.cpp
  "#include <cuda_runtime.h>\ninline cudaError_t replay(cudaGraphExec_t graph) { return cudaGraphLaunch(graph, nullptr); }\n")
add_test(NAME headers.not_emulated.unused_wrapper COMMAND ${compile} -std=c++17 ${CMAKE_CURRENT_BINARY_DIR}/unused_wrapper.cpp)

# A default for the whole file, which would rename half the runtime.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/per_thread_by_default.cpp "#include <cuda_runtime.h>\n")
add_test(NAME headers.not_emulated.per_thread_by_default COMMAND ${compile} -std=c++17
  -DCUDA_API_PER_THREAD_DEFAULT_STREAM ${CMAKE_CURRENT_BINARY_DIR}/per_thread_by_default.cpp)
set_tests_properties(headers.not_emulated.per_thread_by_default PROPERTIES
  PASS_REGULAR_EXPRESSION "CUDA_API_PER_THREAD_DEFAULT_STREAM is not emulated yet: name the stream")
