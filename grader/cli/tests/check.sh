# `lab check`: the right one of four outcomes for whatever is in the file, and the machine left clean.
. "$(dirname "$0")/library.sh"
check() { "$LAB_CLI" check 1 "$@"; }

try 0 check --solutions
out_lacks "lab solution 1"
try 1 check
out_has "Next hint: ./lab hint 1"
out_has "Draw the run that is wrong: ./lab timeline 1 --check"
cmp -s "$LAB_STATE/labs/01_timing_pitfalls/student.cu" "$starter" || red "the student's file is not the starter"

cp "$solution" "$LAB_STATE/labs/01_timing_pitfalls/student.cu"
try 0 check
out_has "Done."
try 0 "$LAB_CLI"
out_has "passed 22/22 points"
out_lacks "./lab check 1"
try 0 "$LAB_CLI" solution 1
cmp -s out "$solution" || red "the solution is not shown after a pass"

# What was passed stays passed; beside it stands what became of the file.
own=$LAB_STATE/labs/01_timing_pitfalls/student.cu
echo >>"$own"
try 0 "$LAB_CLI"
out_has "passed 22/22 points; the file has changed since"
cp "$starter" "$own"
try 1 check
try 0 "$LAB_CLI"
out_has "passed 22/22 points; the file now: 2/22 points"
out_lacks "./lab check 1"
echo "int" >"$own"
try 2 check
try 0 "$LAB_CLI"
out_has "passed 22/22 points; the file now: an error"
cp "$solution" "$own"
try 0 check
try 0 "$LAB_CLI"
out_lacks "the file"

# With every lab passed there is no next step.
for each in "$(dirname "$solution")"/../*/; do
  mkdir -p "$LAB_STATE/labs/$(basename "$each")"
  cp "$each/solution.cu" "$LAB_STATE/labs/$(basename "$each")/student.cu"
done
try 0 "$LAB_CLI" check --all
try 0 "$LAB_CLI"
out_has "All labs are done."

# The same seed and file: the same words, apart from real time.
check --format json --seed 5 | grep -v '"milliseconds"' | grep -vE '"(translate|compile|link|run)"' >one
check --format json --seed 5 | grep -v '"milliseconds"' | grep -vE '"(translate|compile|link|run)"' >two
cmp -s one two || red "the same seed gives another report: $(diff one two | head -5)"

broken() { # NAME OUTCOME PHRASE < file
  cat >"$1.cu"
  try "$2" check --file "$1.cu"
  out_has "$3"
}
: >empty.cu
try 2 check --file empty.cu
out_has "is empty"
head -c 10000000 /dev/urandom >large.cu
try 2 check --file large.cu
out_has "MiB"
head -c 3000 /dev/urandom >garbage.cu
try 2 check --file garbage.cu
try 2 check --file "$work"
out_has "is a folder"
echo '#include "exercise.hpp"' | broken nothing 2 "does not define"
out_has "exercise.hpp:"
awk '/^std::optional<double> host_ms\(/ { print "namespace {"; inside = 1 } { print } inside && /^}/ { print; inside = 0 }' "$solution" |
  broken in_a_namespace 2 "inside a namespace without a name"
{ cat "$solution"; echo 'int main() { return 0; }'; } | broken own_main 2 "defines main()"
{ cat "$solution"; echo 'static int x = y;'; } | broken typo 2 "error:"
left_clean
finish
