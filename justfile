# Short names for what a developer runs often; `just` alone lists them. Needs nothing but ./run-tests having run once.

export PATH := justfile_directory() / ".venv/bin" + ":" + env("PATH")

_list:
    @{{ just_executable() }} --list --unsorted

# everything that must hold before a change lands
check:
    .ci/run

# the tests, with any arguments of pytest
test *arguments:
    ./run-tests {{ arguments }}

# the tests that only compute: less than a minute
fast *arguments:
    ./run-tests -m fast {{ arguments }}

# style and formatting, nothing changed
lint:
    ruff check .
    ruff format --check .

# mypy and pyright
types:
    mypy
    pyright --pythonpath .venv/bin/python

# the direction of imports
contracts:
    lint-imports --no-cache

# format and mend what can be mended by itself
fmt:
    ruff check --fix .
    ruff format .

# one benchmark with its arguments; without a name, which there are
bench name="" *arguments:
    {{ if name == "" { "ls benchmarks" } else { "python benchmarks/" + name + ".py " + arguments } }}

# what roofline-lsp says of the examples, with any options of its batch check
examples *options:
    ./run-examples {{ options }}
