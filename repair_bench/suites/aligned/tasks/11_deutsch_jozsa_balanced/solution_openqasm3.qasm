OPENQASM 3.0;
include "stdgates.inc";
input bit[4] flips;
qubit[5] q;

x q[4];
h q[4];
h q[0:3];
// oracle
for int i in [0:3] {
  cx q[i], q[4];
  if (flips[i] == 1) { x q[4]; }
}
h q[0:3];
