"""What the walk computes with: variables, values, memory and operators."""
