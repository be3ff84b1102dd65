#include <stdlib.h>

void blend(int n, float share, const float *a, const float *b, float *out) {
#pragma omp target teams distribute parallel for num_teams(4096) thread_limit(256) \
    map(to : a[0:n], b[0:n]) map(from : out[0:n])
    for (int i = 0; i < n; i++) {
        out[i] = share * a[i] + (1.0f - share) * b[i];
    }
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *a = (float *)calloc(n, sizeof(float));
    float *b = (float *)calloc(n, sizeof(float));
    float *out = (float *)calloc(n, sizeof(float));
    blend(n, 0.25f, a, b, out);
    free(a);
    free(b);
    free(out);
    return 0;
}
