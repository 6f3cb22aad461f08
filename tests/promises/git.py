"""What the system promises about the git that it runs itself."""

_PAGE = "docs/specification/git-commands.md"

PROMISES: dict[str, tuple[str, str]] = {
    "git:command:redirects": (
        f"{_PAGE}#every-command",
        "Variables that point git at another repository do not reach a git of ours.",
    ),
    "git:command:environment": (
        f"{_PAGE}#every-command",
        "Git sees the environment of its instance, speaks English, and asks nobody.",
    ),
    "git:command:input": (
        f"{_PAGE}#every-command",
        "What git is given to read reaches it whole.",
    ),
    "git:command:isolated": (
        f"{_PAGE}#closed-commands",
        "A closed command reads no configuration of the system or the user.",
    ),
    "git:command:output-bound": (
        f"{_PAGE}#every-command",
        "A command that says more than 16 MiB is ended and has failed.",
    ),
    "git:command:error-bound": (
        f"{_PAGE}#every-command",
        "Of a command's errors the last 64 KiB are kept, in whole lines.",
    ),
    "git:command:redacted": (
        f"{_PAGE}#every-command",
        "What git says about a failure carries no secret.",
    ),
    "git:command:time-limit": (
        f"{_PAGE}#every-command",
        "A command past its time is ended with everything it started.",
    ),
    "git:command:cancel": (
        f"{_PAGE}#every-command",
        "A command that nobody waits for any more is ended with everything it started.",
    ),
    "git:command:failures": (
        f"{_PAGE}#failures",
        "A failure has a code that tells what is wrong.",
    ),
    "git:command:ownership": (
        f"{_PAGE}#failures",
        "A repository that git does not trust is told with both users, and never with a wildcard.",
    ),
    "git:command:malformed": (
        f"{_PAGE}#every-command",
        "A malformed configuration in the environment is refused before git starts.",
    ),
    "git:credential:own-repository": (
        f"{_PAGE}#the-credential-of-a-closed-command",
        "A credential is answered for the command's own repository and for nothing else.",
    ),
    "git:credential:socket": (
        f"{_PAGE}#the-credential-of-a-closed-command",
        "It is served on a private socket while the command runs, and git keeps it nowhere.",
    ),
    "git:credential:nowhere": (
        f"{_PAGE}#the-credential-of-a-closed-command",
        "It is in no argument, environment, URL, configuration or file.",
    ),
    "git:closed:verified": (
        f"{_PAGE}#closed-commands",
        "A server's certificate is always verified, by the connection's authority if it has one.",
    ),
    "git:closed:proxy": (
        f"{_PAGE}#closed-commands",
        "Closed commands use the proxy that the control plane was started with.",
    ),
    "git:closed:protocols": (
        f"{_PAGE}#closed-commands",
        "With a credential only HTTPS is spoken, and without one nothing that runs a program.",
    ),
    "git:probe:branch": (
        f"{_PAGE}#mirrors",
        "A probe answers the default branch, `main` for a remote without commits.",
    ),
    "git:mirror:refresh": (
        f"{_PAGE}#mirrors",
        "A mirror has the branches and tags that the remote has now, and no others.",
    ),
    "git:mirror:kept": (
        f"{_PAGE}#mirrors",
        "A failed mirror leaves what was there as it was, and nothing half made.",
    ),
    "git:mirror:own-configuration": (
        f"{_PAGE}#mirrors",
        "A mirror's configuration is written anew before it is used, so that nothing steers it.",
    ),
    "git:origin": (
        f"{_PAGE}#clones",
        "The origin of a clone of ours is written only where it is another one, under a lock.",
    ),
    "git:clone:keeps": (
        f"{_PAGE}#clones",
        "Refreshing a clone moves what it knows of the remote; what is its own stays.",
    ),
    "git:clone:hostile": (
        f"{_PAGE}#clones",
        "Nothing that an agent configures in a clone runs in a fetch or sees its credential.",
    ),
    "git:lock": (
        f"{_PAGE}#one-at-a-time",
        "A repository that another process works on is waited for, with a bound.",
    ),
    "git:lock:worktrees": (
        f"{_PAGE}#one-at-a-time",
        "Worktrees of a repository are made and removed by one process at a time.",
    ),
    "git:inspect": (
        f"{_PAGE}#repositories-of-the-user",
        "A look at the user's repository tells its top, remote, branch and whether it is dirty.",
    ),
}
