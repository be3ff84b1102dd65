"""What a number's name says of it."""

from __future__ import annotations

import pytest

from roofline_analysis.names.usual_numbers import usual_number


@pytest.mark.parametrize(
    ("names", "number"),
    [
        ("kernel_h kernelH ksize KERNEL_SIZE k_h poolSize conv.kernel_width m_filterSize", 3),
        ("pad padH padding pad_left params->padding_w", 1),
        ("dilation dilation_w dilationH", 1),
        ("numGpus ngpu num_gpus n_ranks m_exec.numDevices", 1),
        ("ndim nDims num_dims n_dimensions", 3),
        ("radius halo_size borderX", 2),
        ("iterations maxIter nIter max_iterations projection.newton_iterations", 16),
        ("heads num_heads n_head num_kv_head", 16),
        ("batch batchSize num_batch", 8),
        ("channels in_channels numChannels", 64),
        ("levels num_octaves nLevels components", 4),
    ],
)
def test_names_that_say_a_number(names: str, number: int) -> None:
    assert {usual_number(name) for name in names.split()} == {number}


@pytest.mark.parametrize(
    "name",
    "n size width height stride order dim dims rank group_size blockSize head window_size "
    "iteration kernels padded_width argv[1] x.size(0) model_header[6] argc N k".split(),
)
def test_names_that_say_nothing(name: str) -> None:
    assert usual_number(name) is None
