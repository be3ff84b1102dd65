# shellcheck shell=sh disable=SC2154
# Sourced by ./run-tests and ./run-examples (POSIX sh): makes .venv hold an editable install of this checkout.
#
#   ensure_venv LEVEL     LEVEL is `base`, or `dev` for what the tests and linters need too.
#
# Reads $PYTHON (which interpreter to build on; by default the first of python3, python3.14 ... python3.11 that is
# new enough). Expects $root, the checkout. Does nothing when .venv already holds what this pyproject.toml asks for.

python_is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Prints the interpreter to build .venv on.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        if python_is_new_enough "$PYTHON"; then
            echo "$PYTHON"
            return 0
        fi
        echo "error: PYTHON=$PYTHON is not a Python 3.11 or newer that runs" >&2
        return 1
    fi
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if python_is_new_enough "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    echo "error: no Python 3.11 or newer on PATH; install one, or name it: PYTHON=/path/to/python3.11 $0" >&2
    return 1
}

# What a Python installation is, the same from inside a virtual environment built on it.
python_identity() {
    "$1" -c 'import sys; print("%s %d.%d" % ((sys.base_prefix,) + sys.version_info[:2]))' 2>/dev/null
}

# The pip of an interpreter outside can install into an environment that has none (`--python`, pip 22.3 and newer).
outer_pip_works() {
    "$1" -m pip --python "$1" --version >/dev/null 2>&1
}

# Debian and Ubuntu ship venv without ensurepip unless python3-venv is installed, hence the fallbacks.
create_venv() {
    rm -rf .venv
    "$1" -m venv .venv >/dev/null 2>&1 && return 0
    rm -rf .venv
    outer_pip_works "$1" && "$1" -m venv --without-pip .venv >/dev/null 2>&1 && return 0
    rm -rf .venv
    command -v uv >/dev/null 2>&1 && uv venv --quiet --python "$1" .venv && return 0
    rm -rf .venv
    "$1" -m virtualenv --quiet .venv >/dev/null 2>&1 && return 0
    rm -rf .venv
    cat >&2 <<MESSAGE
error: $1 cannot create a virtual environment. Any one of these mends it:
  - Debian, Ubuntu:  sudo apt install python3-venv
  - have uv or virtualenv installed
  - use another Python 3.11 or newer:  PYTHON=/path/to/python $0
MESSAGE
    return 1
}

# install_into_venv PYTHON REQUIREMENT
install_into_venv() {
    if .venv/bin/python -m pip --version >/dev/null 2>&1; then
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable "$2"
    elif outer_pip_works "$1"; then
        "$1" -m pip --python .venv/bin/python install --quiet --disable-pip-version-check --editable "$2"
    else
        uv pip install --quiet --python .venv/bin/python --editable "$2"
    fi
}

# venv_is_usable PYTHON: .venv runs, stands where it was filled (its scripts name their interpreter by path), and is
# built on the interpreter that was asked for, if one was.
venv_is_usable() {
    python_is_new_enough .venv/bin/python || return 1
    [ ! -f .venv/installed-for ] || [ "$(cat .venv/installed-for)" = "$root" ] || return 1
    [ -z "${PYTHON:-}" ] || [ "$(python_identity .venv/bin/python)" = "$(python_identity "$1")" ]
}

ensure_venv() {
    level=$1
    cd "$root" || return 1
    python=$(find_python) || return 1
    if ! venv_is_usable "$python"; then
        echo "creating .venv with $(python_identity "$python")" >&2
        create_venv "$python" || return 1
    fi

    # `dev` holds all of `base`.
    wanted=$(cksum <pyproject.toml)
    for installed in "$level" dev; do
        if [ "$(cat ".venv/installed-$installed" 2>/dev/null)" = "$wanted" ]; then
            return 0
        fi
    done
    case $level in
        base) requirement=. ;;
        *) requirement=".[$level]" ;;
    esac
    echo "installing roofline-lsp ($level) into .venv" >&2
    if ! install_into_venv "$python" "$requirement"; then
        echo "error: the installation into .venv failed; the lines above say why" >&2
        return 1
    fi
    echo "$root" >.venv/installed-for
    echo "$wanted" >".venv/installed-$level"
}
