// The changes between two programs by line, from the longest common subsequence.

const MOST_CELLS = 4e6; // maximum size of the table below; beyond it, the whole middle part counts as changed

// [{ sign: " " | "-" | "+", text, old, new }]; `old` and `new` are line numbers from 1, null on the other side.
function diff(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const lines = [];
  const same = (i, j) => lines.push({ sign: " ", text: b[j], old: i + 1, new: j + 1 });
  for (let i = 0; i < start; i += 1) same(i, i);
  middle(a, b, start, a.length - end, b.length - end, lines);
  for (let i = end; i > 0; i -= 1) same(a.length - i, b.length - i);
  return lines;
}

function middle(a, b, start, aEnd, bEnd, lines) {
  const height = aEnd - start;
  const width = bEnd - start;
  const common = height * width <= MOST_CELLS ? lengths(a, b, start, height, width) : null;
  let i = 0;
  let j = 0;
  while (i < height || j < width) {
    const left = a[start + i];
    const right = b[start + j];
    if (common && i < height && j < width && left === right) {
      lines.push({ sign: " ", text: right, old: start + i + 1, new: start + j + 1 });
      i += 1;
      j += 1;
    } else if (i < height && (j >= width || !common || common[(i + 1) * (width + 1) + j] >= common[i * (width + 1) + j + 1])) {
      lines.push({ sign: "-", text: left, old: start + i + 1, new: null });
      i += 1;
    } else {
      lines.push({ sign: "+", text: right, old: null, new: start + j + 1 });
      j += 1;
    }
  }
}

// The length of the longest common subsequence of the parts that start at (i, j).
function lengths(a, b, start, height, width) {
  const table = new Uint16Array((height + 1) * (width + 1));
  for (let i = height - 1; i >= 0; i -= 1) {
    for (let j = width - 1; j >= 0; j -= 1) {
      const here = i * (width + 1) + j;
      table[here] = a[start + i] === b[start + j] ? table[here + width + 2] + 1 : Math.max(table[here + width + 1], table[here + 1]);
    }
  }
  return table;
}
