OPENQASM 3.0;
include "stdgates.inc";
input int b;
input int carry_in;
// qubit 0: carry; bit i of b in qubit 2i + 1, of a in qubit 2i + 2; qubit 7: carry out
qubit[8] q;
bit[7] result;

gate maj carry, b_, a_ {
  cx a_, b_;
  cx a_, carry;
  ccx carry, b_, a_;
}
gate uma carry, b_, a_ {
  ccx carry, b_, a_;
  cx a_, carry;
  cx carry, b_;
}

if (carry_in == 1) { x q[0]; }
for int i in [0:2] {
  if (((b >> i) & 1) == 1) { x q[2 * i + 1]; }
  h q[2 * i + 2];
}
for int i in [0:2] { maj q[2 * i], q[2 * i + 1], q[2 * i + 2]; }
cx q[6], q[7];
for int i in [2:-1:0] { uma q[2 * i], q[2 * i + 1], q[2 * i + 2]; }
result = measure q[{6, 4, 2, 7, 5, 3, 1}];
