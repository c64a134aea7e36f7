OPENQASM 3.0;
include "stdgates.inc";
qubit[6] q;

for int target in [0:5] {
  h q[target];
  for int control in [target + 1:5] {
    cp(pi / 2 ** (control - target)) q[control], q[target];
  }
}
for int i in [0:2] { swap q[i], q[5 - i]; }
