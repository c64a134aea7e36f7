OPENQASM 3.0;
include "stdgates.inc";
input array[float, 3] angles;
qubit[4] q;

for int i in [0:2] {
  ry(angles[i]) q[i];
  cx q[i], q[3];
}
