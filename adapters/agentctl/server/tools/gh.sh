#!/bin/sh
# The machine's own gh, with the lease's token for this one run and a configuration of its own.
#
# The repository is chosen by -R or --repo, then GH_REPO, then the remote `origin`, then it is the
# first one of the session. Help and version need none. The token is only in the environment of gh.

scopes=${KANDEV_GIT_SCOPES-}
newline='
'

refuse() {
  printf 'gh: %s\n' "$1" >&2
  exit "${2:-1}"
}

# real: the first gh on PATH that is not this file. A relative place in PATH is passed over.
find_real() {
  rest=${PATH-}:
  while [ -n "$rest" ]; do
    real=${rest%%:*}/gh
    rest=${rest#*:}
    case $real in /*) ;; *) continue ;; esac
    if [ -f "$real" ] && [ -x "$real" ] && ! [ "$real" -ef "$tools/gh" ]; then return; fi
  done
  refuse "the GitHub CLI is not installed on this machine" 127
}

# bare: not empty when no lease is needed. named: the repository that the words name.
read_words() {
  bare=
  named=
  take=
  case ${1-} in '' | version | help | completion) bare=yes ;; esac
  for word; do
    if [ -n "$take" ]; then
      named=$word
      take=
      continue
    fi
    case $word in
    --) break ;;
    --version | --help | -h) bare=yes ;;
    -R | --repo) take=yes ;;
    --repo=*) named=${word#--repo=} ;;
    -R=*) named=${word#-R=} ;;
    -R?*) named=${word#-R} ;;
    esac
  done
}

# host of an OWNER/REPO: GH_HOST, else that of the session's repository with this path.
find_host() {
  host=${GH_HOST-}
  [ -z "$host" ] || return 0
  host=github.com
  before=${scopes%%"\",\"path\":\"/$1\""*}
  [ "$before" = "$scopes" ] || host=${before##*"\"host\":\""}
}

# host and path of the repository that $1 names, in a spelling of gh's or of git's.
read_repository() {
  case $1 in
  https://*) place=${1#https://} place=${place#*@} ;;
  ssh://*)
    place=${1#ssh://} place=${place#*@}
    host=${place%%/*}
    place=${host%%:*}/${place#*/}
    ;;
  *@*:*) place=${1#*@} place=${place%%:*}/${place#*:} ;;
  */*/*) place=$1 ;;
  */*)
    find_host "$1"
    place=$host/$1
    ;;
  *) refuse "$1 names no repository" ;;
  esac
  host=${place%%/*}
  path=${place#*/}
}

first_repository() {
  host=${scopes#*"\"host\":\""}
  path=${host#*"\"path\":\"/"}
  host=${host%%\"*}
  path=${path%%\"*}
}

choose() {
  named=${named:-${GH_REPO-}}
  [ -n "$named" ] || [ -z "$git" ] || named=$("$git" remote get-url origin 2>/dev/null)
  if [ -n "$named" ]; then read_repository "$named"; else first_repository; fi
  case $host$path in *"$newline"*) refuse "the name of a repository is one line" ;; esac
}

# token: of the lease for host and path.
redeem() {
  question="protocol=https${newline}host=$host${newline}path=$path$newline"
  answer=$(printf '%s\n' "$question" | client get)
  token=${answer#*"${newline}password="}
  [ "$token" != "$answer" ] ||
    refuse "this session has no credential for https://$host/$path"
  token=${token%%"$newline"*}
}

find_real
read_words "$@"
unset GH_TOKEN GITHUB_TOKEN GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN
if [ -z "$bare" ]; then
  choose
  redeem
  GH_TOKEN=$token
  export GH_TOKEN
  case $host in
  github.com | *.ghe.com) ;;
  *)
    # gh reads this name for a server of one's own; what gh starts may read either.
    GH_ENTERPRISE_TOKEN=$token GH_HOST=$host
    export GH_ENTERPRISE_TOKEN GH_HOST
    ;;
  esac
fi
GH_CONFIG_DIR=$tools/gh-$$
export GH_CONFIG_DIR
"$mkdir" -m 700 "$GH_CONFIG_DIR" || exit 1
# gh gets these signals from its group; this shell waits for it, to remove what it leaves.
trap : HUP INT QUIT TERM
"$real" "$@"
status=$?
"$rm" -rf "$GH_CONFIG_DIR"
exit "$status"
