"""The files of a project, and which of them are one program."""
