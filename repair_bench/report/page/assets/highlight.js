// Python syntax colours. A text becomes lines, and a line becomes pieces [class, text].

const PYTHON = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    /(?<string>\b[rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
    /\b(?<keyword>and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|match|nonlocal|not|or|pass|raise|return|try|while|with|yield|None|True|False)\b/,
    /(?<number>\b\d[\d_.]*(?:e[+-]?\d+)?j?\b)/,
    /(?<=\b(?:def|class)\s+)(?<named>\w+)/,
  ].map((part) => part.source).join("|"),
  "g",
);
const MOST_COLOURED = 30000; // characters

function coloured(code) {
  const lines = [[]];
  const add = (name, text) => {
    text.split("\n").forEach((piece, i) => {
      if (i) lines.push([]);
      if (piece) lines.at(-1).push([name, piece]);
    });
  };
  let end = 0;
  if (code.length <= MOST_COLOURED) {
    for (const match of code.matchAll(PYTHON)) {
      add("", code.slice(end, match.index));
      add(Object.keys(match.groups).find((name) => match.groups[name] !== undefined) ?? "", match[0]);
      end = match.index + match[0].length;
    }
  }
  add("", code.slice(end));
  return lines;
}
