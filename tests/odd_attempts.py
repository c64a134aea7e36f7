"""Attempts with texts and numbers that are difficult to export."""

from repair_bench.testing.made_up_runs import attempt
from repair_bench.traces.record.records import Attempt, Completion, ExceptionInfo, Outcome, Verdict

HOSTILE = '=HYPERLINK("x")\r\nNUL \0 half \ud800 quote " comma , <script>alert(1)</script> \x1b[31m'

CLEAN = HOSTILE.replace("\0", "\ufffd").encode(errors="surrogatepass").decode(errors="replace")


def odd_attempts() -> list[Attempt]:
    raised = Outcome("exception", None, ExceptionInfo("ValueError", HOSTILE, "..."), HOSTILE, 0.5, 1.5)
    return [
        attempt(
            "w",
            0,
            "odd",
            code=HOSTILE,
            messages=[{"role": "user", "content": HOSTILE}],
            completion=Completion(HOSTILE, {"prompt_tokens": 3, "details": {"cached": 1}}, None),
            outcome=raised,
            verdict=Verdict("wrong_answer", {"cases": [{"distance": float("inf"), "got": {"00": float("nan")}}]}),
            started_at="2026-01-01T00:00:00.000+00:00",
            finished_at="2026-01-01T00:00:01.500+00:00",
        ),
        attempt("p", 1, "odd", code="-1", completion=Completion("ok", None, 0.5), off_policy=True),
        attempt("f", 0, "faulty", task_id="BasicGates/1.1", difficulty=None),
    ]
