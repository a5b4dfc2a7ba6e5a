# Folders that cannot be written, full disks, two at once, files that vanish: it works, or there is a sentence.
. "$(dirname "$0")/library.sh"

# Two at once, from nothing: both right, the state whole.
for i in 1 2 3 4; do
  LAB_STATE=$work/shared "$LAB_CLI" hint 1 >"$work/hint$i" 2>&1 &
done
wait
for i in 1 2 3 4; do grep -q '^hint [0-9] of' "$work/hint$i" || red "one of four at once failed: $(cat "$work/hint$i")"; done
echo 'int main() { return 5; }' >same.cu
for i in 1 2 3; do (
  "$LAB_CLI" run same.cu >"$work/run$i" 2>&1
  echo $? >"$work/code$i"
) & done
wait
same "$(cat code1 code2 code3 | tr -d '\n')" 555 "three builds of one file at once"

# A state that cannot be understood.
mkdir -p "$LAB_STATE"
echo '{"labs": {' >"$LAB_STATE/progress.json"
try 0 "$LAB_CLI"
err_has "could not be understood"
same "$(cat "$LAB_STATE/progress.json.unreadable")" '{"labs": {' "the unreadable state"

# reset keeps every version.
student=$LAB_STATE/labs/01_timing_pitfalls/student.cu
rm -f "$student"
try 0 "$LAB_CLI" reset 1
for version in 1 2 3; do
  echo "// version $version" >"$student"
  try 0 "$LAB_CLI" reset 1
  same "$(cat "$student.bak-$version")" "// version $version" "backup $version"
done
cmp -s "$student" "$starter" || red "reset does not give the starter"
try 0 "$LAB_CLI" reset 1
out_has "already"
[ ! -e "$student.bak-4" ] || red "a backup of the untouched starter"

# The rest needs mounts of our own.
# Output that cannot be written is no verdict.
for arguments in "check 1 --solutions" "check 1 --solutions --format json" ""; do
  # shellcheck disable=SC2086
  "$LAB_CLI" $arguments >/dev/full 2>err
  same $? 2 "the exit code of 'lab $arguments' with a full disk behind stdout"
  err_has "could not be written"
done

unshare -m true 2>/dev/null || { echo "mounts are not permitted here: read-only and full disks are not tested"; finish; }

# A state folder on a full disk.
unshare -m bash -c '
  mkdir full && mount -t tmpfs -o size=64k none full && head -c 1000000 /dev/zero >full/filler 2>/dev/null
  LAB_STATE=$PWD/full/state "$LAB_CLI" hint 1' >out 2>err
same $? 0 "the exit code of a hint on a full disk"
out_has "hint 1 of"
err_has "cannot be remembered"
err_has "No space left on device"
err_lines 2

# A read-only state folder.
unshare -m bash -c '
  mkdir locked && mount -t tmpfs none locked && mount -o remount,ro locked
  LAB_STATE=$PWD/locked/state "$LAB_CLI" hint 1' >out 2>err
same $? 0 "the exit code of a hint in a read-only folder"
err_has "Read-only file system"

# The verdict is told also where progress cannot be kept.
unshare -m bash -c '
  mkdir -p locked && mount -t tmpfs none locked && install -D "$0" locked/state/labs/01_timing_pitfalls/student.cu
  mount -o remount,ro locked
  LAB_STATE=$PWD/locked/state "$LAB_CLI" check 1' "$solution" >out 2>err
same $? 0 "the exit code of a pass in a read-only folder"
out_has "Done."
err_has "could not be kept"
err_lines 1
mkdir -p odd/progress.json odd/labs/01_timing_pitfalls
cp "$starter" odd/labs/01_timing_pitfalls/student.cu
LAB_STATE=$work/odd try 1 "$LAB_CLI" check 1
out_has "2 of 22 points"
err_has "progress.json is a folder"

# A state folder that cannot be.
LAB_STATE=/proc/nope try 2 "$LAB_CLI"
err_has "/proc/nope"
out_lacks "edit"

# In a read-only checkout the file that lies in it is judged, not a new one.
cp -r "$LAB_SOURCE/labs" labs
cp "$solution" labs/01_timing_pitfalls/student.cu
unshare -m bash -c '
  unset LAB_STATE
  mount --bind "$0" "$0" && mount --bind labs "$0/labs" && mount --bind "$1" "$1" &&
  mount -o remount,bind,ro "$0" && exec "$LAB_CLI" check 1' "$LAB_SOURCE" "$build" >out 2>err
same $? 0 "the exit code of a pass in a read-only checkout"
out_has "labs/01_timing_pitfalls/student.cu"
err_lines 1

# A full disk under the build.
unshare -m bash -c '
  mount -t tmpfs -o size=200k none "$0/programs" 2>/dev/null || exit 77
  "$LAB_CLI" run same.cu' "$build" >out 2>err
code=$?
[ $code = 77 ] || { same $code 125 "the exit code when a build meets a full disk"; err_lines 2; }
for size in 200k 6m; do # at once, and in the middle
  unshare -m bash -c '
    mount -t tmpfs -o size=$1 none "$0/programs" 2>/dev/null || exit 77
    "$LAB_CLI" course 1 --pairs 0' "$build" $size >out 2>err
  code=$?
  [ $code = 77 ] || { same $code 2 "the exit code of a course on a disk of $size"; err_has "Free some space"; err_lines 1; }
  same "$(cat out)" "" "stdout of a course on a disk of $size"
done
finish
