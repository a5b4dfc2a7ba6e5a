#include "completion.hpp"

#include <algorithm>
#include <cctype>

#include "hints.hpp"
#include "pictures.hpp"

namespace lab::cli {
namespace {

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.rfind(beginning, 0) == 0;
}

/// bash hands over "--format=json" as three words.
std::vector<std::string> without_separators(std::vector<std::string> words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (words[at] != "=" || !begins_with(words[at - 1], "--")) continue;
    if (at + 1 == words.size()) {
      words[at].clear();
    } else {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  return words;
}

class completer {
 public:
  completer(const CLI::App& app, const course& labs, const std::string& current)
      : app_(app), labs_(labs), current_(current) {}

  std::string complete(const std::vector<std::string>& before) {
    if (std::find(before.begin(), before.end(), "--") != before.end())
      return ":files \n";  // the program's own
    const CLI::App* command = &app_;
    const CLI::Option* awaited = nullptr;  // an option whose value comes next
    std::vector<std::string> positionals;
    for (const auto& word : before) {
      const bool is_value = awaited != nullptr && !(may_lack_value(*awaited) && begins_with(word, "-"));
      if (is_value) {
        awaited = nullptr;
      } else if (begins_with(word, "-")) {
        const auto* option = option_named(*command, word);
        awaited = nullptr;
        if (option != nullptr && option->get_items_expected_max() > 0) awaited = option;
      } else if (command == &app_) {
        command = command_named(word);
        if (command == nullptr) return "";
      } else {
        positionals.push_back(word);
      }
    }
    const auto equals = current_.find('=');
    if (awaited != nullptr && !(may_lack_value(*awaited) && begins_with(current_, "-"))) {
      offer_values(awaited->get_type_name(), positionals);
    } else if (begins_with(current_, "--") && equals != std::string::npos) {
      prefix_ = current_.substr(0, equals + 1);
      const auto* option = option_named(*command, current_.substr(0, equals));
      if (option != nullptr) offer_values(option->get_type_name(), positionals);
    } else if (begins_with(current_, "-")) {
      offer_options(*command);
    } else if (command == &app_) {
      for (const auto* each : app_.get_subcommands({})) offer(each->get_name(), each->get_description());
    } else if (const auto* next = positional(*command, positionals.size()); next != nullptr) {
      const auto& name = next->get_name();
      offer_values(name == "SHELL" ? next->get_type_name() : name, positionals);
    }
    return lines_;
  }

 private:
  const CLI::App* command_named(const std::string& name) const {
    for (const auto* each : app_.get_subcommands({})) {
      if (each->get_name() == name) return each;
    }
    return nullptr;
  }

  static bool may_lack_value(const CLI::Option& option) { return option.get_items_expected_min() == 0; }

  static const CLI::Option* option_named(const CLI::App& command, const std::string& name) {
    for (const auto* option : command.get_options()) {
      for (const auto& each : option->get_lnames()) {
        if ("--" + each == name) return option;
      }
      for (const auto& each : option->get_snames()) {
        if ("-" + each == name) return option;
      }
    }
    return nullptr;
  }

  /// The one that takes the argument behind `before` others.
  static const CLI::Option* positional(const CLI::App& command, std::size_t before) {
    for (const auto* option : command.get_options()) {
      if (!option->get_positional()) continue;
      const auto most = static_cast<std::size_t>(option->get_items_expected_max());
      if (before < most) return option;
      before -= most;
    }
    return nullptr;
  }

  void offer(const std::string& candidate, const std::string& description = "") {
    const auto word = prefix_ + candidate;
    if (!begins_with(word, current_)) return;
    lines_ += word + (description.empty() ? "" : "\t" + description) + "\n";
  }

  void offer_options(const CLI::App& command) {
    for (const auto* option : command.get_options()) {
      for (const auto& name : option->get_lnames()) offer("--" + name, option->get_description());
    }
  }

  /// @param kind as the option names its value
  void offer_values(const std::string& kind, const std::vector<std::string>& positionals) {
    const auto brace = kind.find('{');
    if (kind == "LAB") {
      offer_labs();
    } else if (kind == "CHECK") {
      if (!positionals.empty()) offer_checks(positionals.front());
    } else if (kind == "PICTURE") {
      if (!positionals.empty()) offer_pictures(positionals.front());
    } else if (begins_with(kind, "FILE.")) {
      lines_ = ":files " + kind.substr(4) + "\n";
    } else if (brace != std::string::npos) {  // TEXT:{text,json}
      std::string choice;
      for (const char c : kind.substr(brace + 1)) {
        if (c != ',' && c != '}') {
          choice += c;
        } else {
          offer(std::exchange(choice, ""));
        }
      }
    }
  }

  /// By the folder's name; a number only where one was begun, and the name without it likewise.
  void offer_labs() {
    const auto first = current_.empty() ? '0' : current_.front();
    for (const auto& lab : labs_.labs()) {
      offer(lab.name, lab.title);
      if (std::isalpha(static_cast<unsigned char>(first)) != 0)
        offer(lab.name.substr(lab.name.find('_') + 1), lab.title);
      else if (first != '0')
        offer(lab.number, lab.title);
    }
  }

  void offer_checks(const std::string& lab) {
    try {
      for (const auto& hints : read_hints(labs_.hints(labs_.find(lab)))) offer(hints.check);
    } catch (const told_error&) {  // no such lab: nothing to offer
    }
  }

  void offer_pictures(const std::string& lab) {
    try {
      for (const auto& picture : pictures_of(labs_, labs_.find(lab))) offer(picture.name, picture.shows);
    } catch (const told_error&) {  // no such lab, or no picture of it
    }
  }

  const CLI::App& app_;
  const course& labs_;
  const std::string& current_;
  std::string prefix_;  ///< "--option=", which belongs to the same word
  std::string lines_;
};

}  // namespace

std::string completions(const CLI::App& app, const course& labs, std::vector<std::string> words) {
  if (words.empty()) return "";
  words = without_separators(std::move(words));
  const auto current = words.back();
  words.pop_back();
  return completer(app, labs, current).complete(words);
}

}  // namespace lab::cli
