// A target region of OpenMP: a kernel in plain C++.
void add(float* y, const float* x, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: y[0:n]) map(to: x[0:n])
    for (int i = 0; i < n; i++) {
        y[i] += x[i];
    }
}

int main()
{
    static float x[1 << 20], y[1 << 20];
    add(y, x, 1 << 20);
}
