OPENQASM 3.0;
include "stdgates.inc";
input array[float, 8] parameters;
qubit[2] q;

x q[0];
rz(parameters[0]) q[0];
rz(parameters[1]) q[0];
ry(parameters[2]) q[0];
rz(parameters[3]) q[1];
cx q[0], q[1];
rz(parameters[4]) q[0];
rz(parameters[5]) q[1];
ry(parameters[6]) q[0];
rz(parameters[7]) q[1];
