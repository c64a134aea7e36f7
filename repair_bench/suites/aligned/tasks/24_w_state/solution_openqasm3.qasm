OPENQASM 3.0;
include "stdgates.inc";
qubit[4] q;

x q[0];
// the excitation stays on qubit i with probability 1/(4 - i), else it moves on
for int i in [0:2] {
  cry(2 * arccos(1 / sqrt(4 - i))) q[i], q[i + 1];
  cx q[i + 1], q[i];
}
