"""The workflows: pinned actions, least privileges, no secrets."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parents[1] / ".github" / "workflows"
WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.yml"))}
PINNED = re.compile(r"[\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+(\.\d+)+|\./\.github/workflows/[\w-]+\.yml( #.*)?")
every_workflow = pytest.mark.parametrize("name", WORKFLOWS)


def jobs(name: str) -> Mapping[str, Any]:
    return yaml.safe_load(WORKFLOWS[name])["jobs"]


@every_workflow
def test_actions_are_pinned_by_commit_with_their_version(name: str) -> None:
    used = re.findall(r"^[ -]*uses: (.+)$", WORKFLOWS[name], re.MULTILINE)
    assert used
    assert [action for action in used if not PINNED.fullmatch(action)] == []


@every_workflow
def test_each_job_states_its_permissions_and_its_time(name: str) -> None:
    assert yaml.safe_load(WORKFLOWS[name])["permissions"] in ({}, {"contents": "read"})
    for job in jobs(name).values():
        assert "permissions" in job or yaml.safe_load(WORKFLOWS[name])["permissions"]
        assert "uses" in job or job["timeout-minutes"] <= 120


@every_workflow
def test_only_jobs_that_push_keep_credentials_and_no_secret_is_used(name: str) -> None:
    for job in jobs(name).values():
        for step in job.get("steps", []):
            if step.get("uses", "").startswith("actions/checkout@") and job["permissions"] != {"contents": "write"}:
                assert step["with"]["persist-credentials"] is False
    assert not re.search(r"\bsecrets\b|pull_request_target", WORKFLOWS[name])


def test_only_the_tested_and_protected_job_can_publish() -> None:
    release = jobs("release.yml")
    able = {name for name, job in release.items() if "id-token" in job["permissions"]}
    assert able == {"publish"}
    assert release["publish"]["environment"] == "pypi"
    assert release["publish"]["needs"] == ["ci", "build"]
    assert all("run" not in step for step in release["publish"]["steps"])


def test_each_supported_version_of_python_is_tested() -> None:
    text = (FOLDER.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert set(re.findall(r":: (3\.\d+)\"", text)) <= set(jobs("ci.yml")["check"]["strategy"]["matrix"]["python"])
