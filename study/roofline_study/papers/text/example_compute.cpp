#include <stdlib.h>

void iterate(int n, int steps, float *v) {
#pragma omp target teams distribute parallel for num_teams(4096) thread_limit(256) map(tofrom : v[0:n])
    for (int i = 0; i < n; i++) {
        float x = v[i];
        for (int k = 0; k < steps; k++) {
            x = x * x - 0.75f;
        }
        v[i] = x;
    }
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int steps = atoi(argv[2]);
    float *v = (float *)calloc(n, sizeof(float));
    iterate(n, steps, v);
    free(v);
    return 0;
}
