"""The main job, as a stranger runs it: `kandev demo` looks at what it did and says so."""

import json
import os
import subprocess

import pytest

from tests.e2e.kandev import kandev
from tests.requirements import requirement
from tests.soak import repetitions


@requirement("demo:checked-by-looking")
@pytest.mark.soak
@pytest.mark.timeout(120)
@pytest.mark.parametrize("run", repetitions(20))
def test_the_demonstration_holds_everywhere_it_looks(run: int) -> None:
    done = subprocess.run(
        [*kandev("demo", "--json")],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    told = json.loads(done.stdout)
    assert {check["name"]: check["seen"] for check in told["checks"] if not check["held"]} == {}
    assert told["ok"], done.stderr
    assert done.returncode == 0
    assert len(told["checks"]) == 12
    assert told["seconds"] < 60


@requirement("demo:ambient-certificates")
@pytest.mark.timeout(120)
def test_the_demonstration_holds_under_a_certificate_bundle_of_the_host() -> None:
    bundle = "/etc/ssl/certs/ca-certificates.crt"
    done = subprocess.run(
        [*kandev("demo", "--json")],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_SSL_CAINFO": bundle},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    told = json.loads(done.stdout)
    assert {check["name"]: check["seen"] for check in told["checks"] if not check["held"]} == {}
