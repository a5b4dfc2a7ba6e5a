// arguments: 4 5 -2
// What a program gets and gives: arguments, standard input, standard error, the environment, an exit code.
#include <cstdio>
#include <cstdlib>
#include <string>

__global__ void add(int *sum, int value) { *sum += value; }

static void at_end() { std::puts("at exit"); }

int main(int argc, char **argv)
{
    std::atexit(at_end);
    int *sum, result = 0;
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    for (int i = 1; i < argc; ++i) add<<<1, 1>>>(sum, std::atoi(argv[i]));
    char line[100];
    while (std::fgets(line, sizeof line, stdin)) add<<<1, 1>>>(sum, std::atoi(line));
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("%d arguments, sum %d\n", argc - 1, result);
    std::fprintf(stderr, "to standard error\n");
    std::printf("LAB_TRACE_FD is %s\n", std::getenv("LAB_TRACE_FD") ? "visible" : "not visible");
    std::exit(result % 100);
}
