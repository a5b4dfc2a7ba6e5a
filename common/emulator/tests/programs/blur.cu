// A 5 x 5 blur of a picture: two-dimensional grid, pitched memory, weights in constant memory.
#include <cstdio>
#include <cstring>
#include <vector>

#define RADIUS 2
#define IDIVUP(a, b) (((a) + (b)-1) / (b))

__constant__ float weights[2 * RADIUS + 1][2 * RADIUS + 1];
__device__ int pixels_done;

__device__ __forceinline__ int clampi(int x, int lo, int hi) { return min(max(x, lo), hi); }

__global__ void blur(const unsigned char *in, size_t in_pitch, unsigned char *out, size_t out_pitch, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0.5f;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
        for (int dx = -RADIUS; dx <= RADIUS; ++dx)
            sum += weights[dy + RADIUS][dx + RADIUS] *
                   in[clampi(y + dy, 0, h - 1) * in_pitch + clampi(x + dx, 0, w - 1)];
    out[y * out_pitch + x] = static_cast<unsigned char>(sum);
    atomicAdd(&pixels_done, 1);
}

int main()
{
    const int w = 73, h = 41;
    std::vector<unsigned char> picture(w * h), result(w * h);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) picture[y * w + x] = ((x / 8 + y / 8) & 1) ? 250 : 10;

    float h_weights[5][5];
    const float line[5] = {1, 4, 6, 4, 1};
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) h_weights[i][j] = line[i] * line[j] / 256;
    cudaMemcpyToSymbol(weights, h_weights, sizeof h_weights);
    const int zero = 0;
    cudaMemcpyToSymbol(pixels_done, &zero, sizeof zero);

    unsigned char *in, *out;
    size_t in_pitch, out_pitch;
    cudaMallocPitch(&in, &in_pitch, w, h);
    cudaMallocPitch(&out, &out_pitch, w, h);
    cudaMemcpy2D(in, in_pitch, picture.data(), w, w, h, cudaMemcpyHostToDevice);

    dim3 block(16, 8);
    dim3 grid(IDIVUP(w, block.x), IDIVUP(h, block.y));
    blur<<<grid, block>>>(in, in_pitch, out, out_pitch, w, h);
    cudaMemcpy2D(result.data(), w, out, out_pitch, w, h, cudaMemcpyDeviceToHost);

    int done = 0;
    cudaMemcpyFromSymbol(&done, pixels_done, sizeof done);
    unsigned checksum = 0;
    for (unsigned char p : result) checksum = checksum * 31 + p;
    for (int y = 4; y < 14; ++y) {
        for (int x = 0; x < 24; ++x) putchar(" .:-=+*#%@"[result[y * w + x] * 10 / 256]);
        putchar('\n');
    }
    printf("pixels: %d, checksum %08x, %s\n", done, checksum, cudaGetErrorString(cudaGetLastError()));
    cudaFree(in);
    cudaFree(out);
}
