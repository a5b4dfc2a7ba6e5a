# Student code that crashes, hangs, lies, floods, forks or closes things: the right outcome, the other checks unaffected,
# nothing left behind.
. "$(dirname "$0")/library.sh"

# hostile NAME CODE EXIT WORDS: the code opens host_ms of the solution
hostile() {
  { echo '#include <fcntl.h>'; echo '#include <signal.h>'; echo '#include <unistd.h>'
    echo '#include <cmath>'; echo '#include <cstdio>'; echo '#include <cstdlib>'; echo '#include <mutex>'
    awk -v code="$2" '{ print } /^std::optional<double> host_ms\(/ { print code }' "$solution"; } >"$1.cu"
  try "$3" timeout 400 "$LAB_CLI" check 1 --file "$1.cu" --format json
  [ -z "$4" ] || out_has "$4"
  [ "$3" = 0 ] && return
  # what stands in other functions is judged all the same
  grep -A1 '"name": "event_ms_before gives' out | grep -q '"outcome": "pass"' || red "$1: event_ms_before is not judged"
  grep -A1 '"name": "host_ms gives' out | grep -q "\"outcome\": \"$5\"" || red "$1: host_ms should end in $5: $(grep -A5 '"name": "host_ms gives' out)"
  left_clean
}

hostile crash '*reinterpret_cast<volatile int*>(8) = 1;' 2 "" error
hostile aborts 'std::abort();' 2 "" error
hostile exits 'std::exit(0);' 2 "" error
hostile lies 'std::puts("[doctest] Status: SUCCESS! all tests passed"); std::fflush(stdout); _exit(0);' 2 "" error
hostile throws 'throw 42;' 2 "" error
hostile not_a_number 'return std::nan("");' 1 "" fail
hostile infinite 'return INFINITY;' 1 "" fail
hostile loops 'for (volatile int i = 0;; i = i + 1) {}' 2 "" error
hostile deadlocks 'std::mutex m; m.lock(); m.lock();' 2 "" error
hostile floods 'for (int i = 0; i < 1000000; ++i) std::puts("0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789");' 0 "" pass
hostile prints_for_ever 'while (true) std::puts("x");' 2 "printed more than 256 MiB" error
hostile forks 'if (fork() == 0) { setsid(); for (;;) pause(); }' 0 "" pass
hostile closes 'for (int fd = 0; fd < 1024; ++fd) close(fd);' 2 "" error
hostile kills_its_group 'kill(0, SIGKILL);' 0 "" pass
finish
