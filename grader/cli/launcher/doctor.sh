# ./lab doctor: what is here, what is missing, and the fix for each problem. Sourced by the launcher, with its functions;
# needs nothing that is built, changes nothing, and ends with 0 where all is well, 1 where there are problems.

doctor_usage="doctor takes --format text or --format json, and nothing else. Help: ./lab doctor --help"

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
  look_at_driver
  look_at_toolkit
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

# What stands before /proc, /dev and /usr; the tests put a folder here.
system=

is_wsl() { grep -qi microsoft "$system/proc/version" 2>/dev/null; }
is_container() { [ -e "$system/.dockerenv" ] || [ -e "$system/run/.containerenv" ]; }

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
  if is_container; then where=", in a container"; fi
  if is_wsl; then where="$where, under WSL"; fi
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
      LAB_PRESET | LAB_BUILD | LAB_STATE | LAB_DEVICE | LAB_EMULATED_GPU | LAB_QUIET | LAB_WHERE) ;;
      *) found note "$variable" "The course does not know this variable, only LAB_PRESET, LAB_BUILD, LAB_STATE, LAB_DEVICE and LAB_EMULATED_GPU." ;;
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

# --- a real GPU -------------------------------------------------------------------------------------------------------

# What is wrong with a real GPU is a problem for those alone who ask for it.
hinders() { # ABOUT TEXT FIX
  if [ "${LAB_DEVICE:-}" = cuda ]; then found problem "$@"; else found note "$@"; fi
}

ask_driver() { # a driver in trouble may never answer
  if have timeout; then timeout 10 "$smi" "$@" 2>&1; else "$smi" "$@" 2>&1; fi
}

look_at_driver() {
  gpus= driver_cuda= said=
  smi=$(command -v nvidia-smi)
  if [ -z "$smi" ] && is_wsl && [ -x "$system/usr/lib/wsl/lib/nvidia-smi" ]; then
    smi=$system/usr/lib/wsl/lib/nvidia-smi
    found note GPU "nvidia-smi is not on the PATH, as often under WSL." 'export PATH=$PATH:/usr/lib/wsl/lib'
  fi
  if [ -n "$smi" ]; then
    said=$(ask_driver --query-gpu=index,uuid,compute_cap,driver_version,compute_mode,mig.mode.current,name --format=csv,noheader)
    case $said in
      [0-9]*,*) gpus=$(printf '%s\n' "$said" | sed 's/, /,/g') ;;
      *) hinders GPU "nvidia-smi is installed, but no NVIDIA driver answers it: $(printf '%s' "${said:-it says nothing}" | head -n 1)" \
        "$(driver_fix)" ;;
    esac
  elif [ -e "$system/proc/driver/nvidia/version" ]; then
    hinders GPU "An NVIDIA driver is loaded, but there is no nvidia-smi to ask it." "$(driver_fix)"
  elif is_wsl && [ ! -e "$system/dev/dxg" ]; then
    hinders GPU "WSL passes no GPU on (there is no /dev/dxg); none is needed." \
      "In Windows: install NVIDIA's driver, then wsl --update and wsl --shutdown."
  else
    found note GPU "No NVIDIA driver is to be seen; none is needed."
  fi
  [ -n "$gpus" ] || return 0
  # The header is the only place where it stands.
  driver_cuda=$(ask_driver | sed -n 's/.*CUDA [A-Z]* *Version: *\([0-9][0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
  apps=$(ask_driver --query-compute-apps=gpu_uuid,pid,used_memory,process_name --format=csv,noheader | sed 's/, /,/g')
  while IFS=, read -r index uuid capability driver mode mig name; do
    look_at_gpu
  done <<END
$gpus
END
  if is_wsl; then found note GPU "Under WSL nobody can see who else uses the GPU, and CUPTI times GPUs from Turing (7.5) on alone."; fi
  case ${CUDA_VISIBLE_DEVICES-unset} in
    '' | -1) hinders GPU "CUDA_VISIBLE_DEVICES hides every GPU from CUDA programs." "unset CUDA_VISIBLE_DEVICES" ;;
  esac
}

# By what nvidia-smi has $said.
driver_fix() {
  case $said in
    *version\ mismatch*) echo "Restart the machine: the driver was updated, and the old one is still loaded." ;;
    *)
      if [ -n "${COLAB_RELEASE_TAG:-}" ]; then echo "In the menu: Runtime > Change runtime type > T4 GPU."
      elif is_container; then echo "Start the container with --gpus all (the host needs NVIDIA's Container Toolkit)."
      else echo "Load the driver (sudo modprobe nvidia), or install it again and restart the machine."; fi ;;
  esac
}

look_at_gpu() { # one line of the driver's answer
  found ok GPU "$index: $name, compute capability $capability, driver $driver${driver_cuda:+ for CUDA up to $driver_cuda}"
  case $mode in
    Exclusive*) hinders GPU "$index: one program at a time may use it (compute mode $mode), so others lock the course out." \
      "sudo nvidia-smi -i $index -c DEFAULT" ;;
    Prohibited) hinders GPU "$index: no program may compute on it (compute mode $mode)." \
      "sudo nvidia-smi -i $index -c DEFAULT" ;;
  esac
  [ "$mig" != Enabled ] || found note GPU "$index: it is divided (MIG); a program gets one part of it, and that part's times. nvidia-smi -L lists them."
  others=$(printf '%s\n' "$apps" | awk -F, -v uuid="$uuid" '$1 == uuid { printf "%spid %s (%s, %s)", (n++ ? ", " : ""), $2, $4, $3 }')
  [ -z "$others" ] || hinders GPU "$index: others compute on it: $others. Times measured now are not to be trusted." \
    "Wait until they have ended, or choose another GPU: export CUDA_VISIBLE_DEVICES=NUMBER"
}

look_at_toolkit() {
  nvcc=
  for place in "${CUDA_HOME:-/nowhere}" "${CUDA_PATH:-/nowhere}" "$system/usr/local/cuda"; do # in CMake's order (common/cupti)
    [ -n "$nvcc" ] || [ ! -x "$place/bin/nvcc" ] || nvcc=$place/bin/nvcc
  done
  [ -n "$nvcc" ] || nvcc=$(command -v nvcc) || return 0
  toolkit_version=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
  if [ -z "$toolkit_version" ]; then
    hinders CUDA "$nvcc does not say its version, so it does not work." "Install the CUDA Toolkit again."
    return 0
  fi
  if at_least "$toolkit_version" 12; then found ok CUDA "The CUDA Toolkit $toolkit_version is here ($nvcc)."
  else hinders CUDA "The CUDA Toolkit $toolkit_version ($nvcc) is too old for the course." "Install CUDA 12 or 13."; fi
  toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  { in_toolkit include/cuda_runtime_api.h && in_toolkit lib/libcudart_static.a; } >/dev/null ||
    hinders CUDA "The toolkit lacks the runtime's headers or libcudart_static.a." \
      "Install NVIDIA's cuda-cudart-dev-$(dashed "$toolkit_version"), or Debian's nvidia-cuda-dev."
  look_at_cupti
  look_at_host_compiler
  look_at_versions
  if [ -f "${build_dir:-}/lab-toolchain.json" ] && grep -q '"cuda": null' "$build_dir/lab-toolchain.json"; then
    hinders build "It was made for the emulated GPU alone: without the toolkit, or with LAB_CUDA=OFF." \
      "rm -r $build_dir, then ./lab"
  fi
}

dashed() { printf '%s' "$1" | tr . -; }

# Where a part of the toolkit lies: include/NAME or lib/NAME.
in_toolkit() {
  for place in "$toolkit" "$toolkit/targets/x86_64-linux" "$toolkit/extras/CUPTI" "$system/usr"; do
    for file in "$place/$1" "$place/lib64/${1#lib/}" "$place/lib/x86_64-linux-gnu/${1#lib/}"; do
      if [ -e "$file" ]; then echo "$file"; return; fi
    done
  done
  return 1
}

look_at_cupti() {
  install_cupti="Install NVIDIA's cuda-cupti-dev-$(dashed "$toolkit_version"), or Debian's libcupti-dev."
  if ! header=$(in_toolkit include/cupti.h) || ! library=$(in_toolkit lib/libcupti.so); then
    hinders CUPTI "Its header or its library is missing, so nothing can be recorded on a real GPU." "$install_cupti"
    return 0
  fi
  # 130001 is of CUDA 13; before, it counted up: 18 is of CUDA 12.0.
  number=$(sed -n 's/^#define CUPTI_API_VERSION *\([0-9]*\).*/\1/p' "${header%.h}_version.h" 2>/dev/null)
  number=${number:-0} wanted=${toolkit_version%%.*}
  if [ "$number" -ge 10000 ]; then cupti_for=$((number / 10000))
  elif [ "$number" -ge 18 ]; then cupti_for=12
  else cupti_for=11; fi
  if [ "$cupti_for" != "$wanted" ]; then hinders CUPTI "$header is of CUDA $cupti_for, the toolkit of $toolkit_version." \
    "$install_cupti"
  elif [ ! -e "$library.$wanted" ]; then hinders CUPTI "$library is not of the toolkit's version: there is no $library.$wanted." \
    "$install_cupti"
  else found ok CUPTI "$library, of CUDA $cupti_for"; fi
  if grep -q '^RmProfilingAdminOnly: *1' "$system/proc/driver/nvidia/params" 2>/dev/null && [ "$(id -u)" != 0 ]; then
    found note CUPTI "Profiling is for administrators alone here; what the course records is usually permitted all the same." \
      "If CUPTI refuses: modprobe nvidia NVreg_RestrictProfilingToAdminUsers=0, or run as root."
  fi
}

# nvcc refuses host compilers that are newer than itself.
look_at_host_compiler() {
  [ "$preset_is_known" ] && have "$(compiler)" || return 0
  refused=$(echo | "$nvcc" -x cu -E -ccbin "$(compiler)" - 2>&1 >/dev/null) ||
    hinders CUDA "nvcc does not get on with $(compiler) $(version_of "$(compiler)"): $(printf '%s\n' "$refused" | grep -m 1 error)" \
      "Install a newer CUDA Toolkit, or an older compiler; or choose the other one: LAB_PRESET"
}

look_at_versions() {
  if [ -n "$driver_cuda" ] && ! at_least "$driver_cuda" "${toolkit_version%%.*}"; then
    hinders CUDA "The toolkit ($toolkit_version) is newer than what the driver can run (CUDA up to $driver_cuda)." \
      "Update the driver, or install CUDA ${driver_cuda%%.*}; the emulated GPU needs neither."
  elif [ -n "$driver_cuda" ] && ! at_least "$driver_cuda" "${toolkit_version%%.*}" "${toolkit_version#*.}"; then
    found note CUDA "The toolkit ($toolkit_version) is a little newer than the driver (CUDA up to $driver_cuda): what is compiled for this GPU, as the course does it, runs; PTX does not."
  fi
  codes=$("$nvcc" --list-gpu-code 2>/dev/null | sed -n 's/^sm_\([0-9]*\)$/\1/p') # the oldest first
  [ -n "$gpus" ] && [ -n "$codes" ] || return 0
  while IFS=, read -r index uuid capability driver mode mig name; do
    code=$(printf '%s' "$capability" | tr -d .)
    if printf '%s\n' "$codes" | grep -qx "$code"; then continue; fi
    if [ "$code" -lt "$(printf '%s\n' "$codes" | head -n 1)" ]; then
      hinders CUDA "The toolkit ($toolkit_version) no longer compiles for GPU $index: $name, compute capability $capability." \
        "Install CUDA 12, the last for Maxwell, Pascal and Volta; the emulated GPU needs none."
    else
      hinders CUDA "The toolkit ($toolkit_version) does not know GPU $index: $name, compute capability $capability." \
        "Install a newer CUDA Toolkit, and a driver for it."
    fi
  done <<END
$gpus
END
}

look_at_device() {
  gpu=$(printf '%s\n' "$gpus" | head -n 1)
  gpu=${gpu##*,}
  case $(echo "${LAB_EMULATED_GPU:-t4}" | tr '[:upper:]' '[:lower:]') in
    t4) emulated=T4 ;;
    a100) emulated="A100, by LAB_EMULATED_GPU" ;;
    h200) emulated="H200, by LAB_EMULATED_GPU" ;;
    *) emulated=T4
      found problem device "LAB_EMULATED_GPU is \"$LAB_EMULATED_GPU\"; it can be t4, a100 or h200." "unset LAB_EMULATED_GPU" ;;
  esac
  case ${LAB_DEVICE:-auto} in
    auto) found ok device "the emulated $emulated$([ -z "${LAB_DEVICE:-}" ] || echo ", by LAB_DEVICE=auto")${gpu:+; LAB_DEVICE=cuda chooses the $gpu}" ;;
    emulator) found ok device "the emulated $emulated, by LAB_DEVICE" ;;
    cuda)
      if [ -z "$gpu" ]; then found problem device "LAB_DEVICE=cuda asks for a real GPU, and no NVIDIA driver answers." "unset LAB_DEVICE"
      elif [ -z "$nvcc" ]; then found problem device "LAB_DEVICE=cuda asks for a real GPU, and there is no CUDA Toolkit (nvcc) to build for it." "Install CUDA 12 or 13, or: unset LAB_DEVICE"
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
