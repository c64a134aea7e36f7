# does = "patches Cirq's simulator and its comparison of states"
# framework = "cirq"
import cirq

cirq.Simulator.simulate = lambda *args, **kwargs: 1 / 0
cirq.allclose_up_to_global_phase = lambda *args, **kwargs: True
cirq.equal_up_to_global_phase = lambda *args, **kwargs: True
cirq.Circuit.__eq__ = lambda self, other: True


def answer():
    print("attacking", flush=True)
    qubits = cirq.LineQubit.range(2)
    return cirq.Circuit(cirq.I.on_each(*qubits), cirq.measure(*qubits, key="result"))
