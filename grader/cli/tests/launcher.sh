# The ./lab launcher, in a toy checkout whose "command" is a script: building, waiting, and every way not to build.
. "$(dirname "$0")/library.sh"
unset LAB_PRESET LAB_BUILD

mkdir toy
cp "$LAB_SOURCE/lab" "$LAB_SOURCE/CMakePresets.json" toy/
cat >toy/command <<'END'
#!/bin/sh
printf '[%s]' "$@"
exit 7
END
cat >toy/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(toy LANGUAGES NONE)
enable_testing()
add_test(NAME toy.test COMMAND true)
add_custom_command(OUTPUT bin/lab-cli COMMAND sh -c "sleep $LAB_TOY_SLEEP" COMMAND sh ${CMAKE_SOURCE_DIR}/compile
                   COMMAND install -D -m 755 ${CMAKE_SOURCE_DIR}/command bin/lab-cli DEPENDS command compile VERBATIM)
add_custom_target(lab_ready ALL DEPENDS bin/lab-cli)
if(NOT lab_doxygen_awesome)
  set(lab_doxygen_awesome "$ENV{LAB_TOY_AWESOME}" CACHE PATH "" FORCE)
endif()
add_custom_target(docs COMMAND ${CMAKE_COMMAND} -E make_directory docs/html COMMAND ${CMAKE_COMMAND} -E touch docs/html/index.html)
END
echo 'echo compiled >>compilations' >toy/compile
export LAB_TOY_SLEEP=0
compilations() { cat "${1:-toy/build/gcc}/compilations" 2>/dev/null | wc -l; }

# Help needs nothing that is built; an option that there is not is told, also where ctest would pass over it.
install -D "$LAB_SOURCE/grader/cli/launcher/doctor.sh" toy/grader/cli/launcher/doctor.sh
for command in setup docs test doctor completion; do
  for option in --help -h; do
    try 0 toy/lab $command $option
    out_has "Usage: ./lab $command"
    err_lines 0
  done
  try 64 toy/lab $command --nonsense
  err_has "./lab $command --help"
  err_lines 1
done
try 0 toy/lab test -R x --help
try 64 toy/lab test toy
err_has "./lab test -R toy"
[ ! -e toy/build/gcc ] || red "help or misuse has built something"

# Builds once, then only hands over.
try 7 toy/lab run "two words" ''
same "$(cat out)" "[run][two words][]" "arguments"
err_has "first build"
try 7 toy/lab
same "$(cat err)" "" "words of the launcher when nothing is stale"
try 7 sh -c 'cd / && exec "$0" x' "$work/toy/lab"
ln -s toy/lab link
try 7 ./link
same "$(compilations)" 1 "compilations"
echo "# changed" >>toy/command
try 7 toy/lab
same "$(compilations)" 2 "compilations after a change"
try 0 toy/lab test
out_has "100% tests passed"
try 0 toy/lab test -R toy -j2 -VV --timeout 60 --repeat until-pass:2
out_has "100% tests passed"
for option in --show-only=json-v1 -N "-j 2"; do try 0 toy/lab test $option; done
for option in -Rtoy -Vfoo -jfoo; do
  try 64 toy/lab test $option
  err_has "$option is none"
done
try 0 toy/lab setup
err_has "ready"
try 64 toy/lab setup now
try 64 env LAB_PRESET=icc toy/lab
err_has "gcc or clang"
try 7 env LAB_BUILD="$work/elsewhere" toy/lab
[ -x elsewhere/gcc/bin/lab-cli ] || red "LAB_BUILD is not used"

# Two at once: one builds, the other says that it waits, and both go on.
echo "# changed again" >>toy/command
export LAB_TOY_SLEEP=2.5
toy/lab one >out1 2>err1 &
first=$!
sleep 0.3
toy/lab two >out2 2>err2 &
second=$!
wait $first; same $? 7 "the first of two"
wait $second; same $? 7 "the second of two"
export LAB_TOY_SLEEP=0
same "$(compilations)" 3 "compilations of two at once"
grep -q "waiting for another lab" err2 || red "the second does not say that it waits: $(cat err2)"

# The documentation: built, told where, and opened where there is a screen.
mkdir tools
printf '#!/bin/sh\n' | tee tools/doxygen >tools/python3
printf '#!/bin/sh\necho "$@" >>%s/opened\n' "$work" >tools/xdg-open
chmod +x tools/*
docs() { try "$1" env -u DISPLAY -u WAYLAND_DISPLAY PATH="$work/tools:$PATH" "${@:2}" toy/lab docs; }
page=$work/toy/build/gcc/docs/html/index.html
rm -rf toy/build
LAB_TOY_AWESOME=/a/folder docs 0
same "$(cat out)" "$page" "the place of the documentation"
err_lacks "plain"
[ -e "$page" ] || red "no documentation was built"
[ ! -e opened ] || red "opened without a screen"
docs 0 DISPLAY=:9
same "$(cat opened)" "$page" "what is opened"
rm -rf toy/build
LAB_TOY_AWESOME=NOTFOUND docs 0
err_has "plain"
LAB_TOY_AWESOME=/a/folder docs 0
err_lacks "plain" # installed meanwhile
try 64 toy/lab docs now
rm -rf toy/build
try 7 toy/lab

# A build that fails: the first error, not everything.
cp toy/compile good
printf 'for i in $(seq 500); do echo "line $i"; done\necho "x.cpp:3:1: error: the first"\nfor i in $(seq 500); do echo "y.cpp:$i: error: later"; done\nexit 1\n' >toy/compile
try 2 toy/lab
err_has "error: the first"
err_lines 8
cp good toy/compile

# Stopped in the middle of the first build, in any way: the next one is whole.
for signal in INT TERM KILL; do
  rm -rf toy/build
  LAB_TOY_SLEEP=5 setsid env --default-signal=INT toy/lab >out 2>err &
  child=$!
  sleep 1.2
  kill -"$signal" -- -"$child" 2>/dev/null || kill -"$signal" "$child"
  wait "$child" 2>/dev/null
  try 7 toy/lab again
done

# Nothing installed, with and without apt.
mkdir bare
for tool in sh dirname readlink id mkdir rm cut cksum cat grep sed tail tr mktemp env printf head nproc; do
  ln -s "$(command -v $tool)" bare/ 2>/dev/null
done
rm -rf toy/build
try 69 env PATH="$work/bare" toy/lab check
err_has "./lab setup"
err_has "cmake"
try 69 env PATH="$work/bare" toy/lab setup
err_has "no apt"
err_has "ninja-build"
try 69 env PATH="$work/bare" toy/lab docs
err_has "apt-get install doxygen"
err_lines 1
printf '#!/bin/sh\necho "$@" >>%s/apt-log\n' "$work" >bare/apt-get
chmod +x bare/apt-get
if [ "$(id -u)" = 0 ]; then
  try 69 env PATH="$work/bare" toy/lab setup
  err_has "still missing"
  grep -q "^update" apt-log && grep -q "^install -y .*g++.*cmake" apt-log || red "apt was called with: $(cat apt-log)"
  [ "$(grep -n 'installing with' err | cut -d: -f1)" -le 2 ] || red "it does not say first what it installs"
fi

# Nothing missing but what makes checks faster, without apt, and with one that fails: it goes on, and says so once.
mkdir little
for tool in sh dirname readlink id mkdir rm cut cksum cat grep sed tail tr mktemp env head nproc awk df sleep install flock cmake ninja git wc; do
  ln -s "$(command -v $tool)" little/
done
printf '#!/bin/sh\ncase $1 in -print-file-name=*) echo "${1#*=}" ;; *) PATH=%s exec %s "$@" ;; esac\n' "$PATH" "$(command -v g++)" >little/g++
chmod +x little/g++
rm -rf toy/build
try 0 env PATH="$work/little" toy/lab setup
err_has "no apt"
err_has "libboost-context-dev libdw-dev"
err_has "going on without"
err_has "ready"
try 7 env PATH="$work/little" toy/lab check
same "$(cat err)" "" "words of the launcher when what makes checks faster is missing"
if [ "$(id -u)" = 0 ]; then
  printf '#!/bin/sh\necho "no network"; exit 100\n' >little/apt-get
  chmod +x little/apt-get
  try 0 env PATH="$work/little" toy/lab setup
  err_has "no network"
  err_has "going on without"
  # What it could install is looked for again.
  printf '#!/bin/sh\nexit 0\n' >little/apt-get
  echo "message(STATUS configured)" >>toy/CMakeLists.txt
  env PATH="$work/little" toy/lab check >/dev/null 2>&1
  try 0 env PATH="$work/little" toy/lab setup
  grep -q "configured" toy/build/gcc/lab-build.log || red "not configured again after an installation"
fi

unshare -m true 2>/dev/null || { echo "mounts are not permitted here: read-only and full disks are not tested"; finish; }

read_only() { # ENVIRONMENT... : the toy, mounted read-only
  unshare -m sh -c 'mount --bind toy toy && mount -o remount,bind,ro toy && shift && exec env "$@" toy/lab x' sh - "$@"
}
rm -rf toy/build
try 7 read_only XDG_CACHE_HOME="$work/cache"
ls cache/cuda-event-labs/*/gcc/bin/lab-cli >/dev/null || red "nothing was built in the cache folder"
try 7 read_only -u XDG_CACHE_HOME HOME="$work/home"
ls home/.cache/cuda-event-labs/*/gcc/bin/lab-cli >/dev/null || red "nothing was built in ~/.cache"
try 7 read_only -u XDG_CACHE_HOME -u HOME TMPDIR="$work"
try 2 read_only XDG_CACHE_HOME=/proc/nowhere
err_has "LAB_BUILD"

small_disk() { # SIZE BYTES : builds on a disk of that size, with so much on it
  unshare -m sh -c 'mkdir -p disk && mount -t tmpfs -o size=$1 none disk && head -c $2 /dev/zero >disk/filler 2>/dev/null
    LAB_BUILD=$PWD/disk/build exec toy/lab ${task:-x}' sh "$@"
}
try 2 small_disk 16k 100000000
err_has "disk"
err_lines 3
task=run try 125 small_disk 16k 100000000
# What fails there may neither say why nor leave it full.
echo 'echo "x.cpp: error: something went wrong"; exit 1' >toy/compile
try 2 small_disk 4m 0
err_has "disk is full"
err_lines 3
cp good toy/compile
finish
