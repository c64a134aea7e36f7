"""A decoded library value reads like the original."""

import json
import math
from typing import Any

import cirq  # noqa: F401 - the table includes the kinds of imported frameworks
import matplotlib as mpl
import numpy as np
import pennylane  # noqa: F401
import pytest
import qiskit.quantum_info as info
from hypothesis import given, settings
from hypothesis import strategies as st
from qiskit import QuantumCircuit
from qiskit.circuit import Delay, IfElseOp, Parameter, ParameterVector, library
from qiskit.circuit.library import CXGate, HGate, PauliEvolutionGate, RXGate, XGate, ZGate
from qiskit.converters import circuit_to_dag
from qiskit.primitives import PrimitiveJob, StatevectorEstimator, StatevectorSampler
from qiskit.synthesis import MatrixExponential
from qiskit.transpiler import (
    AnalysisPass,
    CouplingMap,
    InstructionProperties,
    Layout,
    PassManager,
    PropertySet,
    StagedPassManager,
    Target,
    TransformationPass,
    generate_preset_pass_manager,
    passes,
)

from repair_bench.executors.guest import codec, kinds
from repair_bench.executors.guest.kinds import CannotCross
from repair_bench.executors.guest.unit_tests.remote_objects import RemoteObjects

mpl.use("Agg")

pyplot = pytest.importorskip("matplotlib.pyplot")
aer = pytest.importorskip("qiskit_aer")
noise = pytest.importorskip("qiskit_aer.noise")

bell = QuantumCircuit(2)
bell.h(0)
bell.cx(0, 1)
bell.measure_all()


class Line:
    """The two ends of a conversation. Each end can call the numbered functions of the other."""

    def __init__(self) -> None:
        self._objects = RemoteObjects(self._called, {}, trusts=True)

    def crossed(self, value: Any) -> Any:
        data = json.loads(json.dumps(codec.encode(value, self._objects), allow_nan=False))
        return codec.decode(data, self._objects)

    def _called(self, number: int, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return self.crossed(self._objects.function(number)(*self.crossed(list(arguments)), **self.crossed(keywords)))


class Handles(codec.Link):
    """A link that accepts any function."""

    tags = frozenset({"function"})

    def leave(self, value: Any, encode: Any) -> Any:
        return {"function": 0} if callable(value) else super().leave(value, encode)

    def arrive(self, tag: str, data: Any, decode: Any) -> Any:
        return len


crossed = Line().crossed


def test_parameters_keep_their_identity_in_vectors_and_expressions() -> None:
    vector = ParameterVector("v", 3)
    back = crossed(vector)
    assert (back.name, list(back), back.uuid) == ("v", list(vector), vector.uuid)
    assert len(crossed(ParameterVector("none", 0))) == 0
    expression = vector[1] * 2 + Parameter("x")
    assert crossed([vector[1], expression]) == [vector[1], expression]
    x = Parameter("x")
    bound = crossed((2 * x).bind({x: 1.5}))
    assert (float(bound), bound.parameters) == (3.0, set())
    assert crossed((2 * x).bind({x: 1j})) == 2j


def test_channels_of_several_operators_come_back_equal() -> None:
    kraus = info.Kraus([np.eye(2) * 0.6**0.5, np.array([[0, 1], [1, 0]]) * 0.4**0.5])
    assert crossed(kraus) == kraus
    assert crossed(info.Stinespring(kraus)) == info.Stinespring(kraus)
    pair = info.Kraus(([np.eye(2)], [np.eye(2)[::-1]]))
    assert crossed(pair) == pair


GATES = {
    "an evolution by its matrix": PauliEvolutionGate(info.Pauli("X"), 1.0, synthesis=MatrixExponential()),
    "an adder": library.FullAdderGate(2),
    "an or": library.OrGate(3),
    "a comparator": library.IntegerComparatorGate(2, 1),
    "an oracle": library.BitFlipOracleGate("a & ~b"),
    "four controls": library.C4XGate(),
    "dirty ancillas": library.MCXVChain(4, dirty_ancillas=True),
    "an isometry": library.Isometry(np.eye(4), 0, 0),
    "a graph state": library.GraphStateGate([[0, 1], [1, 0]]),
}
"""Gates that QPY writes wrongly or cannot restore."""


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("inside", [False, True])
def test_gates_that_qpy_cannot_restore_cross_by_definition(name: str, inside: bool) -> None:
    gate = GATES[name]
    circuit = QuantumCircuit(gate.num_qubits)
    circuit.append(gate, range(gate.num_qubits))
    if inside:
        circuit, inner = QuantumCircuit(gate.num_qubits, 1), circuit.to_instruction()
        circuit.append(inner, range(gate.num_qubits))
        circuit.h(0)
    back = crossed(circuit)
    assert info.Operator(back) == info.Operator(circuit)
    assert back.count_ops() == circuit.count_ops()


def test_a_wide_gate_without_a_matrix_crosses() -> None:
    wide = library.GraphStateGate(np.ones((100, 100), dtype=int) - np.eye(100, dtype=int))
    circuit = QuantumCircuit(100)
    circuit.append(wide, range(100))
    assert crossed(circuit).decompose().count_ops() == circuit.decompose().count_ops()


def test_decoded_results_of_primitives_read_the_same() -> None:
    job = StatevectorSampler(seed=1).run([bell], shots=50)
    back = crossed(job)
    assert isinstance(back, PrimitiveJob)
    assert (back.job_id(), back.status(), back.done()) == (job.job_id(), job.status(), True)
    result, expected = back.result(), job.result()
    assert repr(result) == repr(expected)
    assert type(result[0]) is type(expected[0])
    assert result[0].data.meas.get_counts() == expected[0].data.meas.get_counts()
    assert result[0].metadata == expected[0].metadata
    value = StatevectorEstimator().run([(bell.remove_final_measurements(inplace=False), info.SparsePauliOp("XX"))])
    assert crossed(value.result())[0].data.evs.item() == value.result()[0].data.evs.item()
    assert list(crossed(value.result()[0].data).keys()) == list(value.result()[0].data.keys())


def test_decoded_results_of_a_simulator_read_the_same() -> None:
    simulator = aer.AerSimulator(method="statevector", seed_simulator=3)
    circuit = bell.copy()
    circuit.save_statevector()
    job = simulator.run(circuit, shots=20, memory=True)
    back = crossed(job)
    assert type(back) is type(job)
    assert (back.job_id(), back.status(), len(back.circuits())) == (job.job_id(), job.status(), 1)
    assert repr(back.result()) == repr(job.result())
    assert back.result().get_memory() == job.result().get_memory()
    assert back.result().get_statevector() == job.result().get_statevector()
    assert back.backend().name == simulator.name
    assert vars(back.backend().options) == vars(simulator.options)


def test_decoded_noise_models_read_the_same() -> None:
    model = noise.NoiseModel()
    model.add_all_qubit_readout_error(noise.ReadoutError([[0.98, 0.02], [0.03, 0.97]]))
    model.add_readout_error(noise.ReadoutError([[0.7, 0.3], [0.2, 0.8]]), [0], warnings=False)
    model.add_all_qubit_quantum_error(noise.depolarizing_error(0.1, 2), ["cx"])
    model.add_quantum_error(noise.thermal_relaxation_error(1e-4, 5e-5, 1e-6), ["x"], [1])
    model._custom_noise_passes.append(noise.RelaxationNoisePass([1e-4, 2e-4], [1e-4, 1e-4], 1e-9, Delay))
    back = crossed(model)
    assert type(back) is noise.NoiseModel
    assert back == model
    for name in ("basis_gates", "noise_instructions", "noise_qubits"):
        assert getattr(back, name) == getattr(model, name)
    assert str(back.to_dict()) == str(model.to_dict())
    assert isinstance(back._custom_noise_passes[0], noise.RelaxationNoisePass)
    assert codec.same(codec.encode(back), codec.encode(model))


def target() -> Target:
    made = Target("two qubits", dt=1e-9)
    half = {(0,): InstructionProperties(1e-9, 0.1), (1,): None}
    made.add_instruction(RXGate(Parameter("t")), half)
    made.add_instruction(RXGate(math.pi / 2), half, name="half")
    made.add_instruction(CXGate(), {(0, 1): InstructionProperties(2e-9, 0.2)})
    made.add_instruction(Delay(Parameter("d")), {(0,): None})
    made.add_instruction(IfElseOp, name="if_else")
    return made


def test_decoded_targets_and_layouts_read_the_same() -> None:
    made = target()
    back = crossed(made)
    assert str(back) == str(made)
    assert back.operation_names == made.operation_names
    assert [place for _, place in back.instructions] == [place for _, place in made.instructions]
    assert [operation for operation, _ in back.instructions] == [operation for operation, _ in made.instructions]
    assert back["cx"][0, 1].error == 0.2
    found = crossed(PropertySet(a=1))
    assert (type(found), found, found["other"]) == (PropertySet, {"a": 1}, None)
    layout = Layout.generate_trivial_layout(*bell.qregs)
    back = crossed(layout)
    assert back == layout
    assert back.get_registers() == layout.get_registers()
    routed = generate_preset_pass_manager(1, coupling_map=CouplingMap.from_line(4), seed_transpiler=1).run(bell)
    assert crossed(routed.layout) == routed.layout


class WithoutZ(TransformationPass):
    """Replace Z by H X H."""

    def run(self, dag: Any) -> Any:
        for node in dag.op_nodes(ZGate):
            steps = QuantumCircuit(1)
            for gate in (HGate(), XGate(), HGate()):
                steps.append(gate, [0])
            dag.substitute_node_with_dag(node, circuit_to_dag(steps))
        return dag


class Sizes(AnalysisPass):
    def run(self, dag: Any) -> None:
        self.property_set["gates"] = dag.size()
        self.property_set["unknown"] = object()


def test_a_custom_pass_runs_in_its_own_process() -> None:
    made = crossed(WithoutZ())
    assert isinstance(made, TransformationPass)
    assert made.name() == "WithoutZ"
    assert not isinstance(made, WithoutZ)
    circuit = QuantumCircuit(3)
    circuit.h(1)
    circuit.z(1)
    circuit.cz(0, 1)
    sizes = crossed(Sizes())
    manager = PassManager([made, sizes])
    assert [step.operation.name for step in manager.run(circuit).data] == ["h", "h", "x", "h", "cz"]
    assert manager.property_set["gates"] == 5
    assert made(circuit) == WithoutZ()(circuit)
    assert isinstance(crossed(passes.TrivialLayout(CouplingMap.from_line(3))), passes.TrivialLayout)


def test_a_pass_manager_runs_in_its_own_process() -> None:
    made = PassManager([WithoutZ(), Sizes()])
    back = crossed(made)
    circuit = QuantumCircuit(1)
    circuit.z(0)
    assert (type(back), len(back)) == (PassManager, len(made))
    assert back.run([circuit, circuit]) == made.run([circuit, circuit])
    assert back.run(circuit) == made.run(circuit)
    assert back.property_set["gates"] == 3
    back.append(passes.RemoveBarriers())  # after this assignment, passes run one by one
    assert back.run(circuit) == made.run(circuit)
    staged = generate_preset_pass_manager(2, coupling_map=CouplingMap.from_line(3), seed_transpiler=1)
    back = crossed(staged)
    assert (type(back), back.stages, len(back)) == (StagedPassManager, staged.stages, len(staged))
    assert isinstance(back.layout._tasks[0][0], passes.SetLayout)
    assert back.run(bell) == staged.run(bell)


def test_fake_devices_and_their_jobs_cross_by_name() -> None:
    fake_provider = pytest.importorskip("qiskit_ibm_runtime.fake_provider")
    from qiskit_ibm_runtime import SamplerV2

    device = crossed(fake_provider.FakeLimaV2())
    assert type(device) is fake_provider.FakeLimaV2
    job = SamplerV2(mode=aer.AerSimulator(seed_simulator=1)).run([bell], shots=20)
    back = crossed(job)
    assert (type(back), back.job_id()) == (PrimitiveJob, job.job_id())
    assert back.result()[0].data.meas.get_counts() == job.result()[0].data.meas.get_counts()
    with pytest.raises(CannotCross):
        codec.decode({"qiskit_ibm_runtime": ["fake", "FakeProviderForBackendV2"]})


def plots() -> Any:
    figure, axes = pyplot.subplots(2, 2, figsize=(5, 4))
    (line, bars), (points, _) = axes
    line.plot([1, 2, 3], [3, 4, 2], "r--o", label="a line")
    line.axvline(2)
    line.annotate("here", (1, 3))
    line.set(title="T", xlabel="x", ylabel="y", xlim=(0, 4))
    bars.bar(["00", "11"], [480, 520], label="counts")
    bars.set_xticks([0, 1], ["00", "11"], rotation=70)
    bars.set_yscale("log")
    points.scatter([1, 2], [3, 4], s=[10, 20])
    points.add_collection(mpl.collections.LineCollection([[(1, 3), (2, 4)]]))
    for patch in (
        mpl.patches.Circle((1, 3), 0.1),
        mpl.patches.Wedge((1, 3), 1, 0, 90),
        mpl.patches.Ellipse((1, 3), 1, 2),
    ):
        points.add_patch(patch)
    figure.suptitle("all of it")
    figure.text(0.1, 0.1, "below")
    return figure


def in_space() -> Any:
    figure = pyplot.figure()
    axes = figure.add_subplot(projection="3d")
    axes.plot([0, 1], [0, 1], [0, 1])
    axes.bar3d([0, 1], [0, 1], [0, 0], 1, 1, [1, 2])
    axes.text(0, 0, 0, "origin")
    axes.set_zlabel("height")
    return figure


def read(figure: Any) -> Any:
    return [
        (list(figure.get_size_inches()), figure.get_suptitle(), len(figure.findobj())),
        [
            (
                *(
                    str(getattr(axes, "get_" + name)())
                    for name in ("title", "xlabel", "ylabel", "xlim", "yscale", "label")
                ),
                *(
                    [label.get_text() for label in getattr(axes, name)()]
                    for name in ("get_xticklabels", "get_yticklabels")
                ),
                list(axes.get_xticks()),
                [
                    (list(line.get_xdata()), list(line.get_ydata()), line.get_color(), line.get_label())
                    for line in axes.lines
                ],
                [(bar.get_height(), bar.get_facecolor()) for bar in axes.findobj(mpl.patches.Rectangle)],
                [(*note.get_position(), note.get_text(), note.get_rotation()) for note in axes.texts],
                [[bar.get_height() for bar in bars] for bars in axes.containers],
                [str(np.asarray(dots.get_offsets())) for dots in axes.collections],
                np.round(axes.get_position().bounds, 9).tolist(),
            )
            for axes in figure.axes
        ],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("draw", [plots, lambda: bell.draw("mpl")], ids=["plots", "circuit"])
def test_a_figure_reads_the_same_and_can_be_drawn(draw: Any) -> None:
    figure = draw()
    back = crossed(figure)
    assert type(back) is type(figure)
    assert read(back) == read(figure)
    back.canvas.draw_idle()
    axes = crossed(figure.axes[0])
    assert axes.get_title() == figure.axes[0].get_title()
    pyplot.close(figure)


def test_three_dimensional_axes_cross_without_their_artists() -> None:
    figure = in_space()
    (axes,) = crossed(figure).axes
    assert type(axes) is type(figure.axes[0])
    assert (axes.get_zlabel(), axes.get_zlim()) == ("height", figure.axes[0].get_zlim())
    assert (list(axes.lines), list(axes.texts)) == ([], [])
    axes.figure.canvas.draw_idle()


def test_a_single_artist_crosses() -> None:
    back = crossed(mpl.patches.Rectangle((1, 2), 3, 4, facecolor="red"))
    assert (back.get_xy(), back.get_width(), back.get_height()) == ((1, 2), 3, 4)


def library_tags() -> dict[str, list[str]]:
    from repair_bench.executors.guest.codecs import library_kinds

    return {library: sorted(library_kinds._table(library).by_tag) for library in library_kinds.LIBRARIES}


TAGS = library_tags()
names = st.sampled_from(sorted(kinds.table().by_tag)) | st.sampled_from(["callable", "float"])
inner = st.sampled_from([(library, tag) for library, tags in TAGS.items() for tag in tags])
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats(allow_nan=False, allow_infinity=False),
    lambda below: (
        st.lists(below, max_size=5)
        | st.dictionaries(names, below, min_size=1, max_size=1)
        | st.builds(lambda tag, parts: {tag[0]: [tag[1], parts]}, inner, below)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=15)
@given(parts=junk)
@pytest.mark.parametrize("tag", [*sorted(kinds.table().by_tag), *(f"{a}.{b}" for a, bs in TAGS.items() for b in bs)])
def test_invalid_parts_of_any_kind_are_refused_or_decoded(tag: str, parts: Any) -> None:
    library, _, own = tag.partition(".")
    assert refused_or_value({library: [own, parts] if own else parts})


def refused_or_value(data: Any) -> bool:
    """Whether data is decoded, or refused with a reason. Raises any other error."""
    try:
        codec.decode(data, Handles())
    except CannotCross as refused:
        return bool(str(refused))
    return True


def changed(data: Any, at: int, to: Any) -> Any:
    """Return the JSON with one of its leaves or lists, counted from the left, replaced."""
    count = -1

    def walk(part: Any) -> Any:
        nonlocal count
        count += 1
        if count == at:
            return to
        if isinstance(part, list):
            return [walk(item) for item in part]
        if isinstance(part, dict):
            return {key: walk(item) for key, item in part.items()}
        return part

    return walk(data)


REAL = {
    "figure": lambda: codec.encode(in_space()),
    "target": lambda: codec.encode(target()),
    "result": lambda: codec.encode(StatevectorSampler(seed=1).run([bell], shots=5).result()),
    "simulated": lambda: codec.encode(aer.AerSimulator().run(bell, shots=5).result()),
    "pass": lambda: codec.encode(WithoutZ(), Handles()),
    "manager": lambda: codec.encode(PassManager([WithoutZ()]), Handles()),
    "noise": lambda: codec.encode(noise.depolarizing_error(0.1, 1)),
}


@pytest.mark.parametrize("name", REAL)
def test_a_changed_value_is_refused_or_decoded(name: str) -> None:
    data = REAL[name]()

    @settings(max_examples=25)
    @given(st.integers(0, 150), st.none() | st.integers() | st.text(max_size=3) | st.just([]) | junk)
    def tried(at: int, to: Any) -> None:
        assert refused_or_value(changed(data, at, to))

    tried()


def test_requests_for_many_resources_are_refused() -> None:
    kind, figure = codec.encode(pyplot.figure())["matplotlib"]
    large = {"dict": [[name, 10**9 if name == "dpi" else value] for name, value in figure["dict"]]}
    assert codec.decode({"matplotlib": [kind, figure]}).get_dpi() == pyplot.gcf().get_dpi()
    for data in (
        {"QuantumRegister": [10**9, "q"]},
        {"ClassicalRegister": [10**9, "q"]},
        {"Target": [[None, 10**9], []]},
        {"matplotlib": [kind, large]},
    ):
        with pytest.raises(CannotCross):
            codec.decode(data)


def test_attributes_that_hide_methods_are_refused() -> None:
    result = codec.encode(aer.AerSimulator().run(bell, shots=5).result())
    text = json.dumps(result).replace('["counts",', '["to_dict",')
    assert text != json.dumps(result)
    with pytest.raises(CannotCross):
        codec.decode(json.loads(text))
