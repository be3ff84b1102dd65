"""Records of a corpus, written as programs are finished and known again by a later run."""
