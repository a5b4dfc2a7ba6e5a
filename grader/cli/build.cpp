#include "build.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <translate.hpp>

#include "diagnostics.hpp"
#include "process.hpp"

namespace lab::cli {
namespace {

using steady = std::chrono::steady_clock;
using nlohmann::json;
namespace translator = lab::emulator::translate;

constexpr std::uintmax_t largest_source_bytes = 2u << 20;
constexpr std::uint64_t compile_cpu_seconds = 20;  // the course's files take under one
constexpr std::uint64_t nvcc_cpu_seconds = 120;    // it takes some seconds for the smallest file
constexpr std::uint64_t compile_memory_bytes = std::uint64_t{4} << 30;
constexpr std::size_t kept_programs = 64;  // of 3 MiB each
constexpr std::uintmax_t needed_bytes = 4u << 20;
constexpr std::size_t most_warnings = 3;
constexpr const char* manifest_name = "made-from.json";

// The project's own warnings without those that students' half-finished files are full of.
const std::vector<std::string> students_warnings{"-Wno-unused", "-Wunused-value", "-Wno-sign-compare",
                                                 "-Wno-missing-field-initializers"};

double milliseconds_since(steady::time_point start) {
  return std::chrono::duration<double, std::milli>(steady::now() - start).count();
}

/// Whether a program was made from files that are as they were then.
bool still_true(const fs::path& manifest) {
  try {
    const auto made_from = json::parse(read_file(manifest));
    for (const auto& [file, hash] : made_from.at("files").items()) {
      if (hex(hash_of(read_file(file))) != hash.get<std::string>()) return false;
    }
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// The files a make rule names after its colon.
std::vector<std::string> dependencies_in(const std::string& rule) {
  std::vector<std::string> files;
  std::string current;
  for (std::size_t at = rule.find(": ") + 1; at < rule.size(); ++at) {
    const char c = rule[at];
    if (c == '\\' && at + 1 < rule.size() && (rule[at + 1] == ' ' || rule[at + 1] == '\n')) {
      if (rule[++at] == ' ') current += ' ';
    } else if (c == ' ' || c == '\n') {
      if (!current.empty()) files.push_back(std::exchange(current, ""));
    } else {
      current += c;
    }
  }
  return files;
}

class builder {
 public:
  builder(const course& labs, const build_request& what, const std::function<void()>& on_tick)
      : labs_(labs), tools_(labs.tools()), what_(what), on_tick_(on_tick) {
    // Weakly: a name under /dev/fd or a dangling link still gets a sentence of its own from read_file.
    std::error_code ignored;
    const auto source = fs::absolute(what.source);
    source_.shown_as = what.shown_as.empty() ? fs::weakly_canonical(source, ignored) : what.shown_as;
    if (source_.shown_as.empty()) source_.shown_as = source;
    source_.text = read_source();
    on_gpu_ = what.device == device::cuda;
    source_.internal_folders = tools_.include_folders;
    if (what.lab != nullptr) source_.contract = labs.contract(*what.lab);
  }

  built_program build() {
    const auto programs = tools_.build_folder / "programs";
    const auto entry = programs / key();
    remove_abandoned(programs);
    auto in_use = std::make_shared<const folder_in_use>(entry);
    if (still_true(entry / manifest_name)) {
      std::error_code ignored;
      fs::last_write_time(entry, fs::file_time_type::clock::now(), ignored);  // used: not to be pruned
      times_.from_cache = true;
      return made(entry, in_use);
    }
    make_folder(programs);
    prune(programs);
    temporary_folder work(programs);
    folder_ = work.path();
    if (on_gpu_) {
      compile_with_nvcc();
    } else {
      translate();
      compile();
    }
    link();
    // With the warnings: what is said about a file does not depend on what was built before.
    write_atomically(folder_ / manifest_name, json{{"files", made_from()}, {"warnings", warnings_}}.dump(1));
    keep_only_what_is_used();
    in_use.reset();
    const auto published = publish(work, entry);
    return made(published, std::make_shared<const folder_in_use>(published));
  }

 private:
  built_program made(const fs::path& entry, std::shared_ptr<const folder_in_use> in_use) const {
    built_program program{entry / "program", times_, {}, std::move(in_use)};
    const auto manifest = json::parse(read_file(entry / manifest_name));
    for (const std::string warning : manifest.at("warnings"))
      program.warnings.push_back(course::shown(source_.shown_as) + ":" + warning);
    return program;
  }

  std::string read_source() const {
    auto text = read_file(what_.source, largest_source_bytes);
    if (text.empty()) throw does_not_build(course::shown(source_.shown_as) + " is empty." + start_over());
    if (text.find('\0') != std::string::npos) {
      throw does_not_build(course::shown(source_.shown_as) + " is not a text file: it contains zero bytes." +
                           start_over());
    }
    return text;
  }

  std::string start_over() const {
    const bool students = what_.lab != nullptr && what_.source == labs_.student_file(*what_.lab);
    return students ? " To start over: ./lab reset " + what_.lab->number : "";
  }

  std::string key() const {
    std::uint64_t hash = hash_of(tools_.fingerprint());
    hash = hash_of(source_.shown_as.string(), hash);
    hash = hash_of(source_.text, hash);
    hash = hash_of(on_gpu_ ? "cuda" : "emulator", hash);
    if (what_.lab != nullptr) {
      hash = hash_of(what_.lab->name, hash);
      for (const auto& object : driver_objects()) hash = hash_of(hex(hash_of(read_file(object))), hash);
    }
    return hex(hash);
  }

  const std::vector<fs::path>& driver_objects() const {
    const auto found = tools_.labs.find(what_.lab->name);
    if (found == tools_.labs.end()) {
      throw told_error("labs/" + what_.lab->name + " is not built yet. Run ./lab, which builds what is new.",
                       exit_error);
    }
    return on_gpu_ ? tools_.cuda->driver_objects.at(what_.lab->name) : found->second.driver_objects;
  }

  void translate() {
    const auto start = steady::now();
    translator::options how;
    how.include_dirs = include_folders();
    how.source_name = source_.shown_as.string();
    how.output = folder_ / "program.cpp";
    const auto translated = translator::translate_text(source_.text, source_.shown_as, how);
    if (!translated.errors.empty()) {
      const auto& error = translated.errors.front();
      const fs::path file = error.file.empty() ? source_.shown_as : fs::path(error.file);
      const auto text = file == source_.shown_as ? source_.text : read_file(file);
      throw does_not_build(error_at(file, error.line, error.column, error.message, text));
    }
    try {
      translator::write(translated, folder_ / "program.cpp");
    } catch (const std::system_error& error) {
      fail("Cannot write in", folder_, error.code().value());
    }
    read_files_ = translated.read_files;
    times_.translate_ms = milliseconds_since(start);
  }

  std::vector<fs::path> include_folders() const {
    std::vector<fs::path> folders{source_.shown_as.parent_path()};
    // Before the helpers, in either spelling of an include: a lab may withhold one by a header of that name.
    if (what_.lab != nullptr) folders.push_back(labs_.folder(*what_.lab));
    const auto& of_device = on_gpu_ ? tools_.cuda->include_folders : tools_.include_folders;
    folders.insert(folders.end(), of_device.begin(), of_device.end());
    return folders;
  }

  void compile() {
    const auto start = steady::now();
    auto ended = run_compiler(true);
    if (!ended.succeeded()) {
      refuse_excess(ended, start);
      // The precompiled header includes more than the file asked for. Should that be what hurts, it is not an
      // error.
      ended = run_compiler(false);
    }
    times_.compile_ms = milliseconds_since(start);
    if (!ended.succeeded()) {
      refuse_excess(ended, start);
      throw does_not_build(first_compile_error(ended.errors, source_));
    }
    warnings_ = own_warnings(ended.errors, source_, most_warnings);
  }

  ended run_compiler(bool precompiled) {
    command compiler = limited({tools_.compiler});
    add(compiler, tools_.compile_flags);
    add(compiler, students_warnings);
    if (what_.lab != nullptr) add(compiler, {"-Werror=return-type"});  // what it returns instead is anything
    // The folder's name is random, the program must not be: traces are compared to the byte.
    add(compiler, {"-ffile-prefix-map=" + folder_.string() + "=.", "-fdiagnostics-color=never"});
    add(compiler, tools_.clang
                      ? std::vector<std::string>{"-ferror-limit=1"}
                      : std::vector<std::string>{"-fmax-errors=1", "-fdiagnostics-column-unit=byte"});
    if (precompiled && tools_.clang)
      add(compiler, {"-include-pch", tools_.precompiled_header.string() + ".pch"});
    if (precompiled && !tools_.clang) add(compiler, {"-include", tools_.precompiled_header.string()});
    const auto folders = include_folders();
    add(compiler, {"-iquote", folders.front().string()});
    for (std::size_t i = 1; i < folders.size(); ++i) add(compiler, {"-I" + folders[i].string()});
    add(compiler, {"-MMD", "-MF", "program.d", "-c", "program.cpp", "-o", "program.o"});
    return run(compiler);
  }

  /// What nvcc says of a file is another compiler's words for what the emulator's says better; its own are
  /// for what only nvcc minds.
  void compile_with_nvcc() {
    const auto start = steady::now();
    write_atomically(folder_ / "program.cu",
                     "#line 1 \"" + source_.shown_as.string() + "\"\n" + source_.text);
    command compiler = limited({tools_.cuda->nvcc});
    add(compiler, tools_.cuda->compile_flags);
    for (const auto& folder : include_folders()) add(compiler, {"-I" + folder.string()});
    add(compiler, {"-MMD", "-MF", "program.d", "-c", "program.cu", "-o", "program.o"});
    const auto ended = run(compiler);
    times_.compile_ms = milliseconds_since(start);
    if (ended.succeeded()) return;
    refuse_excess(ended, start);
    build_request emulated = what_;
    emulated.device = device::emulator;
    builder(labs_, emulated, on_tick_).build();
    throw does_not_build(first_compile_error(ended.errors + ended.output, source_));
  }

  void link() {
    const auto start = steady::now();
    command linker = limited({tools_.compiler});
    add(linker, on_gpu_ ? tools_.cuda->link_flags : tools_.link_flags);
    add(linker, {"program.o", "-o", "program"});
    if (what_.lab != nullptr) {
      for (const auto& object : driver_objects()) add(linker, {object.string()});
      for (const auto& object : tools_.exercise_objects) add(linker, {object.string()});
    }
    add(linker, on_gpu_ ? tools_.cuda->runtime_libraries : tools_.runtime_libraries);
    const auto ended = run(linker);
    times_.link_ms = milliseconds_since(start);
    if (ended.succeeded()) return;
    refuse_excess(ended, start);
    throw does_not_build(link_error(ended.errors, source_));
  }

  command limited(std::vector<std::string> arguments) const {
    command compiler;
    compiler.arguments = std::move(arguments);
    compiler.folder = folder_;
    compiler.environment = {{"TMPDIR", folder_.string()}, {"LC_ALL", "C"}, {"GCC_COLORS", ""}};
    compiler.cpu_seconds = on_gpu_ ? nvcc_cpu_seconds : compile_cpu_seconds;
    compiler.time_limit = std::chrono::seconds(4 * *compiler.cpu_seconds);
    if (!on_gpu_)
      compiler.memory_bytes = compile_memory_bytes;  // nvcc's tools reserve far more than they use
    compiler.on_tick = on_tick_;
    return compiler;
  }

  static void add(command& to, const std::vector<std::string>& arguments) {
    to.arguments.insert(to.arguments.end(), arguments.begin(), arguments.end());
  }

  /// The compiler ran out of what it was given, or the disk is full: neither is a place in the file.
  void refuse_excess(const ended& how, steady::time_point start) const {
    const auto file = course::shown(source_.shown_as);
    const auto said = [&](const char* words) { return how.errors.find(words) != std::string::npos; };
    std::error_code ignored;
    // Not every tool says so: lld meets a full disk as a bus error.
    if (said("No space left on device") || fs::space(folder_, ignored).available < needed_bytes) {
      throw disk_full("The disk is full: " + tools_.build_folder.string() + " needs a few MiB.");
    }
    const bool killed = how.signal == SIGKILL || said("Killed");
    if (killed && milliseconds_since(start) < 1e3 * compile_cpu_seconds) {
      throw told_error(
          "The compiler was killed, most likely by the system because memory ran out. Try again.",
          exit_error);
    }
    if (how.timed_out || how.signal == SIGXCPU || killed || said("CPU time limit exceeded") ||
        said("SIGXCPU")) {
      throw does_not_build(fmt::format(
          "{} took the compiler more than {} s, so it was stopped. Is there a template that never ends?",
          file, compile_cpu_seconds));
    }
    if (said("out of memory") || said("virtual memory exhausted") || said("std::bad_alloc")) {
      throw does_not_build(fmt::format("{} took the compiler more than {} GiB of memory, so it was stopped.",
                                       file, compile_memory_bytes >> 30));
    }
  }

  /// Every file of the program but the source, which is in the key, with its content's hash.
  json made_from() const {
    json files = json::object();
    const auto add = [&](const fs::path& file) {
      const auto ending = file.extension();
      const bool ours = file.parent_path() == folder_ || file == source_.shown_as;
      if (!ours && ending != ".gch" && ending != ".pch") files[file.string()] = hex(hash_of(read_file(file)));
    };
    for (const auto& file : read_files_) add(file);
    for (const fs::path file : dependencies_in(read_file(folder_ / "program.d"))) {
      add(file.is_absolute() ? file : folder_ / file);
    }
    return files;
  }

  void keep_only_what_is_used() const {
    for (const auto& file : std::vector<fs::path>(fs::directory_iterator(folder_), {})) {
      if (file.filename() != "program" && file.filename() != manifest_name) fs::remove_all(file);
    }
  }

  /// Where it is from now on. What is there already (made of other headers, or by another process just now)
  /// stays while it is in use; then this is found by nobody else.
  static fs::path publish(temporary_folder& work, const fs::path& entry) {
    if (work.publish_as(entry)) return entry;
    remove_unless_used(entry);
    if (work.publish_as(entry)) return entry;
    const fs::path beside = entry.string() + work.path().filename().string();
    if (work.publish_as(beside)) return beside;
    throw told_error("Cannot write " + beside.string() + ".", exit_error);
  }

  /// Those not used for longest go, once there are many. A fresh one may not be in use yet.
  static void prune(const fs::path& programs) {
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(programs, error)) {
      if (entry.path().filename().string().front() != '.')
        entries.emplace_back(entry.last_write_time(error), entry.path());
    }
    if (entries.size() <= kept_programs) return;
    std::sort(entries.begin(), entries.end());
    const auto fresh = fs::file_time_type::clock::now() - std::chrono::minutes(2);
    for (std::size_t at = 0; at < entries.size() - kept_programs / 2 && entries[at].first < fresh; ++at) {
      remove_unless_used(entries[at].second);
    }
  }

  const course& labs_;
  const toolchain& tools_;
  const build_request& what_;
  const std::function<void()>& on_tick_;
  source_in_question source_;
  bool on_gpu_ = false;
  fs::path folder_;
  std::vector<fs::path> read_files_;
  std::vector<std::string> warnings_;
  step_times times_;
};

}  // namespace

built_program build(const course& labs, const build_request& what, const std::function<void()>& on_tick) {
  return builder(labs, what, on_tick).build();
}

}  // namespace lab::cli
