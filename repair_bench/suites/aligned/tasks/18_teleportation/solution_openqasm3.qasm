OPENQASM 3.0;
include "stdgates.inc";
input float theta;
qubit[3] q;
bit[3] result;

rx(theta) q[0];
h q[1];
cx q[1], q[2];
cx q[0], q[1];
h q[0];
result[0] = measure q[0];
result[1] = measure q[1];
if (result[1] == 1) { x q[2]; }
if (result[0] == 1) { z q[2]; }
rx(pi / 4) q[2];
result[2] = measure q[2];
