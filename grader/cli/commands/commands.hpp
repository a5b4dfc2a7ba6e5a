#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../course.hpp"
#include "../terminal.hpp"

/// What `lab` can be asked to do. Each returns the exit code.
namespace lab::cli {

/// Whether the course was built for a real GPU, and a driver is here.
bool has_gpu(const toolchain& tools);

/// The device asked for by the option, else by LAB_DEVICE. @throws told_error with the code where it is not
/// there
device wanted_device(const toolchain& tools, const std::string& option, int exit_code);

/// `lab`: the labs, how far each is, and what to do next.
int list_labs(const course& labs, const terminal& out);

enum class report_format { text, json, junit };

struct check_options {
  std::vector<std::string> labs;  ///< empty: the next unfinished one
  bool all = false;
  bool solutions = false;  ///< judge the reference solutions
  std::string file;        ///< instead of the student's own
  std::string patch;       ///< applied to the solution, the result is judged
  report_format format = report_format::text;
  std::optional<std::uint64_t> seed;
  bool verbose = false;
};
int check(const course& labs, const terminal& out, const check_options& options);

/// `lab watch`: judges the lab's file, or the next unfinished one's, whenever it changes, until the user
/// quits.
int watch(const course& labs, const std::string& lab);

/// `lab hint`: one hint more for the first check that does not pass, or for `check_name`.
int hint(const course& labs, const terminal& out, const std::string& lab, const std::string& check_name);

/// Whether the lab has not passed yet; then says so, and that --anyway shows its solution all the same.
bool is_too_early_for_solution(const course& labs, const terminal& out, const lab_entry& lab);

int show_solution(const course& labs, const terminal& out, const std::string& lab, bool anyway);

/// `lab reset`: the starter again; the student's file stays as student.cu.bak-N.
int reset(const course& labs, const std::string& lab);

struct run_options {
  std::string file;
  std::vector<std::string> arguments;
  std::string device;
  bool quiet = false;
  bool verbose = false;
  bool check = false;
  std::optional<std::string> timeline;  ///< the file to draw the run in
};
/// `lab run`: becomes the program, so that its output, arguments, signals and exit code are its own.
int run_program(const course& labs, const run_options& options);

struct timeline_options {
  std::string lab;
  std::string file;   ///< instead of the student's own
  std::string patch;  ///< applied to the solution, the result is drawn
  bool solution = false;
  std::string compare;  ///< "solution", "schedule", "emulator", or nothing
  std::string picture;  ///< empty: the lab's first
  /// Draw the run that this check found wrong instead (its name or a part of it; empty: the first that found
  /// one).
  std::optional<std::string> check;
  std::optional<std::uint64_t> seed;  ///< of the check's inputs
  std::string output;                 ///< empty: a page in the state folder
  bool anyway = false;                ///< also before what it shows has been predicted, or solved
};
/// `lab timeline`: draws the run that shows what the lab is about, and says where.
int draw_lab(const course& labs, const terminal& out, const timeline_options& options);

/// `lab compare`: one matrix product timed in three ways, and a row for the record.
int compare(const course& labs, const terminal& out, const std::string& note);

/// `lab course`: is the course itself right? Starter, solution, wrong/, right/ and pairs of mistakes.
struct course_options {
  std::vector<std::string> labs;
  std::size_t pairs = 40;  ///< of mistakes, at most
  unsigned jobs = 0;       ///< programs judged at the same time; 0: one for each core, on a real GPU 4
  bool mutations = false;  ///< also those of mutations.txt
  std::string only;        ///< the cases with this in their names
  std::string part;        ///< "2/3": the second of three parts of the cases; "": all
  bool verbose = false;
};
int test_course(const course& labs, const terminal& out, const course_options& options);

}  // namespace lab::cli
