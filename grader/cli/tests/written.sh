# What is written where something is already: through links, with the mode that the file had; and where nothing can be.
. "$(dirname "$0")/library.sh"

cat >plain.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void spin() {}
int main(int argc, char** argv) {
  spin<<<1, 1>>>();
  cudaDeviceSynchronize();
  std::puts("it ran");
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
CU
draw() { try "$1" "$LAB_CLI" run --quiet plain.cu --timeline "$2"; }
is_page() { grep -q '</html>' "$1" || red "no page in $1"; }

# Through a link, and a link to a link, also one that leads nowhere yet.
mkdir away
echo old >away/real.html
ln -s away/real.html link.html
ln -s link.html again.html
ln -s away/new.html dangling.html
ln -s "$work/away/absolute.html" absolute.html
for name in link again dangling absolute; do
  draw 0 $name.html
  [ -L $name.html ] || red "$name.html was a link"
done
for name in real new absolute; do is_page away/$name.html; done
ln -s round.html round.html
draw 64 round.html
err_has "Cannot write"
err_has "symbolic links"
out_lacks "it ran"
ln -s nowhere/out.html lost.html
draw 64 lost.html
err_has "lost.html, which is a link to $work/nowhere/out.html: there is no folder $work/nowhere"
ln -s /proc/out.html locked.html
draw 64 locked.html
err_has "locked.html, which is a link to /proc/out.html: the folder /proc cannot be written to"
out_lacks "it ran"
ln -s /dev/null nothing.html
draw 64 nothing.html
err_has "it is no plain file"
mkfifo pipe.svg
draw 64 pipe.svg
err_has "Cannot write pipe.svg: it is no plain file"

# What it is made from stays, and so does what is no timeline.
cp plain.cu source.svg
draw_of() { try "$1" "$LAB_CLI" run "$2" --timeline "$3"; }
draw_of 64 source.svg source.svg
err_has "the timeline is made from it"
ln -s plain.cu plain.svg
draw_of 64 plain.cu plain.svg
err_has "that is no timeline"
cp "$solution" mine.svg
try 64 "$LAB_CLI" timeline 1 --file mine.svg -o mine.svg
cp "$LAB_SOURCE/grader/checks/02_stream_waits/wrong/leaks_an_event.patch" patch.svg
try 64 "$LAB_CLI" timeline 2 --patch patch.svg -o patch.svg
err_has "the timeline is made from it"
cmp -s mine.svg "$solution" || red "a file that was drawn is gone"

# The mode stays.
for mode in 600 640 755 666; do
  echo old >kept.html
  chmod $mode kept.html
  draw 0 kept.html
  same "$(stat -c %a kept.html)" $mode "the mode of a file that is replaced"
  is_page kept.html
done
before=$(umask)
umask 077
draw 0 fresh.html
umask "$before"
same "$(stat -c %a fresh.html)" 600 "the mode of a new file"
chmod 600 away/real.html
draw 0 link.html
same "$(stat -c %a away/real.html)" 600 "the mode behind a link"
try 0 "$LAB_CLI" timeline 1 --solution --anyway -o kept.html
same "$(stat -c %a kept.html)" 666 "the mode of what lab timeline replaces"
same "$(find . -name '.*.html.*' | wc -l)" 0 "files left behind"

# Your file may be a link: reset keeps what was in it.
student=$LAB_STATE/labs/01_timing_pitfalls/student.cu
mkdir -p "$(dirname "$student")"
echo '// mine' >mine.cu
ln -s "$work/mine.cu" "$student"
try 0 "$LAB_CLI" reset 1
same "$(cat "$student.bak-1")" "// mine" "the backup of a file behind a link"
[ -L "$student" ] || red "the link to the student's file is gone"
cmp -s mine.cu "$starter" || red "reset does not write through a link"

# Endings in capitals.
for name in OUT.HTML Out.Svg out.JSON; do draw 0 "$name"; done
is_page OUT.HTML
grep -q '</svg>' Out.Svg || red "no picture in Out.Svg"
grep -q traceEvents out.JSON || red "no trace in out.JSON"

# No timeline after all: 125 however the program ended; the rest is told.
cat >late.cu <<'CU'
#include <sys/stat.h>
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  std::puts("it ran");
  std::fflush(stdout);
  mkdir("late.html", 0700);  // so that nothing can be written there any more
  if (argc < 2) __builtin_trap();
  return std::atoi(argv[1]);
}
CU
for code in 0 7; do
  try 125 "$LAB_CLI" run late.cu --timeline late.html -- $code
  out_has "it ran"
  err_has "lab: there is no timeline of this run. Cannot write $work/late.html: Is a directory"
  err_lines 1
  rmdir late.html
done
try 125 "$LAB_CLI" run --check late.cu --timeline late.html -- 0
err_has "nothing leaks"
rmdir late.html
try 125 "$LAB_CLI" run late.cu --timeline late.html
try 0 "$LAB_CLI" timeline 1 --solution --anyway -o limit.html
rm limit.html
(
  ulimit -f 20
  "$LAB_CLI" timeline 1 --solution --anyway -o limit.html >out 2>err
  echo $? >code
)
same "$(cat code)" 2 "the exit code where a file may not grow so large"
err_has "limit.html: File too large"
same "$(find . -name '*limit.html*' | wc -l)" 0 "files left behind by a limit"

unshare -m true 2>/dev/null || { echo "mounts are not permitted here: a full disk is not tested"; finish; }
unshare -m bash -c '
  mkdir disk && mount -t tmpfs -o size=64k none disk && head -c 1000000 /dev/zero >disk/filler 2>/dev/null
  "$LAB_CLI" run plain.cu --timeline disk/out.html; code=$?; ls -A disk; exit $code' >out 2>err
same $? 125 "the exit code of a timeline on a full disk"
same "$(tail -n 1 out)" "filler" "what is on the full disk"
err_has "No space left on device"
finish
