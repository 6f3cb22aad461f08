"""The text of each managed tool, in POSIX sh; every path in it is absolute and quoted.

No Python starts for `get`, `store` or `erase`: git ships a compiled client of a unix socket
(git-credential-cache(1)). `store` never reaches that client, which would start a daemon.
"""

import shlex

__all__ = ("agentctl", "fallback_helper", "gh", "helper", "shell_start")


def helper(git: str) -> str:
    """The credential helper, by git's own socket client."""
    return f"""#!/bin/sh
case $1 in
get | erase) exec {shlex.quote(git)} credential-cache --socket "$KANDEV_BROKER_SOCKET" "$1" ;;
store) exit 0 ;;
*) exit 1 ;;
esac
"""


def fallback_helper(python: str, client: str) -> str:
    """The credential helper where git was built without unix sockets."""
    return f"""#!/bin/sh
case $1 in
get | erase) exec {shlex.quote(python)} -I -S {shlex.quote(client)} "$KANDEV_BROKER_SOCKET" "$1" ;;
store) exit 0 ;;
*) exit 1 ;;
esac
"""


def agentctl(helper: str, python: str) -> str:
    """`agentctl git-credential get|store|erase` answers as the configured helper does."""
    return f"""#!/bin/sh
case $1 in
git-credential) shift; exec {shlex.quote(helper)} "$@" ;;
*) exec {shlex.quote(python)} -I -m composition.agentctl "$@" ;;
esac
"""


def gh(git: str) -> str:
    """The real `gh`, with the lease's token for this one run and a configuration of its own.

    The repository is chosen by `-R`/`--repo`, then `GH_REPO`, then the remote `origin`; `--version`
    and `--help` need none.
    """
    quoted = shlex.quote(git)
    return f"""#!/bin/sh
tools=$KANDEV_TOOLS_DIR
real=
rest=$PATH:
while [ -n "$rest" ]; do
  folder=${{rest%%:*}}
  rest=${{rest#*:}}
  if [ -n "$folder" ] && [ "$folder" != "$tools" ] && [ -x "$folder/gh" ] && [ ! -d "$folder/gh" ]
  then
    real=$folder/gh
    break
  fi
done
[ -n "$real" ] || {{ echo "gh: the GitHub CLI is not installed on this machine" >&2; exit 127; }}
unset GH_TOKEN GITHUB_TOKEN GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN
repo=
take=
for word; do
  if [ -n "$take" ]; then repo=$word; take=; continue; fi
  case $word in
  --version | --help | -h | version | help) exec "$real" "$@" ;;
  -R | --repo) take=1 ;;
  --repo=*) repo=${{word#--repo=}} ;;
  -R?*) repo=${{word#-R}} ;;
  esac
done
[ -n "$repo" ] || repo=$GH_REPO
[ -n "$repo" ] || repo=$({quoted} remote get-url origin 2>/dev/null)
case $repo in
https://*) repo=${{repo#https://}} ;;
ssh://*) repo=${{repo#ssh://}}; repo=${{repo#*@}} ;;
*@*:*) repo=${{repo#*@}}; repo=${{repo%%:*}}/${{repo#*:}} ;;
*/*/*) ;;
*/*) repo=${{GH_HOST:-github.com}}/$repo ;;
esac
repo=${{repo%.git}}
host=${{repo%%/*}}
path=${{repo#*/}}
answer=$(printf 'protocol=https\\nhost=%s\\npath=%s\\n\\n' "$host" "$path" |
  {quoted} credential-cache --socket "$KANDEV_BROKER_SOCKET" get)
token=
while IFS= read -r line; do
  case $line in password=*) token=${{line#password=}} ;; esac
done <<EOF
$answer
EOF
[ -n "$token" ] || {{ echo "gh: no lease for ${{repo:-this directory}}" >&2; exit 1; }}
case $host in
github.com | *.ghe.com) export GH_TOKEN="$token" ;;
*) export GH_ENTERPRISE_TOKEN="$token" GH_HOST="$host" ;;
esac
GH_CONFIG_DIR=$(mktemp -d) || exit 1
export GH_CONFIG_DIR
trap 'rm -rf "$GH_CONFIG_DIR"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$real" "$@"
exit $?
"""


def shell_start(directory: str) -> str:
    """Start-up of a shell that was told to set `PATH` anew: the tools go first again."""
    quoted = shlex.quote(directory)
    return f"""case ":$PATH:" in
:{quoted}:*) ;;
*) PATH={quoted}:$PATH; export PATH ;;
esac
if [ -n "$KANDEV_PARENT_BASH_ENV" ] && [ -r "$KANDEV_PARENT_BASH_ENV" ]; then
  . "$KANDEV_PARENT_BASH_ENV"
fi
"""
