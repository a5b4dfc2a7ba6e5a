#include "mutations.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace lab::cli {
namespace {

/// A statement in lines [first, end) of the file, and its text in one line.
struct statement {
  std::size_t first, end;
  std::string text;
};

// The solutions are formatted: a statement begins on a line of its own, and its last line ends in ";".
std::vector<statement> statements_in(const std::vector<std::string>& lines) {
  std::vector<statement> found;
  statement current{0, 0, ""};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = trimmed(lines[i].substr(0, lines[i].find("//")));
    if (line.empty() || line.front() == '#') continue;
    if (current.text.empty()) current.first = i;
    current.text += (current.text.empty() ? "" : " ") + line;
    const char last = line.back();
    if (last != ';' && last != '{' && last != '}') continue;
    current.end = i + 1;
    if (last == ';') found.push_back(current);
    current.text.clear();
  }
  return found;
}

bool has_call(const statement& in, const std::string& call) {
  return in.text.find(call + "(") != std::string::npos;
}

bool submits_work(const statement& in) {
  return in.text.find("<<<") != std::string::npos || has_call(in, "cudaMemcpyAsync") ||
         has_call(in, "cudaMemsetAsync");
}

/// The n-th argument of the call, from 0.
std::string argument(const statement& in, const std::string& call, int n) {
  std::size_t at = in.text.find(call + "(");
  if (at == std::string::npos) return "";
  int depth = 0;
  std::string found;
  for (at += call.size(); at < in.text.size(); ++at) {
    const char c = in.text[at];
    if (c == '(' && depth++ == 0) continue;
    if (c == ')' && --depth == 0) break;
    if (c == ',' && depth == 1) {
      if (n-- == 0) break;
      found.clear();
      continue;
    }
    found += c;
  }
  return trimmed(found);
}

// "cudaStreamWaitEvent(b, done)", without the condition in front
std::string short_text(const statement& of) {
  std::size_t begin =
      of.text.find("cuda", of.text.find(" status = ") == std::string::npos ? 0 : of.text.find(" status = "));
  if (of.text.find("<<<") != std::string::npos || begin == std::string::npos) begin = 0;
  return of.text.substr(begin, of.text.size() - begin - 1);
}

class mutator {
 public:
  mutator(const std::string& solution, const mutation_plan& plan) : plan_(plan) {
    std::istringstream text(solution);
    for (std::string line; std::getline(text, line);) lines_.push_back(line);
    statements_ = statements_in(lines_);
  }

  std::vector<mutation> all() {
    deletions();
    insertions();
    return std::move(made_);
  }

 private:
  void deletions() {
    for (const statement& each : statements_) {
      const auto calls = [&](const std::string& call) { return has_call(each, call); };
      if (std::any_of(plan_.deleted_calls.begin(), plan_.deleted_calls.end(), calls)) {
        add(mutation::kind::deletion, "delete " + short_text(each), "", without({&each}));
      }
    }
    for (const statement& record : statements_) {
      const std::string event = argument(record, "cudaEventRecord", 0);
      for (const statement& wait : statements_) {
        if (event.empty() || argument(wait, "cudaStreamWaitEvent", 1) != event) continue;
        add(mutation::kind::deletion, "delete " + short_text(record) + " and " + short_text(wait), "",
            without({&record, &wait}));
      }
    }
  }

  void insertions() {
    const auto last = std::find_if(statements_.rbegin(), statements_.rend(), submits_work);
    bool begun = false;
    for (const statement& each : statements_) {
      begun = begun || submits_work(each);
      const bool place =
          submits_work(each) || has_call(each, "cudaEventRecord") || has_call(each, "cudaStreamWaitEvent");
      if (last == statements_.rend() || !begun || !place || each.first > last->first) continue;
      for (const std::string& inserted : plan_.inserted) {
        const std::size_t arguments = inserted.rfind('('), call = inserted.rfind(' ', arguments) + 1;
        add(mutation::kind::insertion, "insert " + inserted + " before " + short_text(each),
            inserted.substr(call, arguments - call), with(inserted, each));
      }
    }
  }

  void add(mutation::kind what, std::string name, std::string call, std::string text) {
    const int before = times_named_[name]++;
    if (before > 0) name += " (" + std::to_string(before + 1) + ")";
    made_.push_back({what, std::move(name), std::move(call), std::move(text)});
  }

  std::string without(const std::set<const statement*>& gone) const {
    std::string text;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto covers = [&](const statement* each) { return each->first <= i && i < each->end; };
      if (std::none_of(gone.begin(), gone.end(), covers)) text += lines_[i];
      text += '\n';
    }
    return text;
  }

  std::string with(const std::string& inserted, const statement& place) const {
    std::string text;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (i == place.first) text += inserted + " ";  // in the line that is there: no line gets another number
      text += lines_[i] + '\n';
    }
    return text;
  }

  const mutation_plan& plan_;
  std::vector<std::string> lines_;
  std::vector<statement> statements_;
  std::map<std::string, int> times_named_;
  std::vector<mutation> made_;
};

}  // namespace

mutation_plan mutation_plan_in(const fs::path& file) {
  mutation_plan plan;
  if (!fs::exists(file)) return plan;
  std::istringstream lines(read_file(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (trimmed(line).empty() || line.front() == '#') continue;
    const auto colon = std::min(line.find(": "), line.size() - 1);
    const std::string keyword = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    const auto reason = value.find(": ");
    if (keyword == "delete") {
      std::istringstream calls(value);
      for (std::string call; calls >> call;) plan.deleted_calls.push_back(call);
    } else if (keyword == "insert") {
      plan.inserted.push_back(value);
    } else if (keyword == "forbidden by") {
      plan.forbidding_check = value;
    } else if (keyword == "harmless" && reason != std::string::npos) {
      plan.harmless.push_back({value.substr(0, reason), trimmed(value.substr(reason + 1))});
    } else {
      throw told_error(
          course::shown(file) + ":" + std::to_string(number) +
              " should begin with \"delete: \", \"insert: \", \"forbidden by: \" or \"harmless: NAME: \".",
          exit_error);
    }
  }
  return plan;
}

bool mutation_plan::harmless_mutation::covers(const mutation& made) const {
  return ::fnmatch(name.c_str(), made.name.c_str(), 0) == 0;
}

std::vector<mutation> mutations_of(const std::string& solution, const mutation_plan& plan) {
  return mutator(solution, plan).all();
}

}  // namespace lab::cli
