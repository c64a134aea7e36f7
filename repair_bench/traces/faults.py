"""What is broken on our side, named by the boundary that was crossed.

A fault is never an outcome of candidate code and never a model's failure: it is retried, then recorded, and its
episode is cut short there and owed again on resume.
"""


class Fault(Exception):  # noqa: N818 - a fault is the project's word for it
    """The base of the flat family. `boundary` is the word that the record carries."""

    boundary = "internal"

    def __init__(self, message: str, *, retries: int = 0) -> None:
        super().__init__(message)
        self.retries = retries


class ModelError(Fault):
    """A model could not be reached or did not answer (network, quota, server error).

    `refusal`: the gist of a provider's final refusal of the request; None for other errors.
    """

    boundary = "model"

    def __init__(self, message: str, *, retries: int = 0, refusal: str | None = None) -> None:
        super().__init__(message, retries=retries)
        self.refusal = refusal


class ExecutorError(Fault):
    """The executor itself failed: a fork server died, would not start, or broke its protocol."""

    boundary = "executor"


class SuiteError(Fault):
    """A task cannot be judged: its reference does not run, or its check has no expected value."""

    boundary = "suite"


class TraceError(Fault):
    """The record on disk cannot be read or written."""

    boundary = "trace"


class UsageError(Exception):
    """The user asked for something that cannot be done. One clear line, exit code 2, nothing lost."""


class DamagedRecordError(UsageError):
    """A line of a record is not what was written: damage on the disk, or a change by hand."""


class BudgetExhausted(Exception):  # noqa: N818 - it is no error: the run did what it was told
    """The next request may cost more than the run may still spend. The run stops cleanly and can be resumed."""


class ContextFull(Exception):  # noqa: N818 - it is no error: the condition fills the model's context window
    """The conversation is longer than the model reads. It is an outcome: the attempt failed, and none can follow."""


class Unanswered(Exception):  # noqa: N818 - it is no error: the answer is yet to come
    """A prompt waits for its answer. Nothing is recorded of the attempt: its episode is still owed on resuming."""
