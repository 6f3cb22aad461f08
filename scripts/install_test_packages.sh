#!/bin/sh
# Have every command that the tests call: installed where that is possible, named where it is not.
set -eu
list=$1
packages=$(sed 's/#.*//' "$list" | while read -r command package; do
  [ -z "$command" ] || command -v "$command" >/dev/null || echo "$package"
done | sort -u)
[ -n "$packages" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq
  # shellcheck disable=SC2086 # one word a package
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
else
  echo "the tests need: $(echo $packages)" >&2
  exit 1
fi
