/** Cuts a SQL file into its statements, so that a failure names its line, and those that refuse a transaction block run alone. */

export interface Statement {
  /** Without its semicolon and what stands before its first word. */
  readonly text: string;
  /** Of its first word, from 1. */
  readonly line: number;
  readonly column: number;
}

// One token a match: comments, quoted text (with '' or, after E, backslashes), names, dollar quotes, words, semicolons.
const token =
  /--[^\n]*|\/\*|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|;|\S/gs;

/** PostgreSQL's lexical rules: nested comments, dollar quotes, and SQL bodies (`begin atomic … end`) whose semicolons are inner. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  let start: number | undefined;
  let depth = 0;
  let word = '';
  const finish = (end: number) => {
    if (start !== undefined) statements.push({ text: sql.slice(start, end).trimEnd(), ...placeOf(sql, start) });
    start = undefined;
    depth = 0;
    word = '';
  };
  const scan = new RegExp(token);
  for (let match = scan.exec(sql); match; match = scan.exec(sql)) {
    const [text] = match;
    if (text.startsWith('--')) continue;
    if (text === '/*') {
      scan.lastIndex = endOfComment(sql, match.index);
      continue;
    }
    if (text === ';' && depth === 0) {
      finish(match.index);
      continue;
    }
    start ??= match.index;
    if (text.length > 1 && text.startsWith('$')) {
      const close = sql.indexOf(text, scan.lastIndex);
      scan.lastIndex = close === -1 ? sql.length : close + text.length;
    }
    const before = word;
    word = text.toLowerCase();
    if (word === 'atomic' && before === 'begin') depth = 1;
    else if (depth > 0 && word === 'case') depth += 1;
    else if (depth > 0 && word === 'end') depth -= 1;
  }
  finish(sql.length);
  return statements;
}

function endOfComment(sql: string, from: number): number {
  const sign = /\/\*|\*\//g;
  sign.lastIndex = from;
  let depth = 0;
  for (let match = sign.exec(sql); match; match = sign.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return sign.lastIndex;
  }
  return sql.length;
}

function placeOf(sql: string, index: number): { line: number; column: number } {
  const before = sql.slice(0, index).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
