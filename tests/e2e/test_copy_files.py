"""Ignored files of a repository, set over REST and found by an agent in its worktree."""

from pathlib import Path

import pytest

from composition.client import ApiError
from tests.e2e.kandev import Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@requirement("copy-files:setting")
@requirement("copy-files:refused")
@requirement("copy-files:given")
async def test_a_worktree_has_the_files_that_its_repository_names(
    installation: Installation, checkout: Path
) -> None:
    (checkout / ".git" / "info" / "exclude").write_text(".env\n", encoding="utf-8")
    (checkout / ".env").write_text("PORT=1", encoding="utf-8")
    async with installation.server() as kandev:
        await kandev.workspace_of()
        repository = await kandev.repository({"local_path": str(checkout)})
        path = f"/api/v1/repositories/{repository}/settings"
        before = await kandev.client.get(path)
        stored = await kandev.client.put(path, {"copy_files": ".env"})
        with pytest.raises(ApiError) as refused:
            await kandev.client.put(path, {"copy_files": ".env:move"})
        session = await kandev.launch(await kandev.task(repository))
        worktree = Path(session["metadata"]["workspace"])

        assert (before["copy_files"], stored["copy_files"]) == ("", ".env")
        assert (refused.value.status, refused.value.code) == (400, "unknown_keyword")
        assert (worktree / ".env").read_text(encoding="utf-8") == "PORT=1"
