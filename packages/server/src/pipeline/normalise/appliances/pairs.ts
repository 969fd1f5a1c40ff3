/** `name=value name="quoted value"` lines of Fortinet, SonicWall and others. */

const nameEnd = /[\s="]/;

/**
 * Pairs of a line, first value of each name. A quoted value ends at the `"` before the next name or the end,
 * since appliances do not escape quotes inside values.
 */
export function pairsOf(line: string): Map<string, string> {
  const pairs = new Map<string, string>();
  let at = 0;
  while (at < line.length && pairs.size < 300) {
    while (line.charCodeAt(at) <= 32) at++;
    const equals = line.indexOf('=', at);
    if (equals < 0) break;
    const name = line.slice(at, equals);
    if (name === '' || name.length > 64 || nameEnd.test(name)) {
      // Stray words: continue behind them.
      const space = line.indexOf(' ', at);
      if (space < 0) break;
      at = space + 1;
      continue;
    }
    const [value, end] = line[equals + 1] === '"' ? quoted(line, equals + 2) : bare(line, equals + 1);
    if (!pairs.has(name)) pairs.set(name, value);
    at = end;
  }
  return pairs;
}

const lastQuote = /"(?=,?\s{1,8}[\w.-]{1,64}=|,?\s{0,8}$)/g;

function quoted(line: string, from: number): [string, number] {
  lastQuote.lastIndex = from;
  const end = lastQuote.exec(line)?.index ?? line.length;
  return [line.slice(from, end), end + 1];
}

function bare(line: string, from: number): [string, number] {
  const space = line.indexOf(' ', from);
  const end = space < 0 ? line.length : space;
  return [line.slice(from, end).replace(/,$/, ''), end];
}
