"""What the system promises about git's configuration in the environment."""

_PAGE = "docs/specification/git-configuration.md"

PROMISES: dict[str, tuple[str, str]] = {
    "git-config:parse:accepted": (
        f"{_PAGE}#reading",
        "A block that git accepts is accepted, and means to git what it meant before.",
    ),
    "git-config:parse:refused": (
        f"{_PAGE}#reading",
        "A block that git refuses is refused by variable, index and reason.",
    ),
    "git-config:parse:verdict": (
        f"{_PAGE}#reading",
        "For any count, keys and values the verdict is git's, within the bounds.",
    ),
    "git-config:parse:problem": (
        f"{_PAGE}#reading",
        "A problem names the layer, the variable and the index, never a key or a value.",
    ),
    "git-config:compose:order": (
        f"{_PAGE}#composing",
        "The lower block comes first, then the higher one, and no repeated key is taken for a copy.",
    ),
    "git-config:compose:overlap": (
        f"{_PAGE}#composing",
        "The longest exact suffix of the lower block that the higher begins with is emitted once.",
    ),
    "git-config:compose:forwarded": (
        f"{_PAGE}#composing",
        "A block that is forwarded again changes nothing.",
    ),
    "git-config:serialize": (
        f"{_PAGE}#writing",
        "A block is written contiguously from 0 and reads back as it was; an empty one is nothing.",
    ),
    "git-config:bounds:entries": (f"{_PAGE}#bounds", "A block has at most 1,024 entries."),
    "git-config:bounds:bytes": (f"{_PAGE}#bounds", "A block has at most 256 KiB."),
    "git-config:bounds:text": (
        f"{_PAGE}#bounds",
        "A key or a value is no longer than what Linux starts a process with.",
    ),
    "git-config:bounds:hook": (
        f"{_PAGE}#bounds",
        "Under the largest block that is accepted git still starts a hook.",
    ),
    "environment:layers:order": (
        f"{_PAGE}#layers",
        "Of an ordinary variable the highest layer wins, an explicit empty value included.",
    ),
    "environment:conflict:secret": (
        f"{_PAGE}#layers",
        "Chosen layers that differ about a secret start nothing; variable and layers are named.",
    ),
    "environment:conflict:ambient": (
        f"{_PAGE}#layers",
        "Host, executor and agent defaults lose without a conflict.",
    ),
    "environment:entries:composed": (
        f"{_PAGE}#layers",
        "Indexed entries of all layers are one list, of which forwarding loses and doubles none.",
    ),
    "environment:entries:refused": (
        f"{_PAGE}#layers",
        "A malformed block is refused in the name of its layer.",
    ),
    "environment:entries:bounds": (
        f"{_PAGE}#bounds",
        "The result of a composition is held to the bounds, and the layer that crossed is named.",
    ),
    "environment:removes": (
        f"{_PAGE}#layers",
        "A layer may take names from lower layers; with the count goes the whole list.",
    ),
    "environment:explain": (
        f"{_PAGE}#layers",
        "Each entry and each variable is traced to the layer that it came from.",
    ),
    "environment:withheld:redirects": (
        f"{_PAGE}#names-that-never-reach-an-agent",
        "What points git at another repository is taken from every layer, and named.",
    ),
    "environment:withheld:private": (
        f"{_PAGE}#names-that-never-reach-an-agent",
        "Our own names are taken from the host's layer, and named.",
    ),
    "environment:tools:added": (
        f"{_PAGE}#managed-entries",
        "The managed tools come first on `PATH` and in shells; a start-up file is still read.",
    ),
    "environment:tools:removed": (
        f"{_PAGE}#managed-entries",
        "Where managed access ends, `PATH` and `BASH_ENV` are as they were before.",
    ),
    "git-config:managed:asked": (
        f"{_PAGE}#managed-entries",
        "Git asks the managed helper of a managed host, whatever characters its path holds.",
    ),
    "git-config:managed:closed": (
        f"{_PAGE}#managed-entries",
        "When the managed helper is missing or does not answer, git stops and asks nobody else.",
    ),
    "git-config:managed:others": (
        f"{_PAGE}#managed-entries",
        "Hosts that are not managed keep the helper of the user.",
    ),
    "git-config:managed:certificates": (
        f"{_PAGE}#managed-entries",
        "A certificate bundle of the host's holds for other hosts, and a managed forge has its own.",
    ),
    "git-config:managed:removed": (
        f"{_PAGE}#managed-entries",
        "Taking the managed entries away gives back exactly the others, in order.",
    ),
    "git-config:boundary:order": (
        f"{_PAGE}#boundaries",
        "Whatever boundary it crosses, and however often, a list reaches the agent whole and once.",
    ),
    "git-config:boundary:beside": (
        f"{_PAGE}#boundaries",
        "What runs beside an agent sees the agent's list: at a launch, a resume and after a restart.",
    ),
    "git-config:boundary:refused": (
        f"{_PAGE}#boundaries",
        "A malformed list starts nothing: no agent, no worktree; its layer and entry are named.",
    ),
    "git-config:boundary:bound": (
        f"{_PAGE}#boundaries",
        "A list at its bound reaches the agent; one entry more starts nothing and names the layer.",
    ),
    "git-config:launched:stray": (
        f"{_PAGE}#boundaries",
        "Entries beyond the count stop no launch, and do not come alive in it.",
    ),
    "git-config:launched:forwarded": (
        f"{_PAGE}#boundaries",
        "A server that an agent started gives its own agents each entry once.",
    ),
    "git-config:launched:inherited-repository": (
        f"{_PAGE}#names-that-never-reach-an-agent",
        "A server that inherits another repository's location leaves that repository as it was.",
    ),
    "git-config:launched:push": (
        f"{_PAGE}#managed-entries",
        "An agent's commit runs the host's hooks, and its push asks the managed helper alone.",
    ),
    "git-config:launched:alike": (
        f"{_PAGE}#boundaries",
        "A resume, in the same server or the next, composes what the launch composed.",
    ),
    "git-config:launched:switched": (
        f"{_PAGE}#managed-entries",
        "A session that leaves managed access has the host's environment again, and says so.",
    ),
    "git-config:hostile:fetch": (
        "docs/specification/git-commands.md#clones",
        "What an agent configures in its repository runs in no fetch, and its token goes nowhere else.",
    ),
    "git-config:explain:effects": (
        f"{_PAGE}#what-an-entry-does",
        "Each entry says what it does, and to which earlier entries.",
    ),
    "git-config:explain:rewrites": (
        f"{_PAGE}#what-an-entry-does",
        "A rewrite that leads to SSH, to another host or to another scheme is named so.",
    ),
    "git-config:explain:masked": (
        f"{_PAGE}#what-an-entry-does",
        "What could hold a secret is masked, in keys and in values; the rest is shown as it is.",
    ),
    "git-config:explain:channels": (
        f"{_PAGE}#open-channels",
        "What could go around the managed helper is found by looking, and named without secrets.",
    ),
}
