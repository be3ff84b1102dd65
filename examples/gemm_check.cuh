// The check that both matrix products share.
#pragma once

#include <cmath>
#include <vector>

// How many of a sample of the elements of C = A B differ from a sum in double precision.
inline int count_wrong(int n, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c) {
    int wrong = 0;
    for (int s = 0; s < 256; ++s) {
        const int row = (s * 37) % n;
        const int col = (s * 101) % n;
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum += static_cast<double>(a[row * n + k]) * b[k * n + col];
        }
        wrong += std::fabs(c[row * n + col] - sum) > 1e-3 * (std::fabs(sum) + 1.0);
    }
    return wrong;
}
