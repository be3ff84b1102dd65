"""The disassembler's listing of machine code, read into instructions."""
