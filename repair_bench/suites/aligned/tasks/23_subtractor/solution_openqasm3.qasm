OPENQASM 3.0;
include "stdgates.inc";
input array[float, 6] angles;
qubit[7] q;
let a = q[0:2];
let b = q[3:5];
let carry = q[6];

for int i in [0:5] { ry(angles[i]) q[i]; }
// a - b = NOT(NOT a + b)
x a;
cx a[0], b[0];
ccx a[2], b[2], carry;
// the carry into the top bit is a1 b1 XOR (a1 XOR b1) carry
ccx a[1], b[1], b[0];
cx a[1], b[1];
ccx b[1], carry, b[0];
cx carry, b[1];
ccx a[2], b[2], carry;
cx a[2], b[2];
x a;
x b;
