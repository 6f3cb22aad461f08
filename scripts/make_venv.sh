#!/bin/sh
# Make the virtual environment; on a bare Debian, install what `python3 -m venv` needs first.
set -eu
venv=$1
[ -x "$venv/bin/pip" ] && exit 0
python=$(command -v python3.11 || command -v python3) || { echo "Python 3.11 or newer is needed: apt-get install python3" >&2; exit 1; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$python is older than 3.11" >&2; exit 1; }
if ! "$python" -c 'import ensurepip' 2>/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
  else
    echo "the venv module is missing: apt-get install python3-venv" >&2; exit 1
  fi
fi
exec "$python" -m venv "$venv"
