// Jacobi's method and a dot product, offloaded with OpenMP.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <omp.h>

#define AT(row, column) ((row) * n + (column))

#pragma omp declare target
double relax(double up, double down, double left, double right) {
  return 0.25 * (up + down + left + right);
}
#pragma omp end declare target

double sweep(const double *in, double *out, int n) {
  double change = 0.0;
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : in[0 : n * n]) map(from : out[0 : n * n]) reduction(max : change)
  for (int row = 1; row < n - 1; row++) {
    for (int column = 1; column < n - 1; column++) {
      double value = relax(in[AT(row - 1, column)], in[AT(row + 1, column)],
                           in[AT(row, column - 1)], in[AT(row, column + 1)]);
      change = fmax(change, fabs(value - in[AT(row, column)]));
      out[AT(row, column)] = value;
    }
  }
  return change;
}

template <typename T>
T dot(const T *x, const T *y, int n) {
  T sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) thread_limit(128)
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

struct Histogram {
  int bins[64];
  void count(const unsigned char *data, int n) {
    int *local = bins;
#pragma omp target map(to : data[0 : n]) map(tofrom : local[0 : 64])
    {
#pragma omp teams distribute
      for (int block = 0; block < 16; block++) {
#pragma omp parallel for
        for (int i = block; i < n; i += 16) {
#pragma omp atomic update
          local[data[i] & 63] += 1;
        }
      }
    }
  }
};

void fill(double *data, int n, double value) {
#ifdef SERIAL
  for (int i = 0; i < n; i++) data[i] = value;
#else
#pragma omp target parallel for num_threads(64) if (target : n > 1000)
  for (int i = 0; i < n; i++) {
    data[i] = i % 2 ? value : -value;
  }
#endif
}

int main(int argc, char *argv[]) {
  int n = argc > 1 ? atoi(argv[1]) : 512, steps = 0;
  double *a = (double *)malloc(n * n * sizeof(double)), *b = new double[n * n];
#pragma omp target data map(alloc : a[0 : n * n], b[0 : n * n])
  {
    fill(a, n * n, 1.0);
    while (sweep(a, b, n) > 1e-6 && steps < 1000) {
      double *swap = a;
      a = b;
      b = swap;
      ++steps;
    }
  }
  printf("%d steps, norm '%g'\n", steps, std::sqrt(dot(a, a, n * n)));
  free(a);
  return 0;
}
