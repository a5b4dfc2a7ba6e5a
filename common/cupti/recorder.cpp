#include "recorder.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <trace/another_run.hpp>
#include <unordered_map>
#include <utility>

#include "assemble.hpp"
#include "call_sites.hpp"
#include "device_variables.hpp"
#include "host_accesses.hpp"
#include "kernels.hpp"
#include "not_placed.hpp"
#include "real.hpp"
#include "schedule.hpp"

namespace lab::cupti::recorder {
namespace {

struct state {
  std::recursive_mutex lock;  // a signal may find its own thread inside
  everything_seen seen;
  std::map<std::vector<std::uint64_t>, std::uint32_t> known_stacks{{{}, 0}};
  std::unordered_map<std::string, kernel_signature> known_kernels;
  std::string device;
  int descriptor = -1;
  CUpti_SubscriberHandle subscriber = nullptr;
};

state& all() {
  static state& instance = *new state;
  return instance;
}

std::uint64_t clock_now() {
  timespec time;
  real::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_nsec);
}

/// Set before any constructor of the program's own.
std::uint64_t started = 0;

std::atomic<trace::sequence> in_sequence{0};
std::atomic<int> threads{0};

/// The call in progress on this thread.
thread_local int depth = 0;

/// Never destroyed: at the end of the program its threads' variables go before the last calls come.
seen_call& current_call() {
  thread_local seen_call* const mine = new seen_call;
  return *mine;
}

// --- from a call's arguments to what it means
// -----------------------------------------------------------------------

using interpreter = void (*)(seen_call& call, const void* arguments);

template <class T>
const T& as(const void* arguments) {
  return *static_cast<const T*>(arguments);
}

address number(const volatile void* pointer) {
  return reinterpret_cast<address>(pointer);
}
template <class Handle>
address given_back(Handle* place) {
  return place == nullptr ? 0 : number(*place);
}

trace::copy_direction direction_of(cudaMemcpyKind kind, const void* to, const void* from) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return trace::copy_direction::host_to_device;
    case cudaMemcpyDeviceToHost:
      return trace::copy_direction::device_to_host;
    case cudaMemcpyDeviceToDevice:
      return trace::copy_direction::device_to_device;
    case cudaMemcpyHostToHost:
      return trace::copy_direction::host_to_host;
    default:
      break;
  }
  const auto on_device = [](const void* pointer) {
    cudaPointerAttributes found{};
    return cudaPointerGetAttributes(&found, pointer) == cudaSuccess &&
           (found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged);
  };
  return on_device(to) ? (on_device(from) ? trace::copy_direction::device_to_device
                                          : trace::copy_direction::host_to_device)
                       : (on_device(from) ? trace::copy_direction::device_to_host
                                          : trace::copy_direction::host_to_host);
}

void is_copy(seen_call& call, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  call.what = action::copy;
  call.bytes = bytes;
  call.direction = direction_of(kind, to, from);
  call.touches = {{number(from), bytes, false}, {number(to), bytes, true}};
}

void is_copy_of_rows(seen_call& call, const cudaMemcpy2D_v3020_params& given) {
  is_copy(call, given.dst, given.src, given.width * given.height, given.kind);
  call.touches.clear();
  add_rows(call.touches, number(given.src), given.spitch, given.width, given.height, false);
  add_rows(call.touches, number(given.dst), given.dpitch, given.width, given.height, true);
}

void is_set_of_rows(seen_call& call, const cudaMemset2D_v3020_params& given) {
  call.what = action::memset;
  call.bytes = given.width * given.height;
  add_rows(call.touches, number(given.devPtr), given.pitch, given.width, given.height, true);
}

/// Of a copy that failed the symbol may be none.
void* in_variable(const seen_call& call, const void* symbol, std::size_t offset) {
  if (call.status != cudaSuccess) return nullptr;
  return reinterpret_cast<void*>(device_variables::address_of(symbol) + offset);
}

void is_copy_to_variable(seen_call& call, const cudaMemcpyToSymbol_v3020_params& given) {
  is_copy(call, in_variable(call, given.symbol, given.offset), given.src, given.count, given.kind);
}

void is_copy_from_variable(seen_call& call, const cudaMemcpyFromSymbol_v3020_params& given) {
  is_copy(call, given.dst, in_variable(call, given.symbol, given.offset), given.count, given.kind);
}

void on_stream(seen_call& call, cudaStream_t stream) {
  call.takes_stream = true;
  call.stream = number(stream);
}

/// CUDA 13 has another name for it than 12.
struct elapsed_time_arguments {
  float* ms;
  cudaEvent_t start, end;
};

struct known_function {
  std::string_view name;
  interpreter read;
};

// The per-thread variants of a call (…_ptsz, …_ptds) have the same arguments.
const known_function functions[] = {
    {"cudaLaunchKernel", [](seen_call& call, const void*) { call.what = action::launch; }},
    {"cudaLaunchKernelExC", [](seen_call& call, const void*) { call.what = action::launch; }},
    {"cudaLaunchCooperativeKernel", [](seen_call& call, const void*) { call.what = action::launch; }},
    {"cudaMemcpy",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMemcpy_v3020_params>(arguments);
       is_copy(call, given.dst, given.src, given.count, given.kind);
     }},
    {"cudaMemcpyAsync",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMemcpyAsync_v3020_params>(arguments);
       is_copy(call, given.dst, given.src, given.count, given.kind);
       on_stream(call, given.stream);
     }},
    {"cudaMemcpy2D",
     [](seen_call& call, const void* arguments) {
       is_copy_of_rows(call, as<cudaMemcpy2D_v3020_params>(arguments));
     }},
    {"cudaMemcpy2DAsync",
     [](seen_call& call, const void* arguments) {
       is_copy_of_rows(call, as<cudaMemcpy2D_v3020_params>(arguments));  // the stream lies behind
       on_stream(call, as<cudaMemcpy2DAsync_v3020_params>(arguments).stream);
     }},
    {"cudaMemcpyToSymbol",
     [](seen_call& call, const void* arguments) {
       is_copy_to_variable(call, as<cudaMemcpyToSymbol_v3020_params>(arguments));
     }},
    {"cudaMemcpyToSymbolAsync",
     [](seen_call& call, const void* arguments) {
       is_copy_to_variable(call, as<cudaMemcpyToSymbol_v3020_params>(arguments));
       on_stream(call, as<cudaMemcpyToSymbolAsync_v3020_params>(arguments).stream);
     }},
    {"cudaMemcpyFromSymbol",
     [](seen_call& call, const void* arguments) {
       is_copy_from_variable(call, as<cudaMemcpyFromSymbol_v3020_params>(arguments));
     }},
    {"cudaMemcpyFromSymbolAsync",
     [](seen_call& call, const void* arguments) {
       is_copy_from_variable(call, as<cudaMemcpyFromSymbol_v3020_params>(arguments));
       on_stream(call, as<cudaMemcpyFromSymbolAsync_v3020_params>(arguments).stream);
     }},
    {"cudaMemset2D",
     [](seen_call& call, const void* arguments) {
       is_set_of_rows(call, as<cudaMemset2D_v3020_params>(arguments));
     }},
    {"cudaMemset2DAsync",
     [](seen_call& call, const void* arguments) {
       is_set_of_rows(call, as<cudaMemset2D_v3020_params>(arguments));
       on_stream(call, as<cudaMemset2DAsync_v3020_params>(arguments).stream);
     }},
    {"cudaMemset",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMemset_v3020_params>(arguments);
       call.what = action::memset;
       call.bytes = given.count;
       call.touches = {{number(given.devPtr), given.count, true}};
     }},
    {"cudaMemsetAsync",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMemsetAsync_v3020_params>(arguments);
       call.what = action::memset;
       call.bytes = given.count;
       call.touches = {{number(given.devPtr), given.count, true}};
       on_stream(call, given.stream);
     }},
    {"cudaEventCreate",
     [](seen_call& call, const void* arguments) {
       call.what = action::create_event;
       call.event = given_back(as<cudaEventCreate_v3020_params>(arguments).event);
     }},
    {"cudaEventCreateWithFlags",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaEventCreateWithFlags_v3020_params>(arguments);
       call.what = action::create_event;
       call.event = given_back(given.event);
       call.flags = given.flags;
     }},
    {"cudaEventDestroy",
     [](seen_call& call, const void* arguments) {
       call.what = action::destroy_event;
       call.event = number(as<cudaEventDestroy_v3020_params>(arguments).event);
     }},
    {"cudaEventRecord",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaEventRecord_v3020_params>(arguments);
       call.what = action::record_event;
       call.event = number(given.event);
       on_stream(call, given.stream);
     }},
    {"cudaEventRecordWithFlags",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaEventRecordWithFlags_v11010_params>(arguments);
       call.what = action::record_event;
       call.event = number(given.event);
       on_stream(call, given.stream);
     }},
    {"cudaEventQuery",
     [](seen_call& call, const void* arguments) {
       call.what = action::query_event;
       call.event = number(as<cudaEventQuery_v3020_params>(arguments).event);
     }},
    {"cudaEventSynchronize",
     [](seen_call& call, const void* arguments) {
       call.what = action::synchronize_event;
       call.event = number(as<cudaEventSynchronize_v3020_params>(arguments).event);
     }},
    {"cudaEventElapsedTime",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<elapsed_time_arguments>(arguments);
       call.what = action::elapsed_time;
       call.event = number(given.start);
       call.stop_event = number(given.end);
       if (call.status == cudaSuccess && given.ms != nullptr) call.milliseconds = *given.ms;
     }},
    {"cudaStreamCreate",
     [](seen_call& call, const void* arguments) {
       call.what = action::create_stream;
       call.stream = given_back(as<cudaStreamCreate_v3020_params>(arguments).pStream);
     }},
    {"cudaStreamCreateWithFlags",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaStreamCreateWithFlags_v5000_params>(arguments);
       call.what = action::create_stream;
       call.stream = given_back(given.pStream);
       call.flags = given.flags;
     }},
    {"cudaStreamCreateWithPriority",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaStreamCreateWithPriority_v5050_params>(arguments);
       call.what = action::create_stream;
       call.stream = given_back(given.pStream);
       call.flags = given.flags;
     }},
    {"cudaStreamDestroy",
     [](seen_call& call, const void* arguments) {
       call.what = action::destroy_stream;
       on_stream(call, as<cudaStreamDestroy_v5050_params>(arguments).stream);
     }},
    {"cudaStreamQuery",
     [](seen_call& call, const void* arguments) {
       call.what = action::query_stream;
       on_stream(call, as<cudaStreamQuery_v3020_params>(arguments).stream);
     }},
    {"cudaStreamSynchronize",
     [](seen_call& call, const void* arguments) {
       call.what = action::synchronize_stream;
       on_stream(call, as<cudaStreamSynchronize_v3020_params>(arguments).stream);
     }},
    {"cudaStreamWaitEvent",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaStreamWaitEvent_v3020_params>(arguments);
       call.what = action::wait_event;
       call.event = number(given.event);
       on_stream(call, given.stream);
     }},
    {"cudaDeviceSynchronize", [](seen_call& call, const void*) { call.what = action::synchronize_device; }},
    {"cudaDeviceReset", [](seen_call& call, const void*) { call.what = action::reset_device; }},
    {"cudaLaunchHostFunc",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaLaunchHostFunc_v10000_params>(arguments);
       call.what = action::launch_host_function;
       call.host_function = number(given.userData);
       on_stream(call, given.stream);
     }},
    {"cudaMalloc",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMalloc_v3020_params>(arguments);
       call.what = action::allocate;
       call.memory = given_back(given.devPtr);
       call.bytes = given.size;
     }},
    {"cudaMallocManaged",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMallocManaged_v6000_params>(arguments);
       call.what = action::allocate_managed;
       call.memory = given_back(given.devPtr);
       call.bytes = given.size;
     }},
    {"cudaMallocPitch",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMallocPitch_v3020_params>(arguments);
       call.what = action::allocate;
       call.memory = given_back(given.devPtr);
       call.bytes = call.status == cudaSuccess && given.pitch != nullptr ? *given.pitch * given.height : 0;
     }},
    {"cudaMallocHost",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMallocHost_v3020_params>(arguments);
       call.what = action::allocate_pinned;
       call.memory = given_back(given.ptr);
       call.bytes = given.size;
     }},
    {"cudaHostAlloc",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaHostAlloc_v3020_params>(arguments);
       call.what = action::allocate_pinned;
       call.memory = given_back(given.pHost);
       call.bytes = given.size;
     }},
    {"cudaHostRegister",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaHostRegister_v4000_params>(arguments);
       call.what = action::register_memory;
       call.memory = number(given.ptr);
       call.bytes = given.size;
     }},
    {"cudaHostUnregister",
     [](seen_call& call, const void* arguments) {
       call.what = action::unregister_memory;
       call.memory = number(as<cudaHostUnregister_v4000_params>(arguments).ptr);
     }},
    {"cudaFree",
     [](seen_call& call, const void* arguments) {
       call.what = action::free_memory;
       call.memory = number(as<cudaFree_v3020_params>(arguments).devPtr);
     }},
    {"cudaFreeHost",
     [](seen_call& call, const void* arguments) {
       call.what = action::free_pinned;
       call.memory = number(as<cudaFreeHost_v3020_params>(arguments).ptr);
     }},
    {"cudaMallocAsync",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMallocAsync_v11020_params>(arguments);
       call.what = action::allocate_in_stream;
       call.memory = given_back(given.devPtr);
       call.bytes = given.size;
       on_stream(call, given.hStream);
     }},
    {"cudaMallocFromPoolAsync",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaMallocFromPoolAsync_v11020_params>(arguments);
       call.what = action::allocate_in_stream;
       call.memory = given_back(given.ptr);
       call.bytes = given.size;
       on_stream(call, given.stream);
     }},
    {"cudaFreeAsync",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaFreeAsync_v11020_params>(arguments);
       call.what = action::free_in_stream;
       call.memory = number(given.devPtr);
       on_stream(call, given.hStream);
     }},
};

/// What CUPTI's name for a function says.
struct spelling {
  std::string_view name;    ///< as the manual has it
  bool per_thread = false;  ///< the variant whose stream 0 is the thread's own
  interpreter read = nullptr;
  std::string_view not_placed;  ///< what of its effect the record lacks
  bool recorded = true;
};

/// CUDA 13 launches with __cudaLaunchKernel; cudaEventElapsedTime has become cudaEventElapsedTime_v2.
spelling spelled(std::string_view name) {
  spelling result;
  const auto drop_end = [&](std::string_view end) {
    if (name.size() <= end.size() || name.substr(name.size() - end.size()) != end) return false;
    name.remove_suffix(end.size());
    return true;
  };
  result.per_thread = drop_end("_ptsz") || drop_end("_ptds");
  drop_end("_v2");
  if (name.substr(0, 18) == "__cudaLaunchKernel") name.remove_prefix(2);
  result.recorded = name.substr(0, 2) != "__";
  result.name = name;
  for (const auto& function : functions) {
    if (function.name == name) {
      result.name = function.name;
      result.read = function.read;
    }
  }
  if (result.read == nullptr) result.not_placed = what_is_not_placed(name);
  return result;
}

/// By callback id, filled as they come up.
const spelling& spelling_of(CUpti_CallbackId id, const char* name) {
  static std::map<CUpti_CallbackId, spelling> known;
  const auto found = known.find(id);
  return found != known.end() ? found->second : known.emplace(id, spelled(name)).first->second;
}

// --- callbacks
// ------------------------------------------------------------------------------------------------------

/// The sizes of parameters of a class, which the driver tells from CUDA 12.4 on. CUDA names a kernel in two
/// ways, and there is a function for each.
void ask_sizes(kernel_signature& kernel, void* function) {
  if (kernel.objects.empty()) return;
  using param_info = CUresult (*)(void*, std::size_t, std::size_t*, std::size_t*);
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  for (const char* name : {"cuFuncGetParamInfo", "cuKernelGetParamInfo"}) {
    const auto ask = driver == nullptr ? nullptr : reinterpret_cast<param_info>(dlsym(driver, name));
    for (auto& object : kernel.objects) {
      std::size_t offset = 0, bytes = 0;
      if (ask != nullptr && object.bytes == 0 &&
          ask(function, object.position, &offset, &bytes) == CUDA_SUCCESS) {
        object.bytes = bytes;
      }
    }
  }
}

/// Taken apart once; launches are many, kernels few.
const kernel_signature& signature_of(const char* mangled, void* function = nullptr) {
  const auto known = all().known_kernels.find(mangled);
  if (known != all().known_kernels.end()) return known->second;
  auto& fresh = all().known_kernels.emplace(mangled, read_signature(mangled)).first->second;
  if (function != nullptr) ask_sizes(fresh, function);
  return fresh;
}

/// What a schedule is kept up by is known before the call is made.
void tell_schedule(seen_call& call, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  seen_call asked;
  {
    const std::lock_guard held(all().lock);
    const spelling& called = spelling_of(id, data.functionName);
    call.per_thread = called.per_thread;
    asked = call;
    asked.name = called.name;
    asked.status = cudaErrorNotReady;  // it has given back nothing yet
    if (called.read != nullptr) called.read(asked, data.functionParams);
  }
  schedule::call_begins(asked);
}

void begin_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (depth++ > 0) return;
  host_accesses::end_stretch();
  const void* site = take_call_site();
  seen_call& call = current_call();
  {
    const std::lock_guard held(all().lock);
    call = seen_call();
    call.stack = stack_here(site);
    call.thread = thread_number();
    call.correlations.push_back(data.correlationId);
    call.begun = next_in_sequence();
    call.begin = now();
  }
  if (schedule::is_asked_for()) tell_schedule(call, id, data);
}

/// Whether it belongs in the record. Without a status it asked for a text: cudaGetErrorName and the like.
bool complete(seen_call& call, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const spelling& called = spelling_of(id, data.functionName);
  if (!called.recorded || data.functionReturnValue == nullptr) return false;
  const auto status = *static_cast<const cudaError_t*>(data.functionReturnValue);
  call.returned = next_in_sequence();
  call.name = called.name;
  call.per_thread = called.per_thread;
  call.status = status;
  if (status != cudaSuccess) call.error = cudaGetErrorName(status);
  if (called.read != nullptr) called.read(call, data.functionParams);
  if (call.what == action::launch && call.kernel.empty() && data.symbolName != nullptr) {
    call.kernel = signature_of(data.symbolName).name;
  }
  if (!called.not_placed.empty()) call.not_placed = called.not_placed;
  if (call.what == action::launch && !call.takes_stream) {
    call.not_placed = "launches a kernel whose stream and memory are not recorded";
  }
  // Registered after the runtime's own, so that it runs before the runtime is gone.
  static const int registered = std::atexit([] { finish(true); });
  (void)registered;
  return true;
}

void end_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (depth > 1) {
    --depth;
    return;
  }
  seen_call& call = current_call();
  call.end = now();
  bool recorded;
  {
    const std::lock_guard held(all().lock);
    recorded = complete(call, id, data);
  }
  if (schedule::is_asked_for()) schedule::call_ended(call);
  if (recorded) {
    const std::lock_guard held(all().lock);
    host_accesses::after(call);
    all().seen.calls.push_back(std::move(call));
  }
  depth = 0;  // calls of ours in between are none of the program's
}

/// The driver's launch, below the runtime's: it has the arguments in a form that no CUDA version changes.
struct driver_launch {
  CUfunction kernel;
  CUstream stream;
  void** arguments;
  const CUlaunchConfig* config;  ///< null: it has no attributes
};

constexpr CUpti_driver_api_trace_cbid launches[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                                    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                                    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                                    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                                    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                                    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};

driver_launch launch_of(CUpti_CallbackId id, const void* arguments) {
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
    const auto& given = as<cuLaunchKernelEx_params>(arguments);
    return {given.f, given.config->hStream, given.kernelParams, given.config};
  }
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
      id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz) {
    const auto& given = as<cuLaunchCooperativeKernel_params>(arguments);
    return {given.f, given.hStream, given.kernelParams, nullptr};
  }
  const auto& given = as<cuLaunchKernel_params>(arguments);
  return {given.f, given.hStream, given.kernelParams, nullptr};
}

/// CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, from CUDA 12.3 on
constexpr auto launch_completion_event = static_cast<CUlaunchAttributeID>(12);

/// With these a kernel need not wait for all that is before it in its stream, or records events.
bool has_order_of_its_own(const CUlaunchConfig* config) {
  if (config == nullptr) return false;
  return std::any_of(config->attrs, config->attrs + config->numAttrs, [](const CUlaunchAttribute& each) {
    return (each.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
            each.value.programmaticStreamSerializationAllowed != 0) ||
           each.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT || each.id == launch_completion_event;
  });
}

void begin_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (depth == 0) return;
  seen_call& call = current_call();
  call.correlations.push_back(data.correlationId);
  const driver_launch launch = launch_of(id, data.functionParams);
  call.takes_stream = true;
  call.stream = number(launch.stream);
  if (has_order_of_its_own(launch.config)) {
    call.not_placed =
        "launches a kernel with an order of its own (programmatic attributes), which is not recorded";
  }
  if (schedule::is_asked_for()) schedule::work_begins(call);
  if (data.symbolName == nullptr) return;
  const std::lock_guard held(all().lock);
  const kernel_signature& kernel = signature_of(data.symbolName, launch.kernel);
  call.kernel = kernel.name;
  call.is_annotated = kernel.annotation != nullptr;
  call.touches = memory_of_arguments(kernel, launch.arguments);
}

/// Device times come in buffers. @param wait for the end of what is under way in CUPTI
void collect_times(bool wait) {
  if (wait) cuptiActivityFlushAll(0);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

/// Device times are lost with what a reset destroys.
void save_times_from_reset() {
  cudaDeviceSynchronize();
  collect_times(true);
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* details) {
  const auto& data = *static_cast<const CUpti_CallbackData*>(details);
  const bool enters = data.callbackSite == CUPTI_API_ENTER;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    enters ? begin_call(id, data) : end_call(id, data);
    if (enters && depth == 1 && id == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020) save_times_from_reset();
  } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && enters) {
    begin_launch(id, data);
  }
}

// --- device times
// ---------------------------------------------------------------------------------------------------

// Record types of the toolkit at hand: what is read lies alike in all of them since CUDA 12.0.
#if CUPTI_API_VERSION >= 130000
using kernel_record = CUpti_ActivityKernel10;
using copy_record = CUpti_ActivityMemcpy6;
#else
using kernel_record = CUpti_ActivityKernel9;
using copy_record = CUpti_ActivityMemcpy5;
#endif
using memset_record = CUpti_ActivityMemset4;

constexpr std::size_t buffer_bytes = 4 << 20;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

void add_time(std::uint32_t correlation, std::uint64_t begin, std::uint64_t end) {
  if (begin == 0 && end == 0) return;  // CUPTI's word for "not known"
  auto& time = all().seen.device_times[correlation];
  const auto at = [](std::uint64_t clock) { return static_cast<trace::time_ns>(clock - started); };
  time.begin = time.begin == trace::unfinished ? at(begin) : std::min(time.begin, at(begin));
  time.end = std::max(time.end, at(end));
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
  const std::lock_guard held(all().lock);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto& kernel = *reinterpret_cast<const kernel_record*>(record);
        add_time(kernel.correlationId, kernel.start, kernel.end);
        all().seen.gpus.insert(kernel.deviceId);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& copy = *reinterpret_cast<const copy_record*>(record);
        add_time(copy.correlationId, copy.start, copy.end);
        all().seen.gpus.insert(copy.deviceId);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET: {
        const auto& set = *reinterpret_cast<const memset_record*>(record);
        add_time(set.correlationId, set.start, set.end);
        all().seen.gpus.insert(set.deviceId);
        break;
      }
#if CUPTI_API_VERSION >= 130000
      case CUPTI_ACTIVITY_KIND_CUDA_EVENT: {
        const auto& event = *reinterpret_cast<const CUpti_ActivityCudaEvent2*>(record);
        add_time(event.correlationId, event.deviceTimestamp, event.deviceTimestamp);
        break;
      }
#endif
      default:
        break;
    }
  }
  std::free(buffer);
  std::size_t lost = 0;
  if (cuptiActivityGetNumDroppedRecords(nullptr, 0, &lost) == CUPTI_SUCCESS) all().seen.lost_records += lost;
}

// --- the beginning and the end
// --------------------------------------------------------------------------------------

/// "" where CUPTI does what is asked; else why not, and what helps.
std::string subscribe() {
  const auto refused = [](const char* what, CUptiResult result) {
    const char* text = nullptr;
    cuptiGetResultString(result, &text);
    std::string sentence =
        std::string("CUPTI refuses to ") + what + ": " + (text == nullptr ? "unknown error" : text);
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
      sentence +=
          ". Let users profile: modprobe nvidia NVreg_RestrictProfilingToAdminUsers=0, or run as root";
    } else if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
      sentence += ". Another profiler is attached to the program: run it without";
    }
    return sentence;
  };
  if (const auto result = cuptiSubscribe(&all().subscriber, &on_call, nullptr); result != CUPTI_SUCCESS) {
    return refused("watch the program", result);
  }
  cuptiEnableDomain(1, all().subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  for (const auto launch : launches) {
    cuptiEnableCallback(1, all().subscriber, CUPTI_CB_DOMAIN_DRIVER_API, launch);
  }
  if (const auto result =
          cuptiActivityRegisterTimestampCallback([]() -> std::uint64_t { return clock_now(); });
      result != CUPTI_SUCCESS) {
    return refused("use the host's clock", result);
  }
  cuptiActivityRegisterCallbacks(&give_buffer, &take_buffer);
  // The API's own records are not read; without them nothing has a correlation id.
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER}) {
    if (const auto result = cuptiActivityEnable(kind); result != CUPTI_SUCCESS) {
      return refused("time what the GPU does", result);
    }
  }
#if CUPTI_API_VERSION >= 130000
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  cuptiActivityEnableCudaEventDeviceTimestamps(1);
#endif
  return "";
}

}  // namespace

trace::time_ns now() {
  return static_cast<trace::time_ns>(clock_now() - started);
}

bool enabled() {
  return all().descriptor >= 0;
}

int thread_number() {
  thread_local const int mine = threads++;
  return mine;
}

trace::sequence next_in_sequence() {
  return ++in_sequence;
}

std::uint32_t stack_here(const void* innermost) {
  const auto frames = call_stack(innermost);
  const std::lock_guard held(all().lock);
  const auto [entry, fresh] =
      all().known_stacks.try_emplace(frames, static_cast<std::uint32_t>(all().seen.stacks.size()));
  if (fresh) all().seen.stacks.push_back(frames);
  return entry->second;
}

void add(const seen_clock_read& read) {
  const std::lock_guard held(all().lock);
  all().seen.clock_reads.push_back(read);
}
void add(const seen_pause& pause) {
  const std::lock_guard held(all().lock);
  all().seen.pauses.push_back(pause);
}
void add(const seen_host_access& access) {
  const std::lock_guard held(all().lock);
  all().seen.host_accesses.push_back(access);
}
void add(address name, const host_function_run& run) {
  const std::lock_guard held(all().lock);
  all().seen.host_functions[name] = run;
}

bool inside_cuda() {
  return depth > 0;
}

void start() {
  const char* given = std::getenv("LAB_TRACE_FD");
  schedule::start(given != nullptr);
  if (given == nullptr) return;
  // Out of the way of programs that close or write to low descriptors.
  constexpr int high = 800;
  const int moved = fcntl(std::atoi(given), F_DUPFD_CLOEXEC, high);
  all().descriptor = moved < 0 ? std::atoi(given) : moved;
  if (moved >= 0) close(std::atoi(given));
  unsetenv("LAB_TRACE_FD");
  started = clock_now();
  thread_number();
  all().seen.trouble = subscribe();
}

namespace {

/// With the lock held.
void write_to(int descriptor, bool complete) {
  cudaDeviceProp properties{};
  auto& name = all().device;
  if (name.empty()) name = cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "a GPU";
  all().seen.device = name;
  if (schedule::is_asked_for()) all().seen.order_not_kept = schedule::not_kept();
  if (complete && !all().seen.calls.empty()) all().seen.variables = device_variables::all();
  all().seen.managed_variable = device_variables::managed();
  trace::writer out(name);
  assemble(all().seen, out);
  out.write(descriptor, complete);
}

/// Calls that leave nothing behind but objects and memory. Any other may have changed what the next run
/// finds.
bool leaves_no_settings(const seen_call& call) {
  constexpr std::string_view harmless[] = {
      "cudaGetLastError",         "cudaPeekAtLastError",    "cudaGetDevice",
      "cudaGetDeviceCount",       "cudaDeviceGetAttribute", "cudaGetDeviceProperties",
      "cudaPointerGetAttributes", "cudaMemGetInfo",         "cudaStreamGetFlags",
      "cudaRuntimeGetVersion",    "cudaDriverGetVersion",   "cudaOccupancyMaxActiveBlocksPerMultiprocessor"};
  if (call.what == action::reset_device) return false;
  return call.what != action::other ||
         std::find(std::begin(harmless), std::end(harmless), call.name) != std::end(harmless);
}

}  // namespace

void prepare() {
  depth = 1;  // what is called here is none of the program's
  cudaFree(nullptr);
  depth = 0;
}

bool is_empty() {
  return enabled() && all().seen.calls.empty() && all().seen.clock_reads.empty() && threads == 1;
}

bool begin_another_run() {
  if (!enabled() || !all().seen.trouble.empty() || threads != 1 || schedule::is_asked_for()) return false;
  const auto& calls = all().seen.calls;
  if (!std::all_of(calls.begin(), calls.end(), leaves_no_settings)) return false;
  depth = 1;  // what is called here is none of the program's
  host_accesses::end_stretch();
  const bool idle = cudaDeviceSynchronize() == cudaSuccess;
  if (idle) {
    collect_times(true);
    const std::lock_guard held(all().lock);
    write_to(dup(all().descriptor), true);
    all().seen = {};
    host_accesses::forget_memory();
    all().known_stacks = {{{}, 0}};
    in_sequence = 0;
    started = clock_now();
    cudaGetLastError();
  }
  depth = 0;
  return idle;
}

void finish(bool complete) {
  if (!enabled()) return;
  depth = 1;  // what is called here is none of the program's
  host_accesses::end_stretch();
  if (schedule::is_asked_for()) schedule::program_ends();
  const bool wait = complete && all().seen.trouble.empty();
  if (wait) cudaDeviceSynchronize();  // what is still under way gets its times
  collect_times(wait);
  cuptiUnsubscribe(all().subscriber);
  const std::lock_guard held(all().lock);
  write_to(std::exchange(all().descriptor, -1), complete);
}

}  // namespace lab::cupti::recorder

namespace lab::trace {

void prepare() {
  cupti::recorder::prepare();
}

bool is_empty() {
  return cupti::recorder::is_empty();
}

bool begin_another_run() {
  return cupti::recorder::begin_another_run();
}

}  // namespace lab::trace
