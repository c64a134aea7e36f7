"""SSH signatures of a folder's checksums, made and verified by OpenSSH's `ssh-keygen -Y`."""

from __future__ import annotations

import subprocess
from pathlib import Path

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.checksums import SIGNATURE, SUMS

NAMESPACE = "site@repair-bench"
"""The purpose (namespace) of the signatures; signatures for other purposes are rejected."""


def sign(directory: Path, key: Path) -> None:
    """Sign a folder's checksums.

    `key`: a private key, or the public key of a key that the SSH agent holds. Raises UsageError.
    """
    made = _ssh_keygen("sign", "-f", key, "-n", NAMESPACE, directory / SUMS)
    if made.returncode or not (directory / SIGNATURE).is_file():
        raise UsageError(f"{key} cannot sign: {_last_line(made.stderr)}")


def is_signed_by(directory: Path, signer: str, allowed: Path) -> str | None:
    """Return None if a folder's checksums have a valid signature by `signer`, otherwise the reason for the rejection.

    `allowed`: a file with the keys of each signer, in the ALLOWED SIGNERS format of `ssh-keygen`. Raises UsageError.
    """
    if not allowed.is_file():
        raise UsageError(f"{allowed} cannot be read: the allowed-signers file does not exist")
    if not (directory / SIGNATURE).is_file():
        return f"{SIGNATURE} is missing, so the site is not signed by {signer}"
    options = ("-f", allowed, "-I", signer, "-n", NAMESPACE, "-s", directory / SIGNATURE)
    with (directory / SUMS).open("rb") as sums:
        made = _ssh_keygen("verify", *options, stdin=sums.read())
    if made.returncode == 0:
        return None
    return f"{SIGNATURE} is not a valid signature by {signer}: {_last_line(made.stderr or made.stdout)}"


def _ssh_keygen(action: str, *arguments: Path | str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = ["ssh-keygen", "-Y", action, *(str(a.absolute() if isinstance(a, Path) else a) for a in arguments)]
    try:
        return subprocess.run(command, input=stdin, capture_output=True, check=False)
    except FileNotFoundError:
        raise UsageError("signatures need ssh-keygen: install OpenSSH (openssh-client)") from None


def _last_line(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "ssh-keygen gave no reason"
