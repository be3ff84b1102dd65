"""The possible effects of host code, from its syntax and its words."""
