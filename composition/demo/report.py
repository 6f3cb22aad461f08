"""What a run showed: each step as it happens, and each check with what was seen."""

import json
import sys
from dataclasses import asdict, dataclass, field
from time import monotonic

__all__ = ("Check", "Report")


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    held: bool
    seen: str


@dataclass(slots=True)
class Report:
    """Printed as it grows; as one JSON object at the end when `as_json`."""

    as_json: bool
    steps: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    started: float = field(default_factory=monotonic)

    @property
    def held(self) -> bool:
        return bool(self.checks) and all(check.held for check in self.checks)

    def step(self, text: str) -> None:
        self.steps.append(text)
        if not self.as_json:
            sys.stdout.write(f"{monotonic() - self.started:6.1f} s  {text}\n")
            sys.stdout.flush()

    def note(self, text: str) -> None:
        """A line of detail below the last step."""
        if not self.as_json:
            sys.stdout.write("".join(f"            {line}\n" for line in text.splitlines()))
            sys.stdout.flush()

    def check(self, name: str, held: bool, seen: str) -> None:
        self.checks.append(Check(name, held, seen))

    def close(self) -> None:
        """Say what was checked by looking, and whether all of it holds."""
        seconds = round(monotonic() - self.started, 1)
        if self.as_json:
            checks = [asdict(check) for check in self.checks]
            body = {"ok": self.held, "seconds": seconds, "steps": self.steps, "checks": checks}
            sys.stdout.write(json.dumps(body) + "\n")
            return
        sys.stdout.write("\nChecked by looking:\n")
        for check in self.checks:
            sys.stdout.write(f"  {'yes' if check.held else 'NO '}  {check.name}: {check.seen}\n")
        verdict = "All of it holds" if self.held else "Something does not hold"
        sys.stdout.write(f"\n{verdict}, after {seconds} s.\n")
