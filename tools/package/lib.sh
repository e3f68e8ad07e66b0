# Shell functions of the scripts in this folder; sourced, never run.
# shellcheck shell=bash

# What cannot be tested is said by name, and is no failure. $1: what is skipped, and why.
skip() {
    echo "skipped: $*"
    exit 0
}

fail() {
    echo "failed: $*" >&2
    exit 1
}

# Makes sure that a program is there, out of a Debian package where that is allowed.
# $1: the program; $2: the package; $3: what is skipped without it.
need() {
    command -v "$1" >/dev/null 2>&1 && return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "== installing: $2"
        # The lists may be older than the packages that they name.
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2"; } \
            >/dev/null 2>&1 || true
    fi
    command -v "$1" >/dev/null 2>&1 || skip "$3, for there is no $1 (Debian's package $2)"
}

# Fetches every crate of Cargo.lock. It says so first and shows what comes, so that nobody takes a slow registry for a
# script that hangs.
fetch_crates() {
    echo "== fetching every crate of Cargo.lock; from a slow registry the first time takes many minutes" >&2
    cargo fetch --locked
}

# A port of the loopback address that is free now.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Waits for a service to be ready. $1: its address; $2: seconds; the rest: options of curl.
wait_ready() {
    local address=$1 until=$((SECONDS + $2))
    shift 2
    until curl -sf "$@" -o /dev/null "$address/readyz"; do
        [ "$SECONDS" -lt "$until" ] || return 1
        sleep 0.2
    done
}

# A field of a JSON object that comes on standard input; of several the first; nothing where there is none.
field() {
    { grep -o "\"$1\":[^,}]*" || true; } | head -n 1 | cut -d: -f2- | tr -d '"'
}

# A Python that has a package, below target/tools; nothing where it cannot be had. $1: a name for it; $2: what it is to
# import; the rest: the packages, each at one version.
python_with() {
    local venv=$PWD/target/tools/$1 module=$2
    shift 2
    if ! "$venv/bin/python3" -c "import $module" 2>/dev/null; then
        rm -rf "$venv"
        if ! { python3 -m venv "$venv" && timeout 300 "$venv/bin/pip" install --quiet "$@"; } >/dev/null 2>&1; then
            # Half of one must not be taken for whole the next time.
            rm -rf "$venv"
            return 0
        fi
    fi
    echo "$venv/bin/python3"
}
