#include "program_image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <trace/names.hpp>
#include <vector>

namespace lab::emulator {

namespace {

struct everything {
  std::vector<image_symbol> functions, variables;  // by address
};

/// Not position-independent, so that the file's addresses are those of the process. The mapping stays: the
/// names lie in it.
everything read_symbols() {
  everything found;
  struct stat status {};
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) return found;
  const void* mapped =
      mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return found;
  const auto* bytes = static_cast<const char*>(mapped);
  const auto* head = reinterpret_cast<const Elf64_Ehdr*>(bytes);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes + head->e_shoff);
  const auto name_of = [&](const Elf64_Shdr& section) {
    return std::string_view(bytes + sections[head->e_shstrndx].sh_offset + section.sh_name);
  };
  for (unsigned i = 0; i < head->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(bytes + sections[i].sh_offset);
    const char* names = bytes + sections[sections[i].sh_link].sh_offset;
    for (std::size_t n = 0; n < sections[i].sh_size / sizeof *symbols; ++n) {
      const Elf64_Sym& symbol = symbols[n];
      if (symbol.st_size == 0 || symbol.st_shndx >= head->e_shnum) continue;
      const std::string_view section = name_of(sections[symbol.st_shndx]);
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      auto* list = type == STT_FUNC                                                  ? &found.functions
                   : type == STT_OBJECT && (section == ".data" || section == ".bss") ? &found.variables
                                                                                     : nullptr;
      if (list == nullptr) continue;
      list->push_back({symbol.st_value, symbol.st_value + symbol.st_size, names + symbol.st_name});
    }
  }
  const auto by_address = [](const image_symbol& a, const image_symbol& b) { return a.begin < b.begin; };
  std::stable_sort(found.functions.begin(), found.functions.end(), by_address);
  std::stable_sort(found.variables.begin(), found.variables.end(), by_address);
  return found;
}

const everything& all() {
  static const everything& instance = *new everything(read_symbols());
  return instance;
}

const image_symbol* around(const std::vector<image_symbol>& symbols, std::uintptr_t address) {
  const auto after =
      std::upper_bound(symbols.begin(), symbols.end(), address,
                       [](std::uintptr_t at, const image_symbol& each) { return at < each.begin; });
  if (after == symbols.begin() || address >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

}  // namespace

const image_symbol* variable_around(std::uintptr_t address) {
  return around(all().variables, address);
}

std::string name_of_variable(const image_symbol& variable) {
  return trace::demangled(variable.name);
}

std::string name_of_function(const void* function) {
  const image_symbol* symbol = around(all().functions, reinterpret_cast<std::uintptr_t>(function));
  if (symbol == nullptr) return "a kernel";
  return trace::words_of_function(symbol->name).name;
}

}  // namespace lab::emulator
