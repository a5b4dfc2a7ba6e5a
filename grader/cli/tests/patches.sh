# Patches that do not apply: which, why, and at which line of the patch.
. "$(dirname "$0")/library.sh"

wrong=$LAB_SOURCE/grader/checks/02_stream_waits/wrong/leaks_an_event.patch
made_of=solutions/02_stream_waits/solution.cu
refused() { # CODE FILE TEXT...
  try "$1" "$LAB_CLI" check 2 --patch "$2"
  local text
  for text in "${@:3}"; do err_has "$text"; done
  err_lines 1
  err_lacks "error:"
}

try 1 "$LAB_CLI" check 2 --patch "$wrong"
# As git writes it with other prefixes, or none (diff.mnemonicPrefix, diff.noprefix).
sed 's|^--- a/|--- i/|; s|^+++ b/|+++ w/|' "$wrong" >mnemonic.patch
try 1 "$LAB_CLI" check 2 --patch mnemonic.patch
sed 's|^--- a/|--- |; s|^+++ b/|+++ |' "$wrong" >bare.patch
try 1 "$LAB_CLI" check 2 --patch bare.patch
{ printf -- '--- a/%s\n+++ /dev/null\n@@ -1,%d +0,0 @@\n' $made_of "$(wc -l <"$LAB_SOURCE/$made_of")"; sed 's/^/-/' "$LAB_SOURCE/$made_of"; } >gone.patch
refused 2 gone.patch "gone.patch removes $made_of"
: >empty.patch
refused 2 empty.patch "empty.patch is empty; a patch is what git diff prints"
echo 'int main() {}' >program.patch
refused 2 program.patch "program.patch is no patch: it has no line \"--- a/$made_of\""
head -c 3000 "$LAB_CLI" >binary.patch
refused 2 binary.patch "binary.patch is binary"
printf 'diff --git a/%s b/%s\nBinary files a/%s and b/%s differ\n' $made_of $made_of $made_of $made_of >differ.patch
refused 2 differ.patch "differ.patch is binary"
mkdir folder.patch
refused 64 folder.patch "folder.patch is a folder; a patch is a file"
refused 64 missing.patch "no file missing.patch"
mkfifo pipe.patch
refused 2 pipe.patch "not a plain file"

cp "$LAB_SOURCE/grader/checks/03_event_reuse/wrong/events_leak.patch" other.patch
refused 2 other.patch "other.patch is a patch of solutions/03_event_reuse/solution.cu" "may change $made_of alone" "It is one for lab 3"
{ cat "$wrong"; printf -- '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+text\n'; } >more.patch
refused 2 more.patch "is a patch of new.txt"

# Made of another solution: an older one, one with the lines elsewhere.
sed 's/^   cudaEventDestroy(scaled);/   cudaEventDestroy(was_scaled);/' "$wrong" >older.patch
line=$(grep -n was_scaled older.patch | cut -d: -f1)
hunk=$(grep -n '^@@' older.patch)
refused 2 older.patch "older.patch does not apply to $made_of: its hunk \"${hunk#*:}\" (line ${hunk%%:*})" \
  "has the line \"cudaEventDestroy(was_scaled);\" (line $line), which the solution has not" "Make it anew"
sed 's/^   cudaEventDestroy(scaled);/   cudaEventDestroy(uploaded);/' "$wrong" >turned.patch
refused 2 turned.patch "lines that the solution has too, but not there"
sed 's/$/\r/' "$wrong" >windows.patch
refused 2 windows.patch "carriage return"
head -n -3 "$wrong" >cut.patch
refused 2 cut.patch "it is broken at line " "Was it cut off"

# lab timeline says the same.
try 2 "$LAB_CLI" timeline 2 --patch older.patch -o out.svg
err_has "(line $line)"
left_clean
finish
