"""What the execution computes with: frames, memory, names, types and operators."""
