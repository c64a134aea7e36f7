"""What is wrong with problems of Qiskit HumanEval, seen with Qiskit 2.6 and qiskit-ibm-runtime 0.51."""

ERRATA = {
    "qiskitHumanEval/103": "The test lists the fake backends with ecr gates of an older qiskit-ibm-runtime; later "
    "releases have FakeBrussels and FakeStrasbourg besides: AssertionError for every right answer.",
    "qiskitHumanEval/104": "The test expects 197, the cost of a circuit as an older Qiskit transpiled it; the "
    "published solution gets 273 with Qiskit 2.6: AssertionError for every right answer.",
}
"""By task id."""

WRONG = frozenset({"qiskitHumanEval/103", "qiskitHumanEval/104"})
"""Those whose test rejects the right answer."""

UNDERSPECIFIED: dict[str, str] = {}
"""By task id: the convention that the prompt leaves open and the test decides."""

VACUOUS: dict[str, tuple[str, ...]] = {
    "qiskitHumanEval/17": ("emptied_arguments",),
    "qiskitHumanEval/95": ("emptied_arguments",),
    "qiskitHumanEval/100": ("emptied_arguments",),
    "qiskitHumanEval/110": ("emptied_arguments", "empty_list"),
    "qiskitHumanEval/139": ("empty_list",),
}
"""By task id: which programs without an idea the test passes (`grading.audit`): one that empties the argument that the
test goes on to compare its answer with, or one that returns an empty list."""
