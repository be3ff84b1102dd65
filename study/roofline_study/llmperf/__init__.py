"""The LLMPerf study: times of OpenCL kernels, learnt from runs of kernels of sampled sizes."""
