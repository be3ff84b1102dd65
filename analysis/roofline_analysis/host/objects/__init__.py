"""Objects of declared types: containers, iterators and what initialises them."""
