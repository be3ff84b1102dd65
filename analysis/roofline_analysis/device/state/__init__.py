"""State of the walk: variables, values, memory and operators."""
