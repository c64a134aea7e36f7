OPENQASM 3.0;
include "stdgates.inc";
qubit[5] q;

x q[2];
h q[3];
x q[4];
cx q[3], q[4];
