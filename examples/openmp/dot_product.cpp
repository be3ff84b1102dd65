// The sum of x[i] y[i], offloaded with OpenMP: a reduction over all threads of all teams.
//
// usage: dot_product [elements]

#include <cmath>
#include <cstdio>
#include <cstdlib>

double dot_product(int n, const double* x, const double* y) {
    double sum = 0.0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : x[0:n], y[0:n])
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 24;
    double* x = static_cast<double*>(malloc(n * sizeof(double)));
    double* y = static_cast<double*>(malloc(n * sizeof(double)));
    for (int i = 0; i < n; ++i) {
        x[i] = i % 2 == 0 ? 1.0 : -1.0;
        y[i] = 0.5;
    }
    const double expected = n % 2 == 0 ? 0.0 : 0.5;

    const double sum = dot_product(n, x, y);
    const bool wrong = std::fabs(sum - expected) > 1e-6;
    printf("dot_product: %d elements, sum %g, %s\n", n, sum, wrong ? "wrong" : "right");

    free(x);
    free(y);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
