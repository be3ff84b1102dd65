"""How the functions of thrust, CUB and rocPRIM order their arguments.

A form is a string with a letter for each argument:

``f l``  begin and end of the first sequence, read; ``F`` read and written, ``W`` written
``g h``  begin and end of a second sequence, read
``n N``  the number of elements of the first and of the second sequence
``i o``  a sequence as long as the first, read or written; ``u`` read and written
``j``    a sequence as long as the second, read
``k``    a sequence written as far as elements are kept
``p``    a function object that is applied to each element
``c``    an order
``b e``  the first bit and the bit behind the last that a sort looks at
``x``    anything else

What stands behind ``|`` may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_analysis.host.libraries.gpu.patterns import Kind

Forms = Mapping[str, tuple[Kind, tuple[str, ...]]]


def _table(*rows: tuple[Kind, str, str]) -> Forms:
    """Rows of a kind, names and the forms that these share."""
    return {
        name: (kind, tuple(forms.split())) for kind, names, forms in rows for name in names.split()
    }


THRUST: Final = _table(
    (Kind.SORT, "sort stable_sort", "Fl|c"),
    (Kind.SORT, "sort_by_key stable_sort_by_key", "Flu|c"),
    (Kind.REDUCE, "reduce", "fl|xx"),
    (Kind.REDUCE, "min_element max_element minmax_element", "fl|x"),
    (Kind.REDUCE, "is_sorted is_sorted_until is_partitioned", "fl|x"),
    (Kind.REDUCE, "count count_if any_of all_of none_of", "flx"),
    (Kind.SELECT, "reduce_by_key", "flikk|xx"),
    (Kind.SCAN, "inclusive_scan", "flo|xx"),
    (Kind.SCAN, "exclusive_scan", "flo|xx"),
    (Kind.SCAN, "inclusive_scan_by_key exclusive_scan_by_key", "flio|xxx"),
    (Kind.SCAN, "transform_inclusive_scan transform_exclusive_scan", "flopx|xx"),
    (Kind.SCAN, "adjacent_difference", "flo|x"),
    (Kind.TRANSFORM, "transform", "flop fliop"),
    (Kind.TRANSFORM, "transform_if", "flopx fliopx"),
    (Kind.TRANSFORM_REDUCE, "transform_reduce", "flpxx"),
    (Kind.PRODUCT, "inner_product", "flix|xx"),
    (Kind.COPY, "copy uninitialized_copy reverse_copy", "flo"),
    (Kind.COPY, "copy_n", "fno"),
    (Kind.COPY, "reverse", "Fl"),
    (Kind.COPY, "swap_ranges", "Flu"),
    (Kind.COPY, "shuffle", "Flx"),
    (Kind.COPY, "shuffle_copy", "flox"),
    (Kind.COPY, "replace replace_if", "Flxx"),
    (Kind.COPY, "replace_copy", "floxx"),
    (Kind.SELECT, "copy_if", "flkx flikx"),
    (Kind.SELECT, "unique partition stable_partition", "Fl|x Flix"),
    (Kind.SELECT, "remove remove_if", "Flx Flix"),
    (Kind.SELECT, "unique_by_key", "Flu|x"),
    (Kind.SELECT, "unique_copy", "flk|x"),
    (Kind.SELECT, "remove_copy remove_copy_if", "flkx"),
    (Kind.SELECT, "partition_copy", "flkkx"),
    (Kind.FILL, "fill uninitialized_fill", "Wlx"),
    (Kind.FILL, "fill_n", "Wnx"),
    (Kind.FILL, "sequence", "Wl|xx"),
    (Kind.TRANSFORM, "generate tabulate", "Wlp"),
    (Kind.TRANSFORM, "generate_n", "Wnp"),
    (Kind.FOR_EACH, "for_each", "Flp"),
    (Kind.FOR_EACH, "for_each_n", "Fnp"),
    (Kind.GATHER, "gather scatter", "flio"),
    (Kind.GATHER, "gather_if scatter_if", "fliio|x"),
    (Kind.SEARCH_FIRST, "find find_if find_if_not", "flx"),
    (Kind.REDUCE, "equal mismatch", "fli|x"),
    (Kind.MERGE, "merge", "flgho|c"),
    (Kind.MERGE, "merge_by_key", "flghijoo|c"),
    (Kind.SELECT, "set_union set_intersection set_difference", "flghk|c"),
    (Kind.SEARCH, "lower_bound upper_bound binary_search", "flgho|c"),
)
"""Without an execution policy before the first iterator."""

CUB: Final = _table(
    (Kind.REDUCE, "DeviceReduce::Reduce", "ionxx"),
    (Kind.REDUCE, "DeviceReduce::Sum DeviceReduce::Min DeviceReduce::Max", "ixn"),
    (Kind.REDUCE, "DeviceReduce::ArgMin DeviceReduce::ArgMax", "ixn ixxn"),
    (Kind.TRANSFORM_REDUCE, "DeviceReduce::TransformReduce", "ixnxpx"),
    (Kind.SELECT, "DeviceReduce::ReduceByKey", "ikikxxn"),
    (Kind.SCAN, "DeviceScan::ExclusiveSum DeviceScan::InclusiveSum", "ion un"),
    (Kind.SCAN, "DeviceScan::ExclusiveScan DeviceScan::InclusiveScanInit", "ioxxn uxxn"),
    (Kind.SCAN, "DeviceScan::InclusiveScan", "ioxn uxn"),
    (Kind.SCAN, "DeviceScan::ExclusiveSumByKey DeviceScan::InclusiveSumByKey", "iion|x"),
    (Kind.SCAN, "DeviceScan::ExclusiveScanByKey", "iioxxn|x"),
    (Kind.SCAN, "DeviceScan::InclusiveScanByKey", "iioxn|x"),
    (Kind.SORT, "DeviceRadixSort::SortKeys DeviceRadixSort::SortKeysDescending", "ion|be un|be"),
    (
        Kind.SORT,
        "DeviceRadixSort::SortPairs DeviceRadixSort::SortPairsDescending",
        "ioion|be uun|be",
    ),
    (Kind.SORT, "DeviceMergeSort::SortKeys DeviceMergeSort::StableSortKeys", "unc"),
    (Kind.SORT, "DeviceMergeSort::SortPairs DeviceMergeSort::StableSortPairs", "uunc"),
    (Kind.SORT, "DeviceMergeSort::SortKeysCopy DeviceMergeSort::StableSortKeysCopy", "ionc"),
    (Kind.SORT, "DeviceMergeSort::SortPairsCopy", "iioonc"),
    (Kind.SELECT, "DeviceSelect::If DevicePartition::If", "ikxnx uxnx"),
    (Kind.SELECT, "DeviceSelect::Flagged DevicePartition::Flagged", "iikxn uixn"),
    (Kind.SELECT, "DeviceSelect::Unique", "ikxn uxn"),
    (Kind.SELECT, "DeviceSelect::UniqueByKey", "iikkxn|x"),
    (Kind.HISTOGRAM, "DeviceHistogram::HistogramEven", "ixxxxn"),
    (Kind.HISTOGRAM, "DeviceHistogram::HistogramRange", "ixxxn"),
    (Kind.HISTOGRAM, "DeviceHistogram::MultiHistogramEven", "ixxxxn"),
    (Kind.HISTOGRAM, "DeviceHistogram::MultiHistogramRange", "ixxxn"),
    (Kind.SELECT, "DeviceRunLengthEncode::Encode", "ikkxn"),
    (Kind.SELECT, "DeviceRunLengthEncode::NonTrivialRuns", "ikkxn"),
    (Kind.SORT, "DeviceSegmentedSort::SortKeys DeviceSegmentedSort::StableSortKeys", "ionxxx"),
    (Kind.SORT, "DeviceSegmentedSort::SortPairs DeviceSegmentedSort::StableSortPairs", "ioionxxx"),
    (Kind.SORT, "DeviceSegmentedRadixSort::SortKeys", "ionxxx|be"),
    (Kind.SORT, "DeviceSegmentedRadixSort::SortKeysDescending", "ionxxx|be"),
    (Kind.SORT, "DeviceSegmentedRadixSort::SortPairs", "ioionxxx|be"),
    (Kind.SORT, "DeviceSegmentedRadixSort::SortPairsDescending", "ioionxxx|be"),
    (Kind.MERGE, "DeviceMerge::MergeKeys", "injNo|c"),
    (Kind.SCAN, "DeviceAdjacentDifference::SubtractLeftCopy", "ion|x"),
    (Kind.SCAN, "DeviceAdjacentDifference::SubtractRightCopy", "ion|x"),
    (Kind.SCAN, "DeviceAdjacentDifference::SubtractLeft", "un|x"),
)
"""Behind the temporary storage and its size."""

CUB_PLAIN: Final = _table(
    (Kind.FOR_EACH, "DeviceFor::ForEach DeviceFor::ForEachCopy", "Flp"),
    (Kind.FOR_EACH, "DeviceFor::ForEachN DeviceFor::ForEachCopyN", "Fnp"),
    (Kind.FOR_EACH, "DeviceFor::Bulk", "np"),
    (Kind.TRANSFORM, "DeviceTransform::Transform", "ionp"),
)
"""CUB's functions without temporary storage."""

ROCPRIM: Final = _table(
    (Kind.REDUCE, "reduce", "ixn|x ixxn|x"),
    (Kind.SCAN, "inclusive_scan", "ion|x"),
    (Kind.SCAN, "exclusive_scan", "ioxn|x"),
    (Kind.SORT, "radix_sort_keys radix_sort_keys_desc", "ion|be un|be"),
    (Kind.SORT, "radix_sort_pairs radix_sort_pairs_desc", "ioion|be uun|be"),
    (Kind.SORT, "merge_sort", "ion|c ioion|c"),
    (Kind.SELECT, "select", "iikxn ikxnx"),
    (Kind.SELECT, "partition", "iikxn ikxnx"),
    (Kind.SELECT, "unique", "ikxn|x"),
    (Kind.HISTOGRAM, "histogram_even", "inxxxx"),
    (Kind.SELECT, "run_length_encode", "inkkx"),
    (Kind.SELECT, "reduce_by_key", "iinkkx|xx"),
    (Kind.MERGE, "merge", "ijonN|c"),
)
"""Behind the temporary storage and its size."""
ROCPRIM_PLAIN: Final = _table((Kind.TRANSFORM, "transform", "ionp iionp"))
