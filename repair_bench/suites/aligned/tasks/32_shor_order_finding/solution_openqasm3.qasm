OPENQASM 3.0;
include "stdgates.inc";
input int a;
qubit[8] phases;
qubit[4] work;

x work[3];
h phases;
int factor = a;
for int k in [7:-1:0] {
  // modulo 15, minus is the complement of the four bits and doubling moves them by one place
  int shifts = factor;
  if (factor == 7 || factor > 8) {
    cx phases[k], work;
    shifts = 15 - factor;
  }
  while (shifts > 1) {
    for int i in [0:2] { cswap phases[k], work[i], work[i + 1]; }
    shifts /= 2;
  }
  factor = factor * factor % 15;
}

// inverse Fourier transform
for int i in [0:3] { swap phases[i], phases[7 - i]; }
for int target in [7:-1:0] {
  for int control in [7:-1:target + 1] {
    cp(-pi / 2 ** (control - target)) phases[control], phases[target];
  }
  h phases[target];
}
