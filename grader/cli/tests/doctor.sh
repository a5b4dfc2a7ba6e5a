# `./lab doctor`, in a toy checkout: everything that can be wrong is told with its fix, with nothing built too.
. "$(dirname "$0")/library.sh"
unset LAB_PRESET LAB_BUILD LAB_STATE CUDA_HOME CUDA_PATH CUDA_VISIBLE_DEVICES
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

# What this machine has of CUDA is hidden: what stands before /proc, and programs of the PATH.
mkdir -p machine/proc/driver/nvidia
: >machine/proc/version
sed -i "s|^system=$|system=$work/machine|" toy/grader/cli/launcher/doctor.sh
grep -q "^system=$work/machine" toy/grader/cli/launcher/doctor.sh || red "doctor.sh has no place for another machine"
path=
while read -r folder; do
  if [ -e "$folder/nvcc" ] || [ -e "$folder/nvidia-smi" ]; then
    copy=$(mktemp -d "$work/programs-XXXXXX")
    find "$folder" -maxdepth 1 ! -type d -exec cp -s -t "$copy" {} +
    rm -f "$copy/nvcc" "$copy/nvidia-smi"
    folder=$copy
  fi
  path=$path${path:+:}$folder
done < <(tr : '\n' <<<"$PATH")
PATH=$path

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
LAB_EMULATED_GPU=h200 try 0 doctor
tells ok device "the emulated H200, by LAB_EMULATED_GPU"
LAB_EMULATED_GPU=h300 try 1 doctor
tells x device 'LAB_EMULATED_GPU is "h300"' "unset LAB_EMULATED_GPU"
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

# A real GPU, and what can be wrong with it. With nothing built, which is quicker.
fakes=$work/fakes
mkdir fakes
fake() { cat >"$1" && chmod +x "$1"; }
on_gpu() { env LC_ALL=C LAB_BUILD="$work/builds" PATH="$fakes:$PATH" "$@" toy/lab doctor; }

# An nvidia-smi that answers from files, and toolkits with all that is looked at.
driver() { # THE-DRIVER'S-CUDA GPU...
  printf '| NVIDIA-SMI 580.1   Driver Version: 580.1   CUDA Version: %s     |\n' "$1" >header
  shift
  printf '%s\n' "$@" >gpus
  : >apps
  fake fakes/nvidia-smi <<END
#!/bin/sh
case "\$*" in
  *query-gpu*) cat $work/gpus ;;
  *query-compute-apps*) cat $work/apps ;;
  *) cat $work/header ;;
esac
END
}
toolkit() { # VERSION CUPTI_API_VERSION CODE...
  rm -rf machine/usr/local/cuda
  mkdir -p machine/usr/local/cuda/bin machine/usr/local/cuda/include machine/usr/local/cuda/lib64 machine/usr/local/cuda/extras/CUPTI/include \
    machine/usr/local/cuda/extras/CUPTI/lib64
  fake machine/usr/local/cuda/bin/nvcc <<END
#!/bin/sh
case "\$*" in
  --version) echo "Cuda compilation tools, release $1, V$1.88" ;;
  --list-gpu-code) printf 'sm_%s\n' $(shift 2; echo "$@") ;;
  *) [ ! -e $work/refuses ] || { cat $work/refuses >&2; exit 1; } ;;
esac
END
  touch machine/usr/local/cuda/include/cuda_runtime_api.h machine/usr/local/cuda/lib64/libcudart_static.a \
    machine/usr/local/cuda/extras/CUPTI/include/cupti.h machine/usr/local/cuda/extras/CUPTI/lib64/libcupti.so \
    "machine/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.${1%%.*}"
  echo "#define CUPTI_API_VERSION $2" >machine/usr/local/cuda/extras/CUPTI/include/cupti_version.h
}
h200='0, GPU-1, 9.0, 580.1, Default, Disabled, NVIDIA H200'

# hinders ABOUT TEXT FIX: told in any case, and a problem for who asks for the GPU
hinders() {
  try 0 on_gpu
  silent
  tells - "$@"
  try 1 on_gpu LAB_DEVICE=cuda
  silent
  tells x "$@"
}

try 0 on_gpu
tells - GPU "No NVIDIA driver is to be seen; none is needed."
out_lacks "CUDA "
out_lacks CUPTI
try 1 on_gpu LAB_DEVICE=cuda
tells x device "LAB_DEVICE=cuda asks for a real GPU, and no NVIDIA driver answers." "unset LAB_DEVICE"
try 1 on_gpu LAB_DEVICE=toaster
tells x device 'LAB_DEVICE is "toaster"' "unset LAB_DEVICE"

# Everything as it should be.
driver 13.0 "$h200"
toolkit 13.0 130001 75 80 90
try 0 on_gpu
silent
tells ok GPU "0: NVIDIA H200, compute capability 9.0, driver 580.1 for CUDA up to 13.0"
tells ok CUDA "The CUDA Toolkit 13.0 is here ($work/machine/usr/local/cuda/bin/nvcc)."
tells ok CUPTI "libcupti.so, of CUDA 13"
tells ok device "the emulated T4; LAB_DEVICE=cuda chooses the NVIDIA H200"
try 0 on_gpu LAB_DEVICE=cuda
silent
out_has "All is well."
tells ok device "NVIDIA H200, by LAB_DEVICE"
for right in "12.4 22 12.4" "12.0 18 12.9" "12.9 28 13.1" "13.0 130001 13.1"; do
  # shellcheck disable=SC2086
  set -- $right
  driver "$3" "$h200"
  toolkit "$1" "$2" 90
  try 0 on_gpu LAB_DEVICE=cuda
  out_has "All is well."
done
sed -i 's/CUDA Version/CUDA UMD Version/' header # as newer drivers say
try 0 on_gpu
tells ok GPU "for CUDA up to 13.1"

# The driver.
fake fakes/nvidia-smi <<'END'
#!/bin/sh
echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
exit 9
END
hinders GPU "no NVIDIA driver answers it: NVIDIA-SMI has failed" "Load the driver"
mkdir -p machine/run && touch machine/run/.containerenv
hinders GPU "no NVIDIA driver answers it: NVIDIA-SMI has failed" "Start the container with --gpus all"
try 0 on_gpu COLAB_RELEASE_TAG=release-colab
tells - GPU "no NVIDIA driver answers it: NVIDIA-SMI has failed" "In the menu: Runtime > Change runtime type > T4 GPU."
rm machine/run/.containerenv
fake fakes/nvidia-smi <<'END'
#!/bin/sh
echo "Failed to initialize NVML: Driver/library version mismatch"
exit 18
END
hinders GPU "no NVIDIA driver answers it: Failed to initialize NVML" "Restart the machine"
rm fakes/nvidia-smi
touch machine/proc/driver/nvidia/version
hinders GPU "An NVIDIA driver is loaded, but there is no nvidia-smi" "Load the driver"
rm machine/proc/driver/nvidia/version

# The GPU: its mode, its users, its parts.
driver 13.0 "$h200"
toolkit 13.0 130001 75 80 90
sed -i 's/Default/Exclusive_Process/' gpus
hinders GPU "0: one program at a time may use it (compute mode Exclusive_Process)" "sudo nvidia-smi -i 0 -c DEFAULT"
sed -i 's/Exclusive_Process/Prohibited/' gpus
hinders GPU "0: no program may compute on it" "sudo nvidia-smi -i 0 -c DEFAULT"
driver 13.0 "0, GPU-1, 9.0, 580.1, Default, Disabled, NVIDIA H200" "1, GPU-2, 9.0, 580.1, Default, Disabled, NVIDIA H200"
printf '%s\n' "GPU-2, 4711, 1024 MiB, python3" "GPU-2, 4712, 80 MiB, /usr/bin/train" >apps
hinders GPU "1: others compute on it: pid 4711 (python3, 1024 MiB), pid 4712 (/usr/bin/train, 80 MiB). Times measured now are not" "Wait until they have ended"
out_lacks "0: others"
driver 13.0 "$h200"
try 1 on_gpu LAB_DEVICE=cuda CUDA_VISIBLE_DEVICES=
tells x GPU "CUDA_VISIBLE_DEVICES hides every GPU" "unset CUDA_VISIBLE_DEVICES"
try 0 on_gpu LAB_DEVICE=cuda CUDA_VISIBLE_DEVICES=0
sed -i 's/Disabled/Enabled/' gpus
try 0 on_gpu LAB_DEVICE=cuda
tells - GPU "0: it is divided (MIG)"

# The toolkit: its version, what it compiles for, its parts, its compiler.
driver 12.4 "$h200"
hinders CUDA "The toolkit (13.0) is newer than what the driver can run (CUDA up to 12.4)." "Update the driver, or install CUDA 12"
toolkit 12.5 23 75 80 90
try 0 on_gpu LAB_DEVICE=cuda
tells - CUDA "The toolkit (12.5) is a little newer than the driver (CUDA up to 12.4)"
driver 13.0 "0, GPU-1, 7.0, 580.1, Default, [N/A], Tesla V100"
toolkit 13.0 130001 75 80 100 90
hinders CUDA "no longer compiles for GPU 0: Tesla V100, compute capability 7.0." "Install CUDA 12"
driver 13.0 "0, GPU-1, 12.0, 580.1, Default, [N/A], NVIDIA RTX PRO 6000"
toolkit 12.4 22 50 75 90
hinders CUDA "does not know GPU 0: NVIDIA RTX PRO 6000, compute capability 12.0." "Install a newer CUDA Toolkit"
driver 13.0 "$h200"
toolkit 11.8 17 75 90
hinders CUDA "The CUDA Toolkit 11.8" "Install CUDA 12 or 13"
tells ok CUPTI "of CUDA 11"
toolkit 13.0 130001 75 90
rm machine/usr/local/cuda/lib64/libcudart_static.a
hinders CUDA "lacks the runtime's headers or libcudart_static.a" "Install NVIDIA's cuda-cudart-dev-13-0"
toolkit 13.0 130001 75 90
echo "host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 15 are not supported!" >refuses
hinders CUDA "nvcc does not get on with g++" "Install a newer CUDA Toolkit"
out_has "gcc versions later than 15"
rm refuses
fake machine/usr/local/cuda/bin/nvcc <<'END'
#!/bin/sh
exit 1
END
hinders CUDA "does not say its version" "Install the CUDA Toolkit again."
rm -r machine/usr/local/cuda
try 1 on_gpu LAB_DEVICE=cuda
tells x device "there is no CUDA Toolkit (nvcc) to build for it" "Install CUDA 12 or 13, or: unset LAB_DEVICE"

# CUPTI.
toolkit 13.0 130001 75 90
rm machine/usr/local/cuda/extras/CUPTI/include/cupti.h
hinders CUPTI "Its header or its library is missing" "Install NVIDIA's cuda-cupti-dev-13-0, or Debian's libcupti-dev."
toolkit 13.0 26 75 90
hinders CUPTI "cupti.h is of CUDA 12, the toolkit of 13.0." "Install NVIDIA's cuda-cupti-dev-13-0"
toolkit 12.9 130001 75 90
hinders CUPTI "cupti.h is of CUDA 13, the toolkit of 12.9." "Install NVIDIA's cuda-cupti-dev-12-9"
toolkit 13.0 130001 75 90
mv machine/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13 machine/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.12
hinders CUPTI "there is no $work/machine/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13" "Install NVIDIA's"
toolkit 13.0 130001 75 90
echo "RmProfilingAdminOnly: 1" >machine/proc/driver/nvidia/params
fake fakes/id <<'END'
#!/bin/sh
echo 1000
END
try 0 on_gpu LAB_DEVICE=cuda
tells - CUPTI "Profiling is for administrators alone here" "If CUPTI refuses: modprobe nvidia NVreg_RestrictProfilingToAdminUsers=0, or run as root."
fake fakes/id <<'END'
#!/bin/sh
echo 0
END
try 0 on_gpu
out_lacks "administrators"
rm fakes/id machine/proc/driver/nvidia/params

# A build that knows nothing of the toolkit.
LAB_BUILD=$work/builds try 0 toy/lab
echo '{"cuda": null}' >builds/gcc/lab-toolchain.json
hinders build "It was made for the emulated GPU alone" "rm -r $work/builds/gcc, then ./lab"
echo '{"cuda": {}}' >builds/gcc/lab-toolchain.json
try 0 on_gpu LAB_DEVICE=cuda

# Under WSL.
echo "Linux version 5.15.90.1-microsoft-standard-WSL2" >machine/proc/version
mkdir -p machine/usr/lib/wsl/lib machine/dev
mv fakes/nvidia-smi machine/usr/lib/wsl/lib/
try 0 on_gpu LAB_DEVICE=cuda
tells - GPU "nvidia-smi is not on the PATH" 'export PATH=$PATH:/usr/lib/wsl/lib'
tells ok GPU "0: NVIDIA H200"
tells - GPU "Under WSL nobody can see who else uses the GPU"
tells ok system "under WSL"
rm machine/usr/lib/wsl/lib/nvidia-smi
hinders GPU "WSL passes no GPU on (there is no /dev/dxg)" "In Windows: install NVIDIA's driver"
rm -rf machine/usr

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
