#include "fresh.hpp"

#include "session.hpp"

namespace lab::checks {

fresh::fresh(std::string_view key) : state_(current_session().seed()) {
  for (const char each : key) state_ = (state_ ^ static_cast<unsigned char>(each)) * 0x100000001b3;  // FNV-1a
  next();
}

std::uint64_t fresh::next() {  // splitmix64
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

double fresh::between(double lowest, double highest) {
  return lowest + (highest - lowest) * static_cast<double>(next() >> 11) * 0x1p-53;
}

std::int64_t fresh::integer(std::int64_t lowest, std::int64_t highest) {
  return lowest + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(highest - lowest + 1));
}

std::vector<float> fresh::floats(std::size_t count, float lowest, float highest) {
  std::vector<float> result(count);
  for (float& each : result) each = static_cast<float>(between(lowest, highest));
  return result;
}

}  // namespace lab::checks
