// Every CUDA header that is emulated, forwarders included.
#include <builtin_types.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_device_runtime_api.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_atomic_functions.h>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <device_types.h>
#include <driver_functions.h>
#include <driver_types.h>
#include <host_defines.h>
#include <library_types.h>
#include <math_functions.h>
#include <vector_functions.h>
#include <vector_types.h>

#include <cuda_fp16.hpp>
