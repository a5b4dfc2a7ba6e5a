# Commands that make no sense: 64 and a sentence that helps.
. "$(dirname "$0")/library.sh"

for lab in 9 nonsense "" 1x "0" ../..; do
  try 64 "$LAB_CLI" check "$lab"
  err_has "01_timing_pitfalls"
done
try 64 "$LAB_CLI" hint nonsense
err_has "01_timing_pitfalls"
try 64 "$LAB_CLI" chekc 1
err_has "check, watch, hint"
try 64 "$LAB_CLI" check --fromat json
err_has "--help"
try 64 "$LAB_CLI" check 1 --file /no/such/file.cu
err_has "/no/such/file.cu"
try 64 "$LAB_CLI" check 1 --patch /no/such/file.patch
for seed in many -1 1e3 0x10 99999999999999999999; do
  try 64 "$LAB_CLI" check 1 --seed "$seed"
  err_has "$seed is no seed"
done
try 64 "$LAB_CLI" check 1 --file ""
err_has "a file's name is missing"
try 64 "$LAB_CLI" check 1 --format xml
for part in 0/3 4/3 2 a/b 1/2/3 -1/2 ""; do
  try 64 "$LAB_CLI" course 1 --part "$part"
  err_has "is no part: give K/N"
done
try 64 "$LAB_CLI" course 1 --pairs -1
err_has '"-1" is no count'
try 64 "$LAB_CLI" course 1 --jobs -2
try 64 "$LAB_CLI" course 1 --only nosuch
err_has 'No case has "nosuch" in its name'
# What is judged is said once.
echo 'int x;' >file.cu
for twice in "--file file.cu --solutions" "--file file.cu --patch file.cu" "--patch file.cu --solutions"; do
  try 64 "$LAB_CLI" check 1 $twice
  err_has "give one of them"
done
for labs in "--all --file file.cu" "--all --patch file.cu"; do
  try 64 "$LAB_CLI" check $labs
  err_has "belongs to one lab"
done
try 64 "$LAB_CLI" check 1 timing --file file.cu
err_has "belongs to one lab"
try 64 "$LAB_CLI" check 1 --all
err_has "every lab"
[ ! -e "$LAB_STATE" ] || red "a command that makes no sense left something behind"
try 64 "$LAB_CLI" reset
try 3 env LAB_DEVICE=cuda "$LAB_CLI" check 1
try 64 env LAB_DEVICE=cuda "$LAB_CLI" check 1 --file mistyped.cu
err_has "There is no file mistyped.cu."
try 64 env LAB_DEVICE=cuda "$LAB_CLI" check 1 --patch mistyped.patch
err_has "There is no file mistyped.patch."
try 64 env LAB_DEVICE=toaster "$LAB_CLI" check 1
err_has "emulator, cuda or auto"
echo 'int main() {}' >nothing.cu
try 125 "$LAB_CLI" run nothing.cu --device cuda --check
try 0 "$LAB_CLI" run nothing.cu --device auto
for argument in one -x; do
  try 64 "$LAB_CLI" run nothing.cu $argument
  err_has "./lab run FILE.cu -- ARGUMENTS"
done
try 64 "$LAB_CLI" run ""
err_has "a file's name is missing"
# Names are shown as text, whatever bytes are in them.
escape=$'\x1b[31m'
try 64 "$LAB_CLI" check "$escape"
err_has '"\x1b[31m"'
try 64 "$LAB_CLI" check 1 --file "no$escape.cu"
err_has 'There is no file no\x1b[31m.cu.'
cp "$solution" "its$escape.cu"
try 0 "$LAB_CLI" check 1 --file "its$escape.cu"
out_has 'its\x1b[31m.cu'
out_lacks "$escape"
echo 'int x = y;' >"its$escape.cu"
try 2 "$LAB_CLI" check 1 --file "its$escape.cu"
out_has 'its\x1b[31m.cu:1:9: error'
out_lacks "$escape"
try 0 "$LAB_CLI" --help
out_has "64 for a command"
try 0 "$LAB_CLI" --version
for name in 1 01 01_timing_pitfalls 01_tim timing labs/01_timing_pitfalls labs/01_timing_pitfalls/; do
  try 0 "$LAB_CLI" solution "$name" --anyway
  cmp -s out "$solution" || red "solution $name is not lab 01's"
done
finish
