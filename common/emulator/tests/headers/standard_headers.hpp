// The standard headers that clash most easily with CUDA's names.
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <random>
#include <regex>
#include <string>
#include <thread>
#include <vector>
