OPENQASM 3.0;
include "stdgates.inc";
input array[float, 3] first;
input array[float, 3] second;
qubit[9] q;
bit[3] result;

for int i in [0:2] {
  ry(first[i]) q[i];
  ry(second[i]) q[3 + i];
  h q[6 + i];
  cswap q[6 + i], q[i], q[3 + i];
  h q[6 + i];
}
result = measure q[6:8];
