#include "known_calls.hpp"

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <map>

#include "device_variables.hpp"
#include "graphs.hpp"
#include "not_placed.hpp"

namespace lab::cupti {
namespace {

using interpreter = void (*)(seen_call& call, const void* arguments);

template <class T>
const T& as(const void* arguments) {
  return *static_cast<const T*>(arguments);
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

/// Of all the functions that instantiate, the first arguments are alike.
void is_instantiation(seen_call& call, const void* arguments) {
  const auto& given = as<cudaGraphInstantiateWithFlags_v11040_params>(arguments);
  call.what = action::make_graph;
  if (call.status != cudaSuccess) return;
  call.graph = given_back(given.pGraphExec);
  graphs::instantiated(call.graph, given.graph);
}

/// cudaGraphExecKernelNodeSetParams and the like: all of them name the graph first.
void is_change_of_graph(seen_call& call, const void* arguments) {
  call.what = action::make_graph;
  if (call.status == cudaSuccess) graphs::changed(number(as<cudaGraphExec_t>(arguments)));
}

struct readable_function {
  std::string_view name;
  interpreter read;
};

// The per-thread variants of a call (…_ptsz, …_ptds) have the same arguments.
const readable_function functions[] = {
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
    {"cudaStreamBeginCapture",
     [](seen_call& call, const void* arguments) {
       call.what = action::begin_capture;
       on_stream(call, as<cudaStreamBeginCapture_v10000_params>(arguments).stream);
     }},
    {"cudaStreamBeginCaptureToGraph",
     [](seen_call& call, const void* arguments) {
       call.what = action::begin_capture;
       on_stream(call, as<cudaStreamBeginCapture_v10000_params>(arguments).stream);  // more lies behind
     }},
    {"cudaStreamEndCapture",
     [](seen_call& call, const void* arguments) {
       call.what = action::end_capture;
       on_stream(call, as<cudaStreamEndCapture_v10000_params>(arguments).stream);
     }},
    {"cudaGraphInstantiate", &is_instantiation},
    {"cudaGraphInstantiateWithFlags", &is_instantiation},
    {"cudaGraphInstantiateWithParams", &is_instantiation},
    {"cudaGraphUpload",
     [](seen_call& call, const void* arguments) {
       call.what = action::make_graph;
       on_stream(call, as<cudaGraphUpload_v10000_params>(arguments).stream);
     }},
    {"cudaGraphExecUpdate",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaGraphExecUpdate_v10020_params>(arguments);
       call.what = action::make_graph;
       if (call.status == cudaSuccess) graphs::updated(number(given.hGraphExec), given.hGraph);
     }},
    {"cudaGraphExecDestroy",
     [](seen_call& call, const void* arguments) {
       if (call.status == cudaSuccess)
         graphs::destroyed(number(as<cudaGraphExecDestroy_v10000_params>(arguments).graphExec));
     }},
    {"cudaGraphLaunch",
     [](seen_call& call, const void* arguments) {
       const auto& given = as<cudaGraphLaunch_v10000_params>(arguments);
       call.what = action::launch_graph;
       call.graph = number(given.graphExec);
       on_stream(call, given.stream);
       const graphs::content& launched = graphs::of(call.graph);
       call.touches = launched.touches;
       call.is_annotated = launched.is_annotated;
       call.is_timed = launched.is_timed;
       call.not_placed = launched.lack;
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

/// CUDA 13 launches with __cudaLaunchKernel; cudaEventElapsedTime has become cudaEventElapsedTime_v2.
known_call spelled(std::string_view name) {
  known_call result;
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
  const bool changes_graph =
      name == "cudaGraphNodeSetEnabled" ||
      (name.substr(0, 13) == "cudaGraphExec" && name.find("Set") != std::string_view::npos);
  if (changes_graph) result.read = &is_change_of_graph;
  if (result.read == nullptr) result.not_placed = what_is_not_placed(name);
  return result;
}

}  // namespace

const known_call& known_call_of(std::uint32_t id, const char* name) {
  static std::map<std::uint32_t, known_call> known;
  const auto found = known.find(id);
  return found != known.end() ? found->second : known.emplace(id, spelled(name)).first->second;
}

}  // namespace lab::cupti
