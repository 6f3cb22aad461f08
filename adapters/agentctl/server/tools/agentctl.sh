#!/bin/sh
# What an agent may ask agentctl for: `agentctl git-credential get|store|erase` answers as the
# configured helper does, and says by its exit status whether there was a credential.
if [ "$#" -ne 2 ] || [ "$1" != git-credential ]; then
  echo "usage: agentctl git-credential get|store|erase" >&2
  exit 2
fi
[ "$2" = get ] || exec "$tools/git-credential-kandev" "$2"
answer=$("$tools/git-credential-kandev" get)
case $answer in
*password=*) printf '%s\n\n' "$answer" ;;
*)
  printf 'quit=1\n\n'
  exit 1
  ;;
esac
