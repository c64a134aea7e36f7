OPENQASM 3.0;
include "stdgates.inc";
input array[float, 8] param;
qubit[2] q;

h q;
U(param[0], param[1], param[2]) q[0];
U(param[3], param[4], param[5]) q[1];
cx q[0], q[1];
ry(param[6]) q[0];
ry(param[7]) q[1];
