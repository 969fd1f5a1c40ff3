/**
 * Searches many literals in one pass (Aho and Corasick 1975), with a table of one row per state and one column per character class.
 * Without fail links the same table serves as a trie for prefixes and, read backwards, for suffixes. A hit is the list of numbers given
 * with the literal. Every white space counts as a space: the tables choose candidates, which are tested afterwards.
 */

export interface LiteralHits {
  literal: string;
  hits: number[];
}

interface Table {
  width: number;
  /** Next state, times two, plus one if that state has hits; a row for each state, 0 is the root. Half the size for most tables: they are read at random. */
  next: Int32Array | Uint16Array;
  /** Row number → its hits; sparse. */
  hits: (Int32Array | undefined)[];
  ascii: Uint16Array;
  others: Map<number, number> | undefined;
}

/** Called with each hit list that occurs. */
export type Report = (hits: Int32Array) => void;

export type Search = (text: string, report: Report) => void;

/** Searches the literals anywhere in a text. */
export function searchAnywhere(literals: LiteralHits[]): Search {
  const table = build(literals, false, true);
  const { next, width, ascii, others, hits } = table;
  return (text, report) => {
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const column = code < 128 ? ascii[code]! : others === undefined ? 0 : (others.get(code) ?? 0);
      state = next[(state >> 1) * width + column]!;
      if ((state & 1) !== 0) report(hits[state >> 1]!);
    }
  };
}

/** Reports the literals that the text starts with. */
export function searchPrefix(literals: LiteralHits[]): Search {
  const { next, width, ascii, others, hits } = build(literals, false, false);
  return (text, report) => {
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const column = code < 128 ? ascii[code]! : others === undefined ? 0 : (others.get(code) ?? 0);
      state = next[(state >> 1) * width + column]!;
      if (state < 2) return;
      if ((state & 1) !== 0) report(hits[state >> 1]!);
    }
  };
}

/** Reports the literals that the text ends with. */
export function searchSuffix(literals: LiteralHits[]): Search {
  const { next, width, ascii, others, hits } = build(literals, true, false);
  return (text, report) => {
    let state = 0;
    for (let i = text.length - 1; i >= 0; i--) {
      const code = text.charCodeAt(i);
      const column = code < 128 ? ascii[code]! : others === undefined ? 0 : (others.get(code) ?? 0);
      state = next[(state >> 1) * width + column]!;
      if (state < 2) return;
      if ((state & 1) !== 0) report(hits[state >> 1]!);
    }
  };
}

const space = 0x20;
/** White space of regular expressions: tab, line feed, form feed, carriage return. */
const whiteSpaces = [0x09, 0x0a, 0x0c, 0x0d];

interface TrieNode {
  children: Map<number, number>;
  hits: Set<number> | undefined;
}

function build(literals: LiteralHits[], reversed: boolean, linked: boolean): Table {
  const ascii = new Uint16Array(128);
  const others = new Map<number, number>();
  let columns = 1;
  const columnOf = (character: number): number => {
    const code = whiteSpaces.includes(character) ? space : character;
    const known = code < 128 ? ascii[code]! : (others.get(code) ?? 0);
    if (known) return known;
    if (code < 128) ascii[code] = columns;
    else others.set(code, columns);
    return columns++;
  };
  const nodes: TrieNode[] = [{ children: new Map(), hits: undefined }];
  for (const { literal, hits } of literals) {
    let at = 0;
    for (let i = 0; i < literal.length; i++) {
      const column = columnOf(literal.charCodeAt(reversed ? literal.length - 1 - i : i));
      let next = nodes[at]!.children.get(column);
      if (next === undefined) {
        next = nodes.length;
        nodes.push({ children: new Map(), hits: undefined });
        nodes[at]!.children.set(column, next);
      }
      at = next;
    }
    const node = nodes[at]!;
    node.hits ??= new Set();
    for (const hit of hits) node.hits.add(hit);
  }
  const width = columns;
  const rows = new Int32Array(nodes.length * width);
  const order = linked ? link(nodes, rows, width) : undefined;
  if (!order)
    nodes.forEach((node, index) => {
      for (const [column, child] of node.children) rows[index * width + column] = child;
    });
  for (const code of whiteSpaces) ascii[code] = ascii[space]!;
  const next = nodes.length < 0x8000 ? new Uint16Array(rows.length) : new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    next[i] = row * 2 + (nodes[row]!.hits && row > 0 ? 1 : 0);
  }
  return {
    width,
    next,
    hits: nodes.map((node) => node.hits && Int32Array.from(node.hits)),
    ascii,
    others: others.size > 0 ? others : undefined,
  };
}

/** Breadth first: every missing edge takes the one of the longest proper suffix, whose hits are hits here too. */
function link(nodes: TrieNode[], rows: Int32Array, width: number): true {
  const fail = new Int32Array(nodes.length);
  const queue: number[] = [];
  for (const [column, child] of nodes[0]!.children) {
    rows[column] = child;
    queue.push(child);
  }
  for (let head = 0; head < queue.length; head++) {
    const at = queue[head]!;
    const back = fail[at]!;
    const inherited = nodes[back]!.hits;
    if (inherited) {
      const node = nodes[at]!;
      node.hits ??= new Set();
      for (const hit of inherited) node.hits.add(hit);
    }
    for (let column = 0; column < width; column++) rows[at * width + column] = rows[back * width + column]!;
    for (const [column, child] of nodes[at]!.children) {
      fail[child] = rows[back * width + column]!;
      rows[at * width + column] = child;
      queue.push(child);
    }
  }
  return true;
}
