# A compiler that would run for ever is stopped.
. "$(dirname "$0")/library.sh"

cat >bomb.cu <<'END'
template <int N, class... T> struct bomb { enum { value = bomb<N - 1, T..., int>::value + bomb<N - 1, T..., char>::value }; };
template <class... T> struct bomb<0, T...> { enum { value = 0 }; };
int main() { return bomb<40>::value; }
END
try 125 timeout 100 "$LAB_CLI" run bomb.cu
err_has "so it was stopped"
err_lines 1
left_clean
finish
