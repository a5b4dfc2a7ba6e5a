#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "trace/names.hpp"
#include "trace/symbols.hpp"

/// How `symbols` finds source lines where there is libdw.
namespace lab::trace {

struct symbols::session {
  Dwfl_Callbacks callbacks{};
  Dwfl* dwfl = nullptr;
  Dwfl_Module* module = nullptr;
  char* no_debuginfo_path = nullptr;

  explicit session(const std::filesystem::path& program) {
    callbacks.find_elf = dwfl_build_id_find_elf;
    callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
    callbacks.section_address = dwfl_offline_section_address;
    callbacks.debuginfo_path = &no_debuginfo_path;
    dwfl = dwfl_begin(&callbacks);
    if (dwfl == nullptr) return;
    dwfl_report_begin(dwfl);
    module = dwfl_report_elf(dwfl, "program", program.c_str(), -1, 0, true);
    dwfl_report_end(dwfl, nullptr, nullptr);
  }
  ~session() {
    if (dwfl != nullptr) dwfl_end(dwfl);
  }

  /// The line of the address, then the call lines of the functions inlined there, outwards.
  call_stack::frames places(Dwarf_Addr address) const {
    call_stack::frames result;
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = unit_of(address, &bias);
    Dwarf_Line* line = unit == nullptr ? nullptr : dwarf_getsrc_die(unit, address - bias);
    if (line == nullptr) return result;
    source_location here;
    dwarf_lineno(line, &here.line);
    if (const char* file = dwarf_linesrc(line, nullptr, nullptr)) here.file = file;
    for (Dwarf_Die& scope : scopes_of(*unit, address - bias)) {
      if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine) continue;
      here.function = name_of(scope);
      result.push_back(here);
      here = call_site(*unit, scope);
    }
    const char* function = dwfl_module_addrname(module, address);
    here.function = function == nullptr ? "" : demangled(function);
    result.push_back(here);
    return result;
  }

  /// The compilation unit with code at the address. Not every compiler's table of address ranges names all of
  /// them (clang leaves out functions that it gives no entry of their own), so the units' line tables are
  /// asked as well.
  Dwarf_Die* unit_of(Dwarf_Addr address, Dwarf_Addr* bias) const {
    if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, bias)) return unit;
    for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, bias)) != nullptr;) {
      if (dwarf_getsrc_die(unit, address - *bias) != nullptr) return unit;
    }
    return nullptr;
  }

  /// From within outwards. The scopes of an address end at the first inlined function, and go on where that
  /// was defined; those of the innermost one go on where it was inlined.
  static std::vector<Dwarf_Die> scopes_of(Dwarf_Die& unit, Dwarf_Addr address) {
    Dwarf_Die* found = nullptr;
    if (dwarf_getscopes(&unit, address, &found) <= 0) return {};
    Dwarf_Die innermost = found[0];
    std::free(found);
    found = nullptr;
    const int count = dwarf_getscopes_die(&innermost, &found);
    std::vector<Dwarf_Die> scopes(found, found + std::max(count, 0));
    std::free(found);
    return scopes;
  }

  static std::string name_of(Dwarf_Die& scope) {
    const char* name = dwarf_diename(&scope);
    return name == nullptr ? "" : name;
  }

  static source_location call_site(Dwarf_Die& unit, Dwarf_Die& scope) {
    source_location result;
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0;
    Dwarf_Word line = 0;
    Dwarf_Files* files = nullptr;
    if (dwarf_formudata(dwarf_attr(&scope, DW_AT_call_line, &attribute), &line) == 0) {
      result.line = static_cast<int>(line);
    }
    if (dwarf_formudata(dwarf_attr(&scope, DW_AT_call_file, &attribute), &file) == 0 &&
        dwarf_getsrcfiles(&unit, &files, nullptr) == 0) {
      if (const char* name = dwarf_filesrc(files, file, nullptr, nullptr)) result.file = name;
    }
    return result;
  }
};

symbols::symbols(const std::filesystem::path& program, std::filesystem::path root)
    : session_(std::make_unique<session>(program)), root_(std::move(root)) {}

symbols::~symbols() = default;

std::vector<call_stack::frames> symbols::look_up(const std::vector<std::uint64_t>& addresses) {
  std::vector<call_stack::frames> result(addresses.size());
  if (session_->module == nullptr) return result;
  for (std::size_t i = 0; i < addresses.size(); ++i) result[i] = session_->places(addresses[i]);
  return result;
}

}  // namespace lab::trace
