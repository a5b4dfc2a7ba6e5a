#include "device_variables.hpp"

#include <cuda_runtime_api.h>

#include "kernels.hpp"

namespace lab::cupti::device_variables {
namespace {

struct registered {
  const void* symbol;
  seen_variable variable;  // where it lies, once that was asked for
};

/// Filled before any constructor of the program's own.
std::vector<registered>& known() {
  static auto& instance = *new std::vector<registered>;
  return instance;
}

std::string& name_of_managed() {
  static auto& instance = *new std::string;
  return instance;
}

}  // namespace

address address_of(const void* symbol) {
  void* found = nullptr;
  if (cudaGetSymbolAddress(&found, symbol) != cudaSuccess) return 0;
  return reinterpret_cast<address>(found);
}

std::vector<seen_variable> all() {
  std::vector<seen_variable> found;
  for (auto& each : known()) {
    if (each.variable.begin == 0) each.variable.begin = address_of(each.symbol);
    if (each.variable.begin != 0) found.push_back(each.variable);
  }
  return found;
}

const std::string& managed() {
  return name_of_managed();
}

}  // namespace lab::cupti::device_variables

extern "C" {

using namespace lab::cupti;

void __real___cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __real___cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);

void __wrap___cudaRegisterVar(void** binary, char* symbol, char* place, const char* name, int external,
                              std::size_t bytes, int constant, int global) {
  device_variables::known().push_back({symbol, {name_of_variable(name), 0, bytes, constant != 0}});
  __real___cudaRegisterVar(binary, symbol, place, name, external, bytes, constant, global);
}
void __wrap___cudaRegisterManagedVar(void** binary, void** symbol, char* place, const char* name,
                                     int external, std::size_t bytes, int constant, int global) {
  device_variables::name_of_managed() = name_of_variable(name);
  __real___cudaRegisterManagedVar(binary, symbol, place, name, external, bytes, constant, global);
}

}  // extern "C"
