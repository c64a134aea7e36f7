OPENQASM 3.0;
include "stdgates.inc";
input float theta;
qubit[2] q;
bit[1] result;

ry(theta) q[1];
h q[0];
ch q[0], q[1];
h q[0];
result[0] = measure q[0];
