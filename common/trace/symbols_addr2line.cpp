#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "trace/names.hpp"
#include "trace/symbols.hpp"

extern char** environ;

/// How `symbols` finds source lines where there is no libdw: addr2line prints them.
namespace lab::trace {

namespace {

void write_all(int file, std::string_view bytes) {
  for (ssize_t written; !bytes.empty(); bytes.remove_prefix(static_cast<std::size_t>(written))) {
    written = write(file, bytes.data(), bytes.size());
    if (written <= 0) return;
  }
}

/// What addr2line prints of the addresses. It reads them from a file in memory, so that neither of the two
/// ever waits for the other.
std::string addr2line(int program, const std::vector<std::uint64_t>& addresses) {
  std::ostringstream lines;
  for (const auto address : addresses) lines << std::hex << address << '\n';
  const int input = memfd_create("addresses", MFD_CLOEXEC);
  write_all(input, lines.str());
  lseek(input, 0, SEEK_SET);
  int output[2] = {-1, -1};
  std::string text;
  if (pipe2(output, O_CLOEXEC) == 0) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, 0);
    posix_spawn_file_actions_adddup2(&files, output[1], 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, program, 3);
    std::string words[] = {LAB_ADDR2LINE, "-f", "-i", "-a", "-e", "/proc/self/fd/3"};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                         words[4].data(), words[5].data(), nullptr};
    pid_t child = 0;
    const bool started = posix_spawn(&child, LAB_ADDR2LINE, &files, nullptr, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    close(output[1]);
    char portion[1 << 14];
    ssize_t got;
    while ((got = read(output[0], portion, sizeof portion)) > 0 || (got < 0 && errno == EINTR)) {
      if (got > 0) text.append(portion, static_cast<std::size_t>(got));
    }
    close(output[0]);
    while (started && waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  close(input);
  return text;
}

/// A function in the program's symbol table.
struct elf_function {
  std::uint64_t begin, end;
  bool local;
  const char* name;
};

}  // namespace

struct symbols::session {
  std::string bytes;                    ///< of the program
  std::vector<elf_function> functions;  ///< by address
  int without_symbols = -1;             ///< a copy in memory, for addr2line

  explicit session(const std::filesystem::path& program) {
    std::ifstream file(program, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    const auto* header = at<Elf64_Ehdr>(0);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    for (unsigned i = 0; i < header->e_shnum; ++i) {
      auto* section = at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
      if (section == nullptr || section->sh_type != SHT_SYMTAB) continue;
      read_symbols(*section, at<Elf64_Shdr>(header->e_shoff + section->sh_link * sizeof(Elf64_Shdr)));
      // In place of an inlined function that only this file knows, addr2line would name the symbol around it.
      section->sh_type = SHT_NULL;
    }
    without_symbols = memfd_create("program", MFD_CLOEXEC);
    write_all(without_symbols, bytes);
  }
  ~session() {
    if (without_symbols >= 0) close(without_symbols);
  }

  template <class T>
  T* at(std::uint64_t offset) {
    const bool there = offset <= bytes.size() && bytes.size() - offset >= sizeof(T);
    return there ? reinterpret_cast<T*>(bytes.data() + offset) : nullptr;
  }

  void read_symbols(const Elf64_Shdr& table, const Elf64_Shdr* names) {
    if (names == nullptr || names->sh_offset + names->sh_size > bytes.size()) return;
    for (std::uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto* symbol = at<Elf64_Sym>(table.sh_offset + i * sizeof(Elf64_Sym));
      if (symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_size == 0) continue;
      if (symbol->st_name >= names->sh_size) continue;
      functions.push_back({symbol->st_value, symbol->st_value + symbol->st_size,
                           ELF64_ST_BIND(symbol->st_info) == STB_LOCAL,
                           bytes.data() + names->sh_offset + symbol->st_name});
    }
    std::stable_sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.local > b.local;
    });
  }

  std::string function_around(std::uint64_t address) const {
    const auto after = std::upper_bound(functions.begin(), functions.end(), address,
                                        [](auto at, const auto& each) { return at < each.begin; });
    if (after == functions.begin() || address >= std::prev(after)->end) return "";
    return demangled(std::prev(after)->name);
  }
};

symbols::symbols(const std::filesystem::path& program, std::filesystem::path root)
    : session_(std::make_unique<session>(program)), root_(std::move(root)) {}

symbols::~symbols() = default;

// Of each address: itself, then a function and a "file:line" for each place, outwards.
std::vector<call_stack::frames> symbols::look_up(const std::vector<std::uint64_t>& addresses) {
  std::vector<call_stack::frames> result(addresses.size());
  std::istringstream text(addr2line(session_->without_symbols, addresses));
  std::size_t begun = 0;
  for (std::string function, place; std::getline(text, function);) {
    if (function.rfind("0x", 0) == 0) {
      ++begun;
      continue;
    }
    if (begun == 0 || begun > result.size() || !std::getline(text, place)) break;
    const auto colon = place.rfind(':');
    if (colon == std::string::npos || place[0] == '?') continue;
    result[begun - 1].push_back({place.substr(0, colon), std::atoi(place.c_str() + colon + 1),
                                 function == "??" ? "" : unqualified(function.c_str())});
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!result[i].empty()) result[i].back().function = session_->function_around(addresses[i]);
  }
  return result;
}

}  // namespace lab::trace
