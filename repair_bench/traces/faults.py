"""Infrastructure errors (*faults*), each named after the boundary where it occurs, and other errors.

Faults are never caused by candidate code and never count as a model's failure. A fault is recorded after the last
retry; the episode stays pending until the run is resumed.
"""


class Fault(Exception):  # noqa: N818 - a fault is the project's word for it
    """An infrastructure error.

    `boundary`: the part of the system in which the error occurred, as written to the record.
    """

    boundary = "internal"

    def __init__(self, message: str, *, retries: int = 0) -> None:
        super().__init__(message)
        self.retries = retries


class ModelError(Fault):
    """A model did not answer. `refusal`: a summary of a provider's final refusal; None for all other errors."""

    boundary = "model"

    def __init__(self, message: str, *, retries: int = 0, refusal: str | None = None) -> None:
        super().__init__(message, retries=retries)
        self.refusal = refusal


class ExecutorError(Fault):
    """The executor failed: a fork server died, did not start, or violated its protocol."""

    boundary = "executor"


class SuiteError(Fault):
    """A task cannot be graded: its reference does not run, or its check has no expected value."""

    boundary = "suite"


class TraceError(Fault):
    """The record on disk cannot be read or written."""

    boundary = "trace"


class UsageError(Exception):
    """A user error, such as an invalid option. The message is one line, the exit code is 2, and no data is lost."""


class DamagedRecordError(UsageError):
    """A line of a record has changed since it was written, through a disk error or a manual edit."""


class BudgetExhausted(Exception):  # noqa: N818 - not an error: the run reached its limit
    """The budget does not cover the next request. The run stops cleanly and can be resumed."""


class ContextFull(Exception):  # noqa: N818 - not an error: the condition fills the model's context window
    """The conversation exceeds the model's context window. The attempt has failed, and no repair can follow."""


class Unanswered(Exception):  # noqa: N818 - not an error: the answer may come later
    """A prompt is still waiting for its answer. The attempt is not recorded, and its episode stays pending."""
