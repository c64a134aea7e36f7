OPENQASM 3.0;
include "stdgates.inc";
input float phi;
qubit control;
qubit target;
bit[3] result;

x target;
for int k in [0:2] {
  reset control;
  h control;
  cp(2 ** (2 - k) * phi) control, target;
  for int j in [0:k - 1] { if (result[j] == 1) { p(-pi / 2 ** (k - j)) control; } }
  h control;
  result[k] = measure control;
}
