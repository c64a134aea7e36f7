OPENQASM 3.0;
include "stdgates.inc";
input bit[3] s_;
qubit[6] q;
bit[3] result;

// f(x) = x, or x xor s where the first bit that s contains is 1
int j = 0;
while (s_[j] == 0) { j += 1; }
h q[0:2];
for int i in [0:2] { cx q[i], q[3 + i]; }
for int i in [0:2] { if (s_[i] == 1) { cx q[j], q[3 + i]; } }
h q[0:2];
result = measure q[0:2];
