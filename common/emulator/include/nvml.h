#pragma once

#error "nvml.h is not emulated yet: there is no driver to ask; use cudaGetDeviceProperties."
