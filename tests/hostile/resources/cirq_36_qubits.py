# does = "asks the Cirq simulator for 36 qubits"
# accept = ["memory", "exception"]
# framework = "cirq"
import cirq


def answer(target):
    qubits = cirq.LineQubit.range(36)
    circuit = cirq.Circuit(cirq.H.on_each(*qubits), [cirq.CZ(a, b) for a, b in zip(qubits, qubits[1:])])
    print("attacking", flush=True)
    return cirq.Simulator().simulate(circuit).final_state_vector
