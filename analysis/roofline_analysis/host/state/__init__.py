"""State of the execution: frames, memory, names, types and operators."""
