"""What every test runs under: one profile of hypothesis, one event loop, and nothing left behind."""

import hypothesis
import pytest

pytest_plugins = ("tests.leaks",)

hypothesis.settings.register_profile(
    "kandev",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("kandev")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
