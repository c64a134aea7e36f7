OPENQASM 3.0;
include "stdgates.inc";
input array[float, 3] angles;
qubit[9] q;
bit[3] result;

h q[3];
cx q[3], q[4];
cx q[4], q[5];
for int i in [0:2] {
  ry(angles[i]) q[6 + i];
  h q[i];
  cswap q[i], q[3 + i], q[6 + i];
  h q[i];
}
result = measure q[0:2];
