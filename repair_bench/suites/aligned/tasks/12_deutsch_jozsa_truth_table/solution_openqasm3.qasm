OPENQASM 3.0;
include "stdgates.inc";
input bit[16] truth_table;
qubit[5] q;

x q[4];
h q;
for int value in [0:15] {
  if (truth_table[value] == 1) {
    for int i in [0:3] { if (((value >> (3 - i)) & 1) == 0) { x q[i]; } }
    ctrl(4) @ x q[0], q[1], q[2], q[3], q[4];
    for int i in [0:3] { if (((value >> (3 - i)) & 1) == 0) { x q[i]; } }
  }
}
h q[0:3];
