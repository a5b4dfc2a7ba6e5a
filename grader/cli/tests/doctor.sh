# `./lab doctor`, in a toy checkout: everything that can be wrong is told with its fix, with nothing built too.
. "$(dirname "$0")/library.sh"
unset LAB_PRESET LAB_BUILD LAB_STATE
for variable in LAB_CLI LAB_SOURCE LAB_COMPILER; do export -n $variable; done # which are the tests' own

mkdir -p toy/grader/cli
cp "$LAB_SOURCE/lab" "$LAB_SOURCE/CMakePresets.json" toy/
cp -r "$LAB_SOURCE/grader/cli/launcher" toy/grader/cli/
cat >toy/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(toy LANGUAGES NONE)
add_custom_command(OUTPUT bin/lab-cli COMMAND install -D -m 755 ${CMAKE_SOURCE_DIR}/command bin/lab-cli DEPENDS command VERBATIM)
add_custom_target(lab_ready ALL DEPENDS bin/lab-cli)
END
printf '#!/bin/sh\n' >toy/command
doctor() { LC_ALL=C toy/lab doctor "$@"; }
silent() { same "$(cat err)" "" "stderr of doctor"; }

# tells CODE STATE ABOUT TEXT [FIX]: of the last run
tells() {
  local line
  line=$(grep -A1 -F -- "$3" out | head -n 2)
  case $line in "$1"*" $2 "*"$3"*) ;; *) red "no $1 of $2 with \"$3\": $(cat out)" ;; esac
  [ -z "${4:-}" ] || case $line in *"-> $4"*) ;; *) red "\"$3\" without the fix \"$4\": $line" ;; esac
}

# Well, with nothing built, and leaving nothing.
try 0 doctor
silent
out_has "All is well."
tells ok compiler ", chosen"
tells ok libraries "doctest-dev, libcli11-dev, nlohmann-json3-dev, libfmt-dev, libboost-context-dev, libdw-dev"
tells - build "Nothing is built yet." "./lab builds it"
tells ok device "the emulated T4"
! LC_ALL=C grep -q '[^ -~]' out || red "other than plain letters where the locale has no others"
[ ! -e toy/build ] && [ ! -e toy/.lab ] || red "doctor left something in the checkout"
LC_ALL=C.UTF-8 toy/lab doctor >out
grep -q '^✓ ' out || red "no marks where the locale has them"

# Built, changed, moved.
try 0 toy/lab
try 0 doctor
tells ok build "made from the files as they are"
echo '# changed' >>toy/command
try 0 doctor
tells - build "Files have changed since it was made." "./lab builds"
try 0 toy/lab
echo '# changed' >>toy/CMakeLists.txt
try 0 doctor
tells - build "Files have changed since it was made." "./lab builds"
cp -r toy moved
LC_ALL=C try 1 moved/lab doctor
tells x build "It was made for the checkout $work/toy, not for this one." "rm -r $work/moved/build/gcc"
rm -rf moved

# Variables that name nothing.
touch a-file
try 1 env LAB_PRESET=icc LC_ALL=C toy/lab doctor
silent
tells x LAB_PRESET '"icc" is no compiler of the course.' "unset LAB_PRESET"
for variable in LAB_BUILD LAB_STATE; do
  try 1 env LC_ALL=C $variable="$work/a-file" toy/lab doctor
  tells x $variable "$work/a-file is not a folder." "unset $variable"
  try 1 env LC_ALL=C $variable=/proc/nowhere/at/all toy/lab doctor
  tells x $variable "Nothing can be written in /proc/nowhere/at/all." "unset $variable"
  try 0 env LC_ALL=C $variable="$work/new" toy/lab doctor
  tells - $variable "$work/new is not there yet"
  [ ! -e new ] || red "doctor made the folder of $variable"
  try 0 env LC_ALL=C $variable=new toy/lab doctor
  tells - $variable '"new" is another folder wherever you are.' "export $variable=$work/new"
done
try 0 env LC_ALL=C LAB_DEVCIE=cuda toy/lab doctor
tells - LAB_DEVCIE "does not know this variable"
try 1 env LC_ALL=C TMPDIR=/nowhere toy/lab doctor
tells x temporary "Nothing can be written in /nowhere."

# The device, as far as it shows without CUDA.
if ! command -v nvidia-smi >/dev/null; then
  try 1 env LC_ALL=C LAB_DEVICE=cuda toy/lab doctor
  tells x device "LAB_DEVICE=cuda asks for a real GPU, and no NVIDIA driver answers" "unset LAB_DEVICE"
fi
try 1 env LC_ALL=C LAB_DEVICE=toaster toy/lab doctor
tells x device 'LAB_DEVICE is "toaster"' "unset LAB_DEVICE"
mkdir smi
printf '#!/bin/sh\necho "GPU 0: NVIDIA H200 (UUID: GPU-1)"\n' >smi/nvidia-smi
chmod +x smi/nvidia-smi
try 0 env LC_ALL=C PATH="$work/smi:$PATH" toy/lab doctor
tells - GPU "An NVIDIA driver answers: NVIDIA H200."
printf '#!/bin/sh\necho "NVIDIA-SMI has failed"; exit 9\n' >smi/nvidia-smi
try 0 env LC_ALL=C PATH="$work/smi:$PATH" toy/lab doctor
tells - GPU "no NVIDIA driver answers it"

# Nothing installed, and what is too old.
mkdir bare
for tool in sh dirname readlink id mkdir rm rmdir cut cksum cat grep sed tail tr mktemp env printf head nproc uname df awk find cp chmod stty; do
  ln -s "$(command -v $tool)" bare/ 2>/dev/null
done
bare() { env LC_ALL=C PATH="$work/bare" "$@" toy/lab doctor; }
try 1 bare
silent
tells x compiler "There is no C++ compiler." "Install what Debian calls g++."
printf '#!/bin/sh\n' >bare/apt-get
chmod +x bare/apt-get
try 1 bare
silent
tells x compiler "There is no C++ compiler." "./lab setup"
for package in cmake ninja-build git; do
  grep -A1 "^x  $package  *not installed" out | grep -q "./lab setup" || red "$package is not told as missing: $(cat out)"
done
printf '#!/bin/sh\necho "g++ (Old 9.4.0-1) 9.4.0"\n' >bare/g++
printf '#!/bin/sh\necho "cmake version 3.18.4"\n' >bare/cmake
chmod +x bare/g++ bare/cmake
try 1 bare
tells x compiler "g++ 9.4.0 is too old"
tells x cmake "cmake 3.18.4 is too old"
try 1 bare LAB_PRESET=clang
tells x compiler "LAB_PRESET=clang asks for clang++, which is not installed." "unset LAB_PRESET"

# What only makes checks faster is no problem. A compiler that finds no library stands for one where there are none.
mkdir without
printf '#!/bin/sh\ncase $1 in -print-file-name=*) echo "${1#*=}" ;; *) exec %s "$@" ;; esac\n' "$(command -v g++)" >without/g++
chmod +x without/g++
try 0 env LC_ALL=C PATH="$work/without:$PATH" toy/lab doctor
silent
tells - libdw-dev "not installed: source lines are looked up with addr2line, slower"
tells - libboost-context-dev "not installed: the threads of kernels switch with the system's own functions, slower"
tells ok libraries "doctest-dev, libcli11-dev, nlohmann-json3-dev, libfmt-dev"
out_has "All is well."

# As JSON, also with what JSON has to escape.
try 1 env LAB_DEVICE='a"b\c	d' toy/lab doctor --format json
silent
cat >json.cmake <<'END'
file(READ out text)
string(JSON problems GET "${text}" problems)
string(JSON last LENGTH "${text}" findings)
math(EXPR last "${last} - 1")
foreach(at RANGE ${last})
  string(JSON state GET "${text}" findings ${at} state)
  string(JSON about GET "${text}" findings ${at} about)
  string(JSON what GET "${text}" findings ${at} text)
  message("${problems} ${state} ${about}: ${what}")
endforeach()
END
cmake -P json.cmake 2>json || red "not JSON: $(head -n 3 json)"
grep -qF '1 problem device: LAB_DEVICE is "a"b\c d"' json || red "the JSON has: $(cat json)"
for misuse in --fromat "--format xml" "--format" extra; do
  # shellcheck disable=SC2086
  try 64 doctor $misuse
  err_has "--format"
done

unshare -m true 2>/dev/null || { echo "mounts are not permitted here: read-only and full disks are not tested"; finish; }
unshare -m sh -c 'mount --bind toy toy && mount -o remount,bind,ro toy && LC_ALL=C XDG_CACHE_HOME=$PWD/cache exec toy/lab doctor' >out 2>err
same $? 0 "the exit code in a read-only checkout"
tells - build "Nothing can be written in the checkout, so builds go there."
unshare -m sh -c 'mkdir disk && mount -t tmpfs -o size=5m none disk && LC_ALL=C LAB_BUILD=$PWD/disk exec toy/lab doctor' >out 2>err
same $? 1 "the exit code where the disk is small"
tells x build "are needed." "Free some space"
unshare -m sh -c 'mkdir noexec && mount -t tmpfs -o noexec none noexec && mkdir -p noexec/build && cp -r toy/build/gcc noexec/build/ &&
  LC_ALL=C LAB_BUILD=$PWD/noexec/build exec toy/lab doctor' >out 2>err
same $? 1 "the exit code where no program can be started"
out_has "noexec"
finish
