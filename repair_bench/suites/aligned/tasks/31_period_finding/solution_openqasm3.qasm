OPENQASM 3.0;
include "stdgates.inc";
input int start;
qubit[7] q;

// a is the most significant
gate qft a, b, c {
  h a;
  cp(pi / 2) b, a;
  cp(pi / 4) c, a;
  h b;
  cp(pi / 2) c, b;
  h c;
  swap a, c;
}

for int i in [0:3] { if (((start >> (3 - i)) & 1) == 1) { x q[3 + i]; } }
h q[0:2];

// 7^4 = 1 mod 15: nothing to do for qubit 0
// 7^2 = 4 mod 15: the bits move by two places
cswap q[1], q[3], q[5];
cswap q[1], q[4], q[6];
// 7 = -8 mod 15: the bits move by three places and are complemented
cswap q[2], q[5], q[6];
cswap q[2], q[4], q[5];
cswap q[2], q[3], q[4];
cx q[2], q[3:6];

inv @ qft q[0], q[1], q[2];
