import numpy as np


def expected(edges, betas, gammas):
    bits = (np.arange(32)[:, None] >> np.arange(4, -1, -1)) & 1
    z = 1 - 2 * bits
    energy = sum(z[:, u] * z[:, v] for u, v in edges)
    state = np.full(32, 1 / np.sqrt(32), complex)
    for beta, gamma in zip(betas, gammas, strict=True):
        state = np.exp(-1j * gamma * energy) * state
        rx = np.array([[np.cos(beta), -1j * np.sin(beta)], [-1j * np.sin(beta), np.cos(beta)]])
        mixer = np.eye(1)
        for _ in range(5):
            mixer = np.kron(mixer, rx)
        state = mixer @ state
    return state
