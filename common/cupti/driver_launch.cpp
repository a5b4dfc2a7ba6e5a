#include "driver_launch.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "driver.hpp"

namespace lab::cupti {
namespace {

/// CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, from CUDA 12.3 on
constexpr auto launch_completion_event = static_cast<CUlaunchAttributeID>(12);

bool has_order_of_its_own(const CUlaunchConfig& config) {
  return std::any_of(config.attrs, config.attrs + config.numAttrs, [](const CUlaunchAttribute& each) {
    return (each.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
            each.value.programmaticStreamSerializationAllowed != 0) ||
           each.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT || each.id == launch_completion_event;
  });
}

/// The sizes of parameters of a class, which the driver tells from CUDA 12.4 on. CUDA names a kernel in two
/// ways, and there is a function for each.
void ask_sizes(kernel_signature& signature, CUfunction kernel) {
  if (signature.objects.empty()) return;
  using param_info = CUresult(void*, std::size_t, std::size_t*, std::size_t*);
  for (const char* name : {"cuFuncGetParamInfo", "cuKernelGetParamInfo"}) {
    auto* const ask = driver_function<param_info>(name);
    for (auto& object : signature.objects) {
      std::size_t offset = 0, bytes = 0;
      if (ask != nullptr && object.bytes == 0 &&
          ask(kernel, object.position, &offset, &bytes) == CUDA_SUCCESS) {
        object.bytes = bytes;
      }
    }
  }
}

}  // namespace

driver_launch read_driver_launch(CUpti_CallbackId id, const void* arguments) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& given = *static_cast<const cuLaunchKernelEx_params*>(arguments);
      return {given.f, given.config->hStream, given.kernelParams, has_order_of_its_own(*given.config)};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& given = *static_cast<const cuLaunchCooperativeKernel_params*>(arguments);
      return {given.f, given.hStream, given.kernelParams, false};
    }
    default: {
      const auto& given = *static_cast<const cuLaunchKernel_params*>(arguments);
      return {given.f, given.hStream, given.kernelParams, false};
    }
  }
}

const kernel_signature& signature_of(const char* mangled, CUfunction kernel) {
  // Never destroyed: the last calls come when a program's own variables are gone.
  static auto& known = *new std::map<std::string, kernel_signature, std::less<>>;
  const auto found = known.find(std::string_view(mangled));
  if (found != known.end()) return found->second;
  kernel_signature& fresh = known.emplace(mangled, read_signature(mangled)).first->second;
  if (kernel != nullptr) ask_sizes(fresh, kernel);
  return fresh;
}

}  // namespace lab::cupti
