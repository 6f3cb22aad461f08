#!/bin/sh
# The credential helper of managed access: the instance's socket answers git, by git's own client.
# `store` ends here: without a socket that client would start a daemon that keeps the secret.
case ${1-} in
get | erase)
  if [ ! -S "${KANDEV_BROKER_SOCKET-}" ]; then
    echo "kandev: the credential socket of this session is gone" >&2
    echo quit=1
    exit 1
  fi
  client "$1"
  ;;
esac
