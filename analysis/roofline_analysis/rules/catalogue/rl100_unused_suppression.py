"""A comment that switches nothing off.

`// roofline: ignore[CODE] reason` hides a finding on its line. When the code under it was mended,
or the code is misspelt, the comment only misleads, and would hide the problem if it came back.
Remove it.
"""

from roofline_analysis.rules.model import Level
from roofline_analysis.rules.rule import Rule

BAD = """\
__global__ void scale(int n, float a, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = a * x[i];  // roofline: ignore[RL201] a is measured in single precision
}

int main() {
    int n = 1 << 22;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<n / 256, 256>>>(n, 2.0f, x);
}
"""

GOOD = BAD.replace("  // roofline: ignore[RL201] a is measured in single precision", "")

RULE = Rule("RL100", "unused-suppression", Level.INFORMATION, __doc__, BAD, GOOD, fixes=True)
