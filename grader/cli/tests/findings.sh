# What `lab run --check` says of each way of being wrong, word by word: findings/NAME.cu, and NAME.golden.
# UPDATE=1 writes the golden files: UPDATE=1 ctest --preset gcc -R cli.findings; git diff then shows what has changed.
. "$(dirname "$0")/library.sh"

golden=$LAB_SOURCE/grader/cli/tests/findings
cp "$golden"/*.cu .
for program in *.cu; do
  name=${program%.cu}
  "$LAB_CLI" run --check "$program" >out 2>err
  # exit code, then all that a student sees; times differ a little between compilers
  { echo "exit $?"; cat out err; } | sed -E 's/[0-9]+(\.[0-9]+)? (ns|us|µs|ms|s)\b/# \2/g' >"$name.seen"
  [ -z "${UPDATE:-}" ] || cp "$name.seen" "$golden/$name.golden"
  diff -u --label "$name.golden" --label "what was said" "$golden/$name.golden" "$name.seen" || red "$name"
done
finish
