from qiskit import QuantumCircuit


def qaoa_maxcut_ansatz(edges, betas, gammas):
    qc = QuantumCircuit(5)
    qc.h(range(5))
    for beta, gamma in zip(betas, gammas, strict=True):
        for u, v in edges:
            qc.rzz(2 * gamma, u, v)
        qc.rx(2 * beta, range(5))
    return qc
