"""The C++ that host and device code share: types, layouts, names, templates, constants."""
