"""What a number's name says of it."""

from __future__ import annotations

import pytest

from roofline_analysis.names.usual_numbers import TEMPLATE_NUMBER, template_number, usual_number


@pytest.mark.parametrize(
    ("names", "number"),
    [
        ("kernel_h kernelH ksize KERNEL_SIZE k_h poolSize conv.kernel_width m_filterSize", 3),
        ("nKernelSize n_filter_width", 3),
        ("stride_h strideW conv_stride_h pool_strides_w nAnchor", 1),
        ("pooled_height pooledW roi_pooled_w aligned_height", 7),
        ("upx downy up_x", 2),
        ("nsample nsamples n_samples", 32),
        ("nrhs num_rhs nRhs m_numRhs", 1),
        ("kernel_volume kernelVolume filter_vol", 27),
        ("max_pts_each_voxel max_num_points_per_voxel maxPointsInVoxel", 32),
        ("num_boxes boxes_num rois num_rois max_num_bboxes", 128),
        ("pad padH padding pad_left params->padding_w", 1),
        ("dilation dilation_w dilationH", 1),
        ("numGpus ngpu num_gpus m_exec.numDevices gpu_num local_gpu_count device_count", 1),
        ("embedding_vec_size embedDim emb_size", 128),
        ("num_sms numSms m_param.num_sms smCount multiProcessorCount", 80),
        ("n_ranks ranks num_rank world_size", 8),
        ("radius halo_size borderX", 2),
        ("window_radius patchRadius blur_radius_x", 4),
        ("window_step patch_stride_y winStep", 1),
        ("iterations maxIter nIter max_iterations projection.newton_iterations", 16),
        ("heads num_heads n_head num_kv_head", 16),
        ("batch batchSize num_batch", 8),
        (
            "channels in_channels numChannels num_in_channels outChannels cIn c_out in_c OutputCh",
            64,
        ),
        ("levels num_octaves nLevels components", 4),
        ("topk topK top_k moe_top_k num_topk experts_per_token", 8),
        ("experts num_experts nExperts", 64),
        ("head_dim headSize dim_head size_per_head qk_head_dim", 128),
        ("neighbors num_neighbours knn", 16),
        ("bits num_bits bitDepth", 8),
        ("beams beam_size num_beams", 4),
        ("degree poly_degree fw_poly_degree spline_order", 4),
        ("tile_size tileWidth BLOCK_TILE_DIM", 16),
        ("scale scaleX scalex upscale_factor downsample resample_factor", 2),
        ("points_per_pixel faces_per_pixel", 8),
        ("points.size(2) new_xyz.sizes_[2] gt_coords.size(-1) p1.sizes_[2] verts.shape[2]", 3),
        ("kmer_size kmerLength k_mer_size", 21),
    ],
)
def test_names_that_say_a_number(names: str, number: int) -> None:
    assert {usual_number(name) for name in names.split()} == {number}


@pytest.mark.parametrize(
    "name",
    "n size width height stride order dim dims ndim num_dims rank group_size blockSize head "
    "points.size(1) p.size(2) weights.sizes_[2] "
    "window_size iteration kernels padded_width argv[1] x.size(0) model_header[6] argc N k".split(),
)
def test_names_that_say_nothing(name: str) -> None:
    assert usual_number(name) is None


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("result of get_global_gpu_count()", 1),
        ("result of resources.GetDeviceCount()", 1),
        ("result of self->num_heads()", 16),
        ("resources.get_local_gpu(0).get_sm_count()", 80),
        ("result of size()", None),
        ("result of num_heads() + 1", None),
    ],
)
def test_what_a_function_is_named_after(name: str, number: int | None) -> None:
    assert usual_number(name) == number


@pytest.mark.parametrize(
    ("names", "number"),
    [
        ("BLOCK_SIZE kBlockSize THREADS_PER_BLOCK nThreads BLOCK_DIM_X", 256),
        ("WARPS WARPS_M kNWarps NUM_WARPS", 4),
        ("CTAS_PER_ROW BLOCKS_PER_SM", 1),
        ("BYTES BYTES_PER_LDG", 16),
        ("HIDDEN_SIZE COLS EMBED_DIM", 1024),
        ("log2_elements LOG_N", 10),
        ("VEC_SIZE UNROLL ITEMS_PER_THREAD PACK_SIZE kElts", 4),
        ("STAGES NUM_STAGES", 2),
        ("TILE_M BM BLOCK_N kBlockM", 64),
        ("HEAD_DIM", 128),
        ("RADIUS", 2),
        ("N Foo WIDTH", TEMPLATE_NUMBER),
    ],
)
def test_names_of_template_numbers(names: str, number: int) -> None:
    assert {name: template_number(name) for name in names.split()} == dict.fromkeys(
        names.split(), number
    )
