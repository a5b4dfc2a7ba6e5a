# `lab check --format junit`: one document whatever is in the file, with the exit code of the text format.
. "$(dirname "$0")/library.sh"

# count NAME : of the elements with that name in the document
count() { grep -o "<$1[ >/]" out | wc -l; }
# attribute NAME : of the root
attribute() { sed -n "s/^<testsuites.* $1=\"\([^\"]*\)\".*/\1/p" out; }
sound() { # the counts are those of the elements, and a reader for XML accepts it
  same "$(attribute tests)" "$(count testcase)" "tests"
  same "$(attribute failures)" "$(count failure)" "failures"
  same "$(attribute errors)" "$(count error)" "errors"
  same "$(attribute skipped)" "$(count skipped)" "skipped"
  same "$(head -c 5 out)" "<?xml" "the beginning"
  if python3 -c 'import xml.etree' 2>/dev/null; then
    python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' out || red "not well-formed"
  fi
}

try 0 "$LAB_CLI" check --solutions --format junit
sound
same "$(attribute failures)$(attribute errors)$(attribute skipped)" 000 "what is wrong with the solutions"
out_has '<testsuite name="01_timing_pitfalls"'

try 1 "$LAB_CLI" check 1 --format junit
sound
same "$(count testsuite)" 1 "suites"
[ "$(attribute failures)" -gt 3 ] || red "the starter has $(attribute failures) failures"
[ "$(attribute skipped)" -gt 0 ] || red "no check of the starter waits for another"
same "$(grep -c 'property name="max_points" value="[0-9]' out)" "$(($(count testcase) + 1))" "cases with points"

printf '#include "exercise.hpp"\nint x = "<&>\033";\n' >'odd<&>".cu'
try 2 "$LAB_CLI" check 1 --file 'odd<&>".cu' --format junit
sound
same "$(attribute tests)/$(attribute errors)" 1/1 "a file that does not compile"
out_has "odd&lt;&amp;&gt;&quot;.cu:2:"
try 64 "$LAB_CLI" check 1 --format junit5
if [ ! -e /dev/nvidiactl ]; then  # a document, and nothing judged
  LAB_DEVICE=cuda try 3 "$LAB_CLI" check 1 --format junit
  sound
  same "$(attribute tests)/$(attribute skipped)" 1/1 "a device that is not here"
  LAB_DEVICE=cuda try 3 "$LAB_CLI" check 1 --format json
  err_has "leave LAB_DEVICE unset"
  out_has '"exit_code": 3'
  out_has 'leave LAB_DEVICE unset'
  LAB_DEVICE=cuda try 3 "$LAB_CLI" check 1
  same "$(wc -c <out)" 0 "what a text says on stdout of a device that is not here"
fi
left_clean
finish
