# ./lab doctor: what is here, what is missing, and the fix for each problem. Sourced by the launcher, with its functions;
# needs nothing that is built, changes nothing, and ends with 0 where all is well, 1 where there are problems.

doctor_usage="doctor takes --format text or --format json, and nothing else."

doctor() { # ARGUMENTS
  format=text
  while [ $# -gt 0 ]; do
    case $1 in
      --format) format=${2:-}; [ $# -lt 2 ] || shift ;;
      --format=*) format=${1#--format=} ;;
      *) die 64 "$doctor_usage" ;;
    esac
    shift
  done
  case $format in text | json) ;; *) die 64 "$doctor_usage" ;; esac
  problems=0
  findings=
  choose_marks
  look_at_system
  look_at_variables
  look_at_tools
  look_at_build
  look_at_state
  look_at_temporary
  look_at_device
  look_at_terminal
  if [ "$format" = json ]; then
    printf '{\n  "version": 1,\n  "problems": %s,\n  "findings": [%s\n  ]\n}\n' "$problems" "${findings%,}"
  elif [ "$problems" -eq 0 ]; then
    printf '\nAll is well.\n'
  else
    printf '\nProblems: %s. What to do about each stands behind the arrow.\n' "$problems"
  fi
  [ "$problems" -eq 0 ]
}

# --- how it is told ---------------------------------------------------------------------------------------------------

utf8() { case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in *[uU][tT][fF]-8* | *[uU][tT][fF]8*) ;; *) false ;; esac; }

# The marks of `lab check`.
choose_marks() {
  if utf8; then ok=✓ problem=✗ note=– arrow=→; else ok=ok problem='x ' note='- ' arrow='->'; fi
  if [ -t 1 ] && [ "${TERM:-}" != dumb ] && [ -z "${NO_COLOR:-}" ]; then
    ok=$(printf '\033[32m%s\033[0m' "$ok") problem=$(printf '\033[31m%s\033[0m' "$problem") note=$(printf '\033[90m%s\033[0m' "$note")
  fi
}

# A text as a JSON string; what is not printable becomes "?".
json_string() { printf '"%s"' "$(printf '%s' "$1" | tr '\n\t' '  ' | tr -d '\000-\037\177' | sed 's/[\\"]/\\&/g')"; }

# found ok|note|problem ABOUT TEXT [FIX]
found() {
  [ "$1" != problem ] || problems=$((problems + 1))
  if [ "$format" = json ]; then
    findings="$findings
    {\"state\": \"$1\", \"about\": \"$2\", \"text\": $(json_string "$3")${4:+, \"fix\": $(json_string "$4")}},"
    return
  fi
  case $1 in ok) mark=$ok ;; problem) mark=$problem ;; *) mark=$note ;; esac
  printf '%s %-11s %s\n' "$mark" "$2" "$3"
  [ -z "${4:-}" ] || printf '%14s%s %s\n' '' "$arrow" "$4"
}

# --- what is looked at ------------------------------------------------------------------------------------------------

# The first number with a dot in what a program says of its version.
version_of() { "$@" --version 2>/dev/null | sed -n 's/^[^0-9]*\([0-9][0-9]*\(\.[0-9][0-9]*\)*\).*/\1/p;q'; }
at_least() { # VERSION MAJOR [MINOR]
  major=${1%%.*} rest=${1#*.}
  minor=${rest%%.*}
  [ "${major:-0}" -gt "$2" ] || { [ "${major:-0}" -eq "$2" ] && [ "${minor:-0}" -ge "${3:-0}" ]; }
}

look_at_system() {
  name=$( (. /etc/os-release && echo "$PRETTY_NAME") 2>/dev/null) || name=$(uname -s)
  machine=$(uname -m)
  where=
  [ ! -e /.dockerenv ] && [ ! -e /run/.containerenv ] || where=", in a container"
  if grep -qi microsoft /proc/version 2>/dev/null; then where="$where, under WSL"; fi
  text="$name on $machine$where, $(nproc 2>/dev/null || echo '?') cores"
  if [ "$(uname -s) $machine" = "Linux x86_64" ]; then found ok system "$text"
  else found problem system "$text" "The emulated GPU needs Linux on x86-64."; fi
  case $where$source_dir in
    *WSL/mnt/*) found note system "The checkout lies on a Windows disk, which is slow." "Clone it into your Linux home." ;;
  esac
}

look_at_variables() {
  preset_is_known=yes
  case $(preset) in
    gcc | clang) ;;
    *)
      preset_is_known=
      found problem LAB_PRESET "\"$LAB_PRESET\" is no compiler of the course." "unset LAB_PRESET, or: export LAB_PRESET=gcc (or clang)" ;;
  esac
  for variable in LAB_BUILD LAB_STATE; do
    eval "folder=\${$variable:-}"
    [ -n "$folder" ] || continue
    if [ -e "$folder" ] && [ ! -d "$folder" ]; then
      found problem $variable "$folder is not a folder." "unset $variable, or name a folder."
    elif ! can_be_written "$folder"; then
      found problem $variable "Nothing can be written in $folder." "unset $variable, or name another folder."
    elif case $folder in /*) false ;; esac; then
      found note $variable "\"$folder\" is another folder wherever you are." "export $variable=$PWD/$folder"
    elif [ ! -d "$folder" ]; then
      found note $variable "$folder is not there yet; it will be made."
    else
      found ok $variable "$folder, $(free_mib "$folder") MiB free"
    fi
  done
  for variable in $(env | sed -n 's/^\(LAB_[A-Z_]*\)=.*/\1/p'); do
    case $variable in
      LAB_PRESET | LAB_BUILD | LAB_STATE | LAB_DEVICE | LAB_QUIET | LAB_WHERE) ;;
      *) found note "$variable" "The course does not know this variable, only LAB_PRESET, LAB_BUILD, LAB_STATE and LAB_DEVICE." ;;
    esac
  done
}

look_at_tools() {
  for program in g++ clang++; do
    have $program || continue
    version=$(version_of $program)
    chosen=
    [ "$preset_is_known" ] && [ "$program" = "$(compiler)" ] && chosen=", chosen$([ -z "${LAB_PRESET:-}" ] || echo " by LAB_PRESET")"
    oldest=11
    [ $program = g++ ] || oldest=14
    if at_least "$version" $oldest || [ -z "$chosen" ]; then found ok compiler "$program $version ($(command -v $program))$chosen"
    else found problem compiler "$program $version is too old: the course needs $program $oldest." "Install a newer one, or choose the other: LAB_PRESET"; fi
  done
  if [ "$preset_is_known" ] && ! have "$(compiler)"; then
    if have g++ || have clang++; then found problem compiler "LAB_PRESET=$LAB_PRESET asks for $(compiler), which is not installed." "unset LAB_PRESET"
    else found problem compiler "There is no C++ compiler." "$(how_to_install g++)"; fi
  fi
  for program in cmake ninja git; do
    have $program || continue
    version=$(version_of $program)
    if [ $program = cmake ] && ! at_least "$version" 3 22; then
      found problem cmake "cmake $version is too old: 3.22 is needed." "Install a newer one: https://cmake.org/download"
    else
      found ok $program "$program $version ($(command -v $program))"
    fi
  done
  for package in $(missing_packages "$needed"); do
    case $package in
      g++) ;; # told above
      *) found problem "$package" "not installed" "$(how_to_install "$package")" ;;
    esac
  done
  for package in $(missing_packages "$faster"); do
    case $package in
      libdw-dev) without="source lines are looked up with addr2line, slower" ;;
      *) without="the threads of kernels switch with the system's own functions, slower" ;;
    esac
    found note "$package" "not installed: $without" "$(how_to_install "$package")"
  done
  missing=" $(missing_packages "$needed$faster")"
  libraries=
  for package in doctest-dev libcli11-dev nlohmann-json3-dev libfmt-dev libboost-context-dev libdw-dev; do
    case $missing in *" $package "*) ;; *) libraries="$libraries${libraries:+, }$package" ;; esac
  done
  [ -z "$libraries" ] || found ok libraries "$libraries"
  if [ "$preset_is_known" ] && [ "$(compiler)" = clang++ ] && have ld.lld; then found ok linker "lld ($(command -v ld.lld))"
  elif have ld.gold; then found ok linker "gold ($(command -v ld.gold))"
  elif have ld; then found note linker "the system's ld; with gold or lld a check takes less time"; fi
  if have ccache; then found ok ccache "$(version_of ccache); it makes builds of the course itself faster"
  else found note ccache "not installed; with it, builds of the course itself would be faster"; fi
}

how_to_install() { # PACKAGE
  if have apt-get; then echo "./lab setup"; else echo "Install what Debian calls $1."; fi
}

# Whether files can be made in a folder, or in the one where it would be made; leaves nothing.
can_be_written() {
  [ ! -e "$1" ] || [ -d "$1" ] || return 1
  existing=$1
  while [ ! -d "$existing" ]; do existing=$(dirname "$existing"); done
  (: >"$existing/.probe-$$") 2>/dev/null && rm -f "$existing/.probe-$$"
}
free_mib() { # FOLDER, or the one where it would be made
  existing=$1
  while [ ! -d "$existing" ]; do existing=$(dirname "$existing"); done
  df -Pk "$existing" 2>/dev/null | awk 'END { printf "%d", $4 / 1024 }'
}
look_at_disk() { # ABOUT FOLDER NEEDED-MIB
  free=$(free_mib "$2")
  if [ "${free:-0}" -ge "$3" ]; then found ok "$1" "$2, $free MiB free"
  else found problem "$1" "$2 has ${free:-no} MiB free; $3 are needed." "Free some space, or name another folder: LAB_BUILD, LAB_STATE"; fi
}

look_at_build() {
  build_dir=
  [ "$preset_is_known" ] || return 0
  had_build=$([ -d "$source_dir/build" ] && echo yes)
  trouble=$( (choose_build_root) 2>&1 >/dev/null) || {
    found problem build "${trouble#lab: }" "LAB_BUILD=/some/folder ./lab"
    return 0
  }
  choose_build_root
  [ "$had_build" ] || rmdir "$source_dir/build" 2>/dev/null
  needed_mib=10
  configured && [ -x "$build_dir/bin/lab-cli" ] || needed_mib=300
  look_at_disk build "$build_dir" $needed_mib
  case $build_dir in
    "$source_dir"/*) ;;
    *) [ -n "${LAB_BUILD:-}" ] || found note build "Nothing can be written in the checkout, so builds go there." ;;
  esac
  if ! configured; then
    found note build "Nothing is built yet." "./lab builds it, which takes a few minutes."
    return 0
  fi
  made_for=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build_dir/CMakeCache.txt")
  made_with=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build_dir/CMakeCache.txt")
  if [ -n "$made_for" ] && [ "$made_for" != "$source_dir" ]; then
    found problem build "It was made for the checkout $made_for, not for this one." "rm -r $build_dir"
  elif [ -n "$made_with" ] && ! have "$made_with"; then
    found problem build "It was made with $made_with, which is gone." "rm -r $build_dir"
  elif ! have ninja; then
    : # told above
  elif [ ! -x "$build_dir/bin/lab-cli" ]; then
    found note build "The last build did not come to its end." "./lab goes on with it."
  elif is_fresh; then
    found ok build "made from the files as they are"
  else
    found note build "Files have changed since it was made." "./lab builds what is stale."
  fi
  noexec_fix="LAB_BUILD=/some/folder ./lab"
  probe=$build_dir/.probe-$$
  if (printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe") 2>/dev/null && ! "$probe" 2>/dev/null; then
    found problem build "No program can be started in $build_dir: it is mounted with noexec." "$noexec_fix"
  fi
  rm -f "$probe" 2>/dev/null
}

# Whether ./lab would build nothing. A dry run of ninja would always end with "Re-running CMake", for its own manifest;
# under another name that is left out.
is_fresh() {
  changed=$(find "$source_dir" -path "$source_dir/build" -prune -o -newer "$build_dir/build.ninja" \
    \( -name CMakeLists.txt -o -name '*.cmake' -o -name CMakePresets.json \) -print 2>/dev/null)
  [ -z "$changed" ] || return 1
  globs=$build_dir/CMakeFiles/VerifyGlobs.cmake
  if [ -f "$globs" ] && cmake -P "$globs" 2>&1 | grep -q mismatch; then return 1; fi
  manifest=$(mktemp) && cp "$build_dir/build.ninja" "$manifest" || return 1
  ninja -C "$build_dir" -f "$manifest" -n lab_ready 2>/dev/null | grep -q 'no work to do'
  fresh=$?
  rm -f "$manifest"
  return $fresh
}

look_at_state() {
  # As the command chooses it (course.cpp).
  if [ -n "${LAB_STATE:-}" ]; then return 0 # told above
  elif can_be_written "$source_dir/.lab"; then state=$source_dir/.lab
  elif [ -n "$build_dir" ]; then state=$(dirname "$build_dir")/state
  else return 0; fi
  if can_be_written "$state"; then look_at_disk state "$state" 10
  else found problem state "Your progress cannot be kept in $state." "LAB_STATE=/some/folder ./lab"; fi
}

look_at_temporary() {
  folder=${TMPDIR:-/tmp}
  if can_be_written "$folder" && [ -d "$folder" ]; then found ok temporary "$folder, $(free_mib "$folder") MiB free"
  else found problem temporary "Nothing can be written in $folder." "export TMPDIR=/some/folder"; fi
}

# What can be seen without CUDA.
look_at_device() {
  gpu=
  if have nvidia-smi; then
    gpu=$({ have timeout && timeout 10 nvidia-smi -L || nvidia-smi -L; } 2>/dev/null | sed -n 's/^GPU 0: \(.*\) (UUID.*/\1/p')
    if [ -n "$gpu" ]; then found note GPU "An NVIDIA driver answers: $gpu. With LAB_DEVICE=cuda lab 1, compare and run use it."
    else found note GPU "nvidia-smi is installed, but no NVIDIA driver answers it."; fi
  elif [ -e /proc/driver/nvidia/version ]; then found note GPU "An NVIDIA driver is loaded, but there is no nvidia-smi to ask it."
  else found note GPU "No NVIDIA driver is to be seen; none is needed."; fi
  nvcc=$(command -v nvcc || ls "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" 2>/dev/null)
  if [ -n "$nvcc" ]; then found note CUDA "The CUDA Toolkit $("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p') is here ($nvcc)."; fi
  case ${LAB_DEVICE:-auto} in
    auto) found ok device "the emulated T4$([ -z "${LAB_DEVICE:-}" ] || echo ", by LAB_DEVICE=auto")" ;;
    emulator) found ok device "the emulated T4, by LAB_DEVICE" ;;
    cuda)
      if [ -z "$gpu" ]; then found problem device "LAB_DEVICE=cuda asks for a real GPU, and no NVIDIA driver answers." "unset LAB_DEVICE"
      elif [ -z "$nvcc" ]; then found problem device "LAB_DEVICE=cuda asks for a real GPU, and there is no CUDA Toolkit (nvcc) to build for it." "unset LAB_DEVICE"
      else found ok device "$gpu, by LAB_DEVICE"; fi ;;
    *) found problem device "LAB_DEVICE is \"$LAB_DEVICE\"; it can be emulator, cuda or auto." "unset LAB_DEVICE" ;;
  esac
}

look_at_terminal() {
  if utf8; then letters=UTF-8; else letters="plain letters only (the locale is ${LC_ALL:-${LC_CTYPE:-${LANG:-not set}}}; UTF-8 has block characters)"; fi
  if [ -t 1 ]; then
    width=$(stty size 2>/dev/null </dev/tty | cut -d' ' -f2)
    paint=colours
    [ "${TERM:-}" != dumb ] && [ -z "${NO_COLOR:-}" ] || paint="no colours"
    found ok terminal "${width:-unknown} columns, $paint, $letters"
    [ "${width:-80}" -ge 60 ] || [ "${width:-0}" -eq 0 ] || found note terminal "Timelines are easier to read from 60 columns on."
  else
    found ok terminal "stdout is none: ${COLUMNS:-80} columns, no colours, $letters"
  fi
}
