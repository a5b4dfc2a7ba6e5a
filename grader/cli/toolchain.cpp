#include "toolchain.hpp"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

namespace lab::cli {
namespace {

using nlohmann::json;

template <class T>
std::vector<T> list(const json& object, const char* name) {
  std::vector<T> values;
  for (const auto& value : object.at(name)) {
    if (const auto text = value.get<std::string>(); !text.empty()) values.emplace_back(text);
  }
  return values;
}

/// A built file is known by its size and time: hashing tens of MiB each time would cost more than the
/// compiler.
std::uint64_t identity_of(const fs::path& file, std::uint64_t hash) {
  struct stat status {};
  ::stat(file.c_str(), &status);
  const std::int64_t facts[] = {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  hash = hash_of(file.string(), hash);
  return hash_of({reinterpret_cast<const char*>(facts), sizeof facts}, hash);
}

}  // namespace

toolchain read_toolchain() {
  const auto program = fs::read_symlink("/proc/self/exe");
  const auto file = program.parent_path().parent_path() / "lab-toolchain.json";
  try {
    const auto content = json::parse(read_file(file));
    toolchain tools;
    tools.source_folder = content.at("source_folder").get<std::string>();
    tools.build_folder = file.parent_path();
    tools.version = content.at("version").get<std::string>();
    tools.compiler = content.at("compiler").get<std::string>();
    tools.clang = content.at("compiler_id") == "Clang";
    tools.compile_flags = list<std::string>(content, "compile_flags");
    tools.include_folders = list<fs::path>(content, "include_folders");
    tools.precompiled_header = content.at("precompiled_header").get<std::string>();
    tools.exercise_objects = list<fs::path>(content, "exercise_objects");
    tools.runtime_libraries = list<std::string>(content, "runtime_libraries");
    tools.link_flags = list<std::string>(content, "link_flags");
    for (const auto& [name, parts] : content.at("labs").items()) {
      tools.labs[name] = {list<fs::path>(parts, "driver_objects"), parts.at("checks").get<std::string>()};
    }
    if (const auto& cuda = content.at("cuda"); !cuda.is_null()) {
      tools.cuda.emplace();
      tools.cuda->nvcc = cuda.at("nvcc").get<std::string>();
      tools.cuda->compile_flags = list<std::string>(cuda, "compile_flags");
      tools.cuda->include_folders = list<fs::path>(cuda, "include_folders");
      tools.cuda->link_flags = list<std::string>(cuda, "link_flags");
      tools.cuda->runtime_libraries = list<std::string>(cuda, "runtime_libraries");
      for (const auto& [name, objects] : cuda.at("driver_objects").items()) {
        tools.cuda->driver_objects[name] = list<fs::path>(cuda.at("driver_objects"), name.c_str());
      }
    }
    return tools;
  } catch (const json::exception& error) {
    throw told_error(file.string() + " is not what the build writes (" + error.what() +
                         "). Remove the build folder and run ./lab again.",
                     exit_error);
  }
}

std::string toolchain::fingerprint() const {
  std::uint64_t hash = hash_of(version);
  for (const auto& text : compile_flags) hash = hash_of(text, hash);
  for (const auto& text : link_flags) hash = hash_of(text, hash);
  for (const auto& folder : include_folders) hash = hash_of(folder.string(), hash);
  hash = identity_of(fs::read_symlink("/proc/self/exe"), hash);  // it holds the translator
  hash = identity_of(compiler, hash);
  for (const auto* end : {".gch", ".pch"}) hash = identity_of(precompiled_header.string() + end, hash);
  for (const auto& object : exercise_objects) hash = identity_of(object, hash);
  for (const auto& library : runtime_libraries) {
    if (library.front() != '-') hash = identity_of(library, hash);
  }
  if (cuda) {
    hash = identity_of(cuda->nvcc, hash);
    for (const auto& text : cuda->compile_flags) hash = hash_of(text, hash);
    for (const auto& library : cuda->runtime_libraries) {
      if (library.front() != '-') hash = identity_of(library, hash);
    }
  }
  return hex(hash);
}

}  // namespace lab::cli
