import dataclasses
import gc
import itertools
import json
import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.summary import summary
from repair_bench.analysis.taxonomy import QUANBENCH_PLUS, QUANTUM_KATAS, error_class, error_type
from repair_bench.testing.made_up_runs import attempt, attempts_of, load_run, run, written
from repair_bench.traces.faults import DamagedRecordError, UsageError
from repair_bench.traces.record.lazy_attempt import in_row, with_texts
from repair_bench.traces.record.records import SCHEMA, Attempt, Completion, Outcome, Verdict
from repair_bench.traces.run.run_reader import load_rows

TAXONOMIES = (QUANBENCH_PLUS, QUANTUM_KATAS)


@pytest.mark.parametrize("faults", [0.0, 0.05])
def test_figures_from_rows_equal_those_from_attempts(tmp_path, faults):
    attempts, manifest = run(models=("sim/one", "m/two"), tasks=12, faults=faults, cut=0.2)
    random.Random(1).shuffle(attempts)
    read = load_rows(written(tmp_path / "run", attempts, manifest))
    assert read.notes == []
    assert summary(read.manifest, read.rows) == summary(manifest, attempts)
    from_rows, from_attempts = metrics.episodes(read.rows), metrics.episodes(attempts)
    for name in (error_class, error_type, *(taxonomy.of for taxonomy in TAXONOMIES)):
        assert metrics.errors(from_rows, 5, name) == metrics.errors(from_attempts, 5, name)


def test_row_equals_its_attempt_and_reads_its_texts(tmp_path):
    first = attempt(
        "e",
        0,
        code="x = 'ü'",
        completion=Completion("text", {"prompt_tokens": 7, "other": {"deep": 1}}, 0.5, requests=2),
        outcome=Outcome("exception", cpu_seconds=0.5),
        difficulty="hard",
        writer="m/other",
    )
    second = attempt("w", 1, code=None, off_policy=True, completion=Completion("no usage"), difficulty="hard")
    one, two = load_rows(written(tmp_path / "run", [first, second])).rows
    assert [one.with_texts(), two.with_texts()] == [first, second]
    assert [one.code, two.code] == [first.code, None]
    for row, made in ((one, first), (two, second)):
        names = {f.name for f in dataclasses.fields(made)} & {*row.__struct_fields__}
        for name in names - {"feedback", "completion", "outcome", "verdict"}:
            assert getattr(row, name) == getattr(made, name), name
        assert row.passed == made.passed
        assert row.code_digest == made.code_digest
    assert one.completion.usage["prompt_tokens"] == 7
    assert one.completion.usage["completion_tokens"] is None
    assert two.completion.usage["prompt_tokens"] is None
    assert (one.completion.cost_usd, two.completion.cost_usd) == (0.5, None)
    assert (one.completion.requests, one.outcome.status, one.outcome.cpu_seconds) == (2, "exception", 0.5)
    assert two.feedback.policy == "default"
    assert one.with_texts() is not first
    assert first.with_texts() is first


VERDICTS = st.one_of(
    st.builds(
        lambda kind, message: Verdict("exception", {"type": kind, "message": message, "traceback": "..."}),
        st.sampled_from(["TypeError", "qiskit.circuit.exceptions.CircuitError", "WireError", "IndentationError"]),
        st.sampled_from(["duplicate qubit arguments", "no", "shape (2,) is wrong", "unexpected keyword argument 'x'"]),
    ),
    st.builds(
        lambda mismatches, assertion: Verdict(
            "wrong_answer", {"cases": [{"mismatch": m, "got": [1]} for m in mismatches], "assertion": assertion}
        ),
        st.lists(st.sampled_from([None, "shape", "type"]), max_size=4),
        st.sampled_from([None, "AssertionError: 1: not 2", "TypeError", "NameError: x"]),
    ),
    st.sampled_from(["code", "entry_point"]).map(lambda missing: Verdict("no_code", {"missing": missing})),
    st.sampled_from(["cpu_timeout", "memory"]).map(lambda limit: Verdict("limit", {"limit": limit})),
    st.just(Verdict("pass", {"distance": 0.1})),
)


@pytest.mark.slow
@given(verdicts=st.lists(VERDICTS, min_size=1, max_size=8))
def test_row_is_classified_like_its_attempt(tmp_path_factory, verdicts):
    made = [attempt("p", 0, f"e{n}", verdict=verdict) for n, verdict in enumerate(verdicts)]
    rows = load_rows(written(tmp_path_factory.mktemp("rows"), made)).rows
    for row, verdict in zip(rows, verdicts, strict=True):
        assert error_type(row.verdict) == error_type(verdict)
        for taxonomy in TAXONOMIES:
            assert taxonomy.of(row.verdict) == taxonomy.of(verdict)


@given(letters=st.text("fep", min_size=1, max_size=6))
def test_rows_and_attempts_agree_on_which_line_counts(tmp_path_factory, letters):
    lines = [attempt(letter, started_at=str(n)) for n, letter in enumerate(letters)]
    directory = written(tmp_path_factory.mktemp("rows"), lines)
    assert [row.with_texts() for row in load_rows(directory).rows] == load_run(directory)[1]


def test_values_that_only_python_reads_are_read(tmp_path):
    odd = attempt("w", verdict=Verdict("wrong_answer", {"cases": [{"distance": float("inf")}]}), code="\ud800\0")
    (row,) = load_rows(written(tmp_path / "run", [odd])).rows
    assert row.with_texts() == odd
    assert row.code_digest == odd.code_digest


def test_wrong_type_is_reported_when_it_is_read(tmp_path):
    (row,) = load_rows(written(tmp_path / "run", [attempt("w", started_at=17)])).rows
    with pytest.raises(DamagedRecordError, match=r"line 1: not an attempt: .*started_at"):
        row.with_texts()


def test_rewritten_line_has_the_missing_later_fields(tmp_path):
    line = attempt("w", outcome=Outcome("returned")).to_json()
    for record, later in ((line, "steps"), (line["completion"], "parts"), (line["outcome"], "sealed")):
        del record[later]
    (row,) = load_rows(written(tmp_path / "run", [json.dumps(line) + "\n"])).rows
    again = row.with_texts().to_json()
    assert again == attempt("w", outcome=Outcome("returned")).to_json()
    assert list(again["completion"]) == [field.name for field in dataclasses.fields(Completion)]


def test_rows_of_several_files_are_read_in_order(tmp_path):
    value = {"cases": [{"kind": "state", "qubits": 1, "amplitudes": [[0.6, 0.0], [0.0, 0.8]]}]}
    made = [
        attempt("w", 0, "a", outcome=Outcome("returned", value)),
        attempt("w", 0, "b", code="\ud800", verdict=Verdict("wrong_answer", {"cases": [{"distance": float("inf")}]})),
        attempt("p", 0, "c"),
    ]
    runs = [written(tmp_path / "one", made[:2]), written(tmp_path / "two", made[2:])]
    rows = [row for directory in runs for row in load_rows(directory).rows]
    assert list(with_texts(rows)) == [row.with_texts() for row in rows] == made


def test_repeated_line_counts_once_with_a_note(tmp_path):
    made = attempts_of("ewp")
    read = load_rows(written(tmp_path / "run", [*made, made[1]]))
    assert [row.attempt for row in read.rows] == [0, 1, 2]
    assert len(read.notes) == 1
    assert "1 lines repeat an attempt" in read.notes[0]


def test_repeat_after_a_fault_is_not_a_repeated_line(tmp_path):
    read = load_rows(written(tmp_path / "run", [attempt("f"), attempt("p")]))
    assert [row.passed for row in read.rows] == [True]
    assert read.notes == []


@pytest.mark.parametrize("tail", ['{"schema": 1, "id', "[1]\n", '{"schema": 1}'])
def test_partial_last_line_is_ignored_with_a_note(tmp_path, tail):
    read = load_rows(written(tmp_path / "run", [*attempts_of("ep"), tail]))
    assert [row.attempt for row in read.rows] == [0, 1]
    assert len(read.notes) == 1
    assert f"incomplete last line of {len(tail)} bytes" in read.notes[0]


def test_damaged_line_in_the_middle_is_reported(tmp_path):
    for broken, why in (
        ('{"schema": 2, "id"\n', "line 2: not a JSON object"),
        ('{"schema": 2}\n', "line 2: not an att"),
    ):
        with pytest.raises(DamagedRecordError, match=why):
            load_rows(written(tmp_path / "run", [attempt("p"), broken, attempt("p", 1)]))


@pytest.mark.parametrize(("schema", "whose"), [(SCHEMA + 1, "a newer"), (SCHEMA - 1, "an older")])
@pytest.mark.parametrize("fields", [{}, attempt("p").to_json()])
def test_other_format_is_refused_in_one_line(tmp_path, fields, schema, whose):
    directory = written(tmp_path / "run", [attempt("p"), json.dumps({**fields, "schema": schema}) + "\n"])
    for look in (load_rows, load_run):
        with pytest.raises(UsageError, match=f"line 2: {whose} version wrote the run in format {schema}") as caught:
            look(directory)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["off_policy", "executions", "steps", "verdict.sealed", "completion.dropped"])
def test_record_without_a_field_is_refused_in_one_line(tmp_path, field):
    data = attempt("p").to_json()
    *owners, name = field.split(".")
    owner = data
    for part in owners:
        owner = owner[part]
    del owner[name]
    with pytest.raises(ValueError, match=f"it has no field `{field}`"):
        Attempt.from_json(data)
    if not in_row(field):
        return
    directory = written(tmp_path / "run", [attempt("p"), json.dumps(data) + "\n"])
    with pytest.raises(DamagedRecordError, match=f"line 2: not an attempt: .*`{name}`") as caught:
        load_rows(directory)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("file", [True, False])
def test_an_empty_run_has_no_rows(tmp_path, file):
    directory = written(tmp_path / "run", [])
    if not file:
        (directory / "attempts.jsonl").unlink()
    read = load_rows(directory)
    assert (read.rows, read.notes) == ([], [])


@pytest.mark.slow
def test_memory_of_rows_does_not_depend_on_texts(tmp_path):
    def grown(texts):
        made = (
            attempt("w", n, f"e{m:04}", code="x" * texts, messages=[{"role": "user", "content": "y" * texts}])
            for m, n in itertools.product(range(250), range(4))
        )
        directory = written(tmp_path / str(texts), made)
        gc.collect()
        tracemalloc.start()
        read = load_rows(directory)
        size, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(read.rows) == 1000
        return size, peak

    (short, _), (long, peak) = grown(10), grown(20_000)
    assert long < short * 1.1 + 10_000
    assert long / 1000 < 1_200, "bytes a row: a million must fit in 2 GB with what is made of them"
    assert peak < long + 500_000
