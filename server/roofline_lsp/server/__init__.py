"""The language server: the one package that knows the Language Server Protocol.

It decides nothing about kernels. ``documents`` keeps texts and has them analysed in a worker
process, ``features`` turn finished reports into protocol values, ``convert`` does the same for
positions.
"""
