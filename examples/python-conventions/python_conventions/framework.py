"""Plain Python as a framework: programs return ordinary values."""

from repair_bench.frameworks import Framework, Mistakes

FRAMEWORK = Framework(
    name="python",
    title="Python",
    import_line="import math",
    packages=(),
    exact_answer="return the value itself",
    empty_circuit="None",
    mistakes=Mistakes(
        moved_imports=("from collections import Mapping",),
        invented_imports=("import math.helpers",),
        unknown_gate="math.square(2)",
        wrong_arguments="math.pow()",
        no_such_qubit="[][0]",
    ),
)
