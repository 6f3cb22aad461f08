"""What every test runs under: profiles, and the bounds that no test may leave behind."""

import hypothesis
import pytest

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
