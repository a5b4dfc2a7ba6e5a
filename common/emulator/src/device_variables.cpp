#include "device_variables.hpp"

#include <map>

#include "program_image.hpp"
#include "recorder.hpp"

namespace lab::emulator::device_variables {

namespace {

std::map<std::uintptr_t, std::shared_ptr<allocation>>& all() {
  static auto& instance = *new std::map<std::uintptr_t, std::shared_ptr<allocation>>;
  return instance;
}

}  // namespace

allocation* used_around(std::uintptr_t address) {
  const auto after = all().upper_bound(address);
  if (after == all().begin()) return nullptr;
  auto* before = std::prev(after)->second.get();
  return address < before->end() ? before : nullptr;
}

allocation* around(std::uintptr_t address) {
  if (!recorder::enabled() || !in_program_image(address, 1)) return nullptr;
  if (auto* known = used_around(address)) return known;
  const image_symbol* symbol = variable_around(address);
  if (symbol == nullptr) return nullptr;
  auto fresh = std::make_shared<allocation>();
  fresh->begin = symbol->begin;
  fresh->bytes = symbol->end - symbol->begin;
  fresh->forget_written();
  fresh->id = recorder::add_allocation({fresh->bytes,
                                        static_cast<std::uint32_t>(trace::memory_kind::device),
                                        0,
                                        0,
                                        0,
                                        recorder::text_of(name_of_variable(*symbol)),
                                        {}});
  return (all()[fresh->begin] = std::move(fresh)).get();
}

}  // namespace lab::emulator::device_variables
