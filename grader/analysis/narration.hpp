#pragma once

#include <string>
#include <vector>

#include "recording.hpp"

/// The words that explanations are made of.
namespace lab::analysis {

/// What is less than this share of a measured stretch is not worth a sentence.
inline constexpr double worth_telling = 0.02;

/// Collects sentences: a capital letter in front (unless the text begins with a name), a full stop behind.
class sentences {
 public:
  void add(const std::string& text);              ///< as it is; nothing where it is empty
  void add_capitalised(const std::string& text);  ///< with a capital letter
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// " (student.cu:41)", or "" where the place is not known.
std::string at(const std::string& where);

/// "first (3 times, 40 ms together) and second (2 ms)", the longest first.
std::string list(const std::vector<work>& items);

/// For how many ms of the stretch any of `among` was under way.
double busy_ms(const std::vector<work>& among, const span& stretch);

/// "it includes …": the calls and sleeps in which the host itself spent a large part of the stretch, and how
/// long it was preempted. "" for none.
std::string host_costs(const recording& of, const span& stretch, int thread);

/// The work that a measurement was meant for: one piece, or several of one name that belong together.
class timed_work {
 public:
  explicit timed_work(std::vector<work> parts);  ///< @pre at least one, by submission

  bool includes(const work& other) const;
  std::string name() const;       ///< "spin"
  std::string with_time() const;  ///< "spin, 5 ms,", "20 times spin, 0.4 ms together,"
  std::string share() const;      ///< "of that, spin took 5 ms"
  bool ended() const;
  span when() const;  ///< from the begin of the first to the end of the last
  trace::time_ns first_submitted() const { return parts_.front().raw().submitted; }
  trace::time_ns last_submitted() const { return parts_.back().raw().submitted; }
  trace::id stream() const { return parts_.front().stream(); }
  std::string where() const { return parts_.front().where(); }

 private:
  std::vector<work> parts_;
};

/// Whether the stretch covers work of the subject's name that was submitted before it: another run of the
/// same.
bool covers_earlier_run(const recording& of, const span& stretch, const timed_work& subject);

/// Where the check names no work: what was submitted in the stretch, else what ran in it, else the longest
/// kernel.
std::vector<work> likely_subject(const recording& of, const span& stretch);

}  // namespace lab::analysis
