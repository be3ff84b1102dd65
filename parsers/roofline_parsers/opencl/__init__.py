"""OpenCL C read with the CUDA grammar.

The preprocessor gives the text of a kernel file in words that the CUDA grammar holds
(``preprocess.opencl_words``), and ``functions`` takes the model that comes of it back to OpenCL's
terms. The rest, from statements to types, is what both languages share.
"""
