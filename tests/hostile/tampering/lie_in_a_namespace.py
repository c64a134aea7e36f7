# does = "returns a SimpleNamespace of mocks, which have every attribute and agree"
from types import SimpleNamespace
from unittest import mock

    return SimpleNamespace(probabilities=mock.ANY, data=mock.ANY, num_qubits=2, equiv=mock.MagicMock())
