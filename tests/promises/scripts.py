"""What the system promises about setup and cleanup scripts."""

_PAGE = "docs/specification/scripts.md"

PROMISES: dict[str, tuple[str, str]] = {
    "script:placeholder:quoted": (
        f"{_PAGE}#placeholders",
        "A placeholder becomes one complete word of the shell, whatever the value contains.",
    ),
    "script:placeholder:once": (
        f"{_PAGE}#placeholders",
        "A script is expanded in one pass; what a value contains is not expanded.",
    ),
    "script:placeholder:fragment": (
        f"{_PAGE}#placeholders",
        "Only a declared fragment of script is used without quotes.",
    ),
    "script:placeholder:unknown": (
        f"{_PAGE}#placeholders",
        "An unknown name stays as it is written and is reported.",
    ),
    "script:placeholder:values": (
        f"{_PAGE}#placeholders",
        "Each name stands for what the table says.",
    ),
    "script:setting": (
        f"{_PAGE}#the-setting",
        "A repository's scripts are set when it is registered or later, each by itself.",
    ),
    "script:setting:bound": (
        f"{_PAGE}#the-setting",
        "A script has at most 64 KiB and no NUL; what is not valid changes nothing.",
    ),
    "script:blank": (
        f"{_PAGE}#setup",
        "A script of blank lines and comments is not run.",
    ),
    "script:setup": (
        f"{_PAGE}#setup",
        "A setup script runs in a worktree before the agent starts, until it succeeded there once.",
    ),
    "script:setup:environment": (
        f"{_PAGE}#setup",
        "A setup script has the environment that the agent gets.",
    ),
    "script:setup:managed": (
        f"{_PAGE}#setup",
        "A setup script has the managed access and the git configuration of the agent.",
    ),
    "script:setup:continue": (
        f"{_PAGE}#when-it-fails",
        "After a failed setup that may fail, the agent starts.",
    ),
    "script:setup:block": (
        f"{_PAGE}#when-it-fails",
        "A failed setup that must not fail refuses the launch with its output; the worktree stays.",
    ),
    "script:cleanup": (
        f"{_PAGE}#cleanup",
        "A cleanup script runs in a worktree that can be removed, before it is.",
    ),
    "script:cleanup:closed": (
        f"{_PAGE}#cleanup",
        "A cleanup script has no lease, and git is as closed as under the managed policy.",
    ),
    "script:cleanup:failure": (
        f"{_PAGE}#cleanup",
        "A failed cleanup script does not keep the worktree.",
    ),
    "script:ended": (
        f"{_PAGE}#the-end-of-a-script",
        "Of a script that is over, at its limit or given up nothing runs on.",
    ),
    "script:events": (
        f"{_PAGE}#output",
        "A script's begin, output and end are events, its output without secrets.",
    ),
    "script:events:meanwhile": (
        f"{_PAGE}#output",
        "A setup script's events come while it runs, and stay of a launch that it forbids.",
    ),
    "script:output": (
        f"{_PAGE}#output",
        "The last 10 KiB of output are kept, cut between characters.",
    ),
    "script:output:bound": (
        f"{_PAGE}#output",
        "The first 256 KiB of output are told while the script runs.",
    ),
}
