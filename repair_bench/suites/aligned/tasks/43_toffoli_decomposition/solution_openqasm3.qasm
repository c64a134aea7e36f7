OPENQASM 3.0;
include "stdgates.inc";
qubit[3] q;

// a Hadamard is RZ(pi/2) SX RZ(pi/2), a T gate RZ(pi/4), both up to a phase
rz(pi / 2) q[2];
sx q[2];
rz(pi / 2) q[2];
cx q[1], q[2];
rz(-pi / 4) q[2];
cx q[0], q[2];
rz(pi / 4) q[2];
cx q[1], q[2];
rz(-pi / 4) q[2];
cx q[0], q[2];
rz(3 * pi / 4) q[2];
sx q[2];
rz(pi / 2) q[2];
rz(pi / 4) q[1];
cx q[0], q[1];
rz(pi / 4) q[0];
rz(-pi / 4) q[1];
cx q[0], q[1];
