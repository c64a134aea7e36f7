OPENQASM 3.0;
include "stdgates.inc";
qubit[5] q;

// qubit 4 collects q2 (q3 XOR q0 q1) XOR q2 q3 = q0 q1 q2
ccx q[0], q[1], q[3];
ccx q[2], q[3], q[4];
ccx q[0], q[1], q[3];
ccx q[2], q[3], q[4];
