#include "trace/symbols.hpp"

namespace lab::trace {

namespace {

std::string below(const std::filesystem::path& root, const std::filesystem::path& file) {
  if (root.empty()) return file.lexically_normal().string();
  auto relative = file.lexically_normal().lexically_relative(root);
  if (relative.empty() || *relative.begin() == "..") return file.lexically_normal().string();
  return relative.string();
}

/// The emulator's and the system's headers, and what nvcc puts around kernels.
bool is_nobodys_source(const std::string& file) {
  return file.find(".cudafe1.") != std::string::npos ||
         file.find("common/emulator/include/") != std::string::npos ||
         file.find("common/emulator/src/") != std::string::npos || file.rfind("/usr/", 0) == 0;
}

}  // namespace

void symbols::prepare(const std::vector<std::uint64_t>& return_addresses) {
  std::vector<call_stack::frames*> unknown;
  std::vector<std::uint64_t> calls;
  for (const auto address : return_addresses) {
    const auto [entry, fresh] = known_.try_emplace(address);
    if (!fresh) continue;
    unknown.push_back(&entry->second);
    calls.push_back(address - 1);  // within the call, not after it
  }
  if (calls.empty()) return;
  const auto found = look_up(calls);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (auto place : found[i]) {
      if (is_nobodys_source(place.file)) continue;
      place.file = below(root_, place.file);
      unknown[i]->push_back(std::move(place));
    }
  }
}

const call_stack::frames& symbols::at(std::uint64_t return_address) {
  auto known = known_.find(return_address);
  if (known == known_.end()) {
    prepare({return_address});
    known = known_.find(return_address);
  }
  return known->second;
}

}  // namespace lab::trace
