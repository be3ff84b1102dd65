"""One feature of the protocol a file: stateless, from a view of a document to protocol values."""
