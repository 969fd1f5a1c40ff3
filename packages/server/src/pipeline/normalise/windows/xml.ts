/**
 * Reads one Windows event in XML, as Splunk’s add-on, WEF, NXLog and Azure’s agents write it, into the form of converters to JSON:
 * attributes under `@Name`, text beside attributes under `#text`, repeated elements as a list. Knows no declarations of types
 * or entities, so none is expanded.
 */
import type { Document } from '../../event.ts';
import { setOwn } from '../doc.ts';
import { maxFields } from '../limits.ts';

const maxDepth = 12;
const maxElements = 600;

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Text with its character references read; characters that XML does not allow become U+FFFD. */
function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const isAllowed =
      code === 9 || code === 10 || code === 13 || (code >= 32 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff));
    return isAllowed ? String.fromCodePoint(code) : '\ufffd';
  });
}

interface Open {
  name: string;
  node: Document;
  text: string;
}

/** Adds a child; the second of a name makes a list. */
function add(node: Document, name: string, value: unknown): void {
  const present = Object.hasOwn(node, name) ? node[name] : undefined;
  if (present === undefined) setOwn(node, name, value);
  else if (Array.isArray(present)) present.push(value);
  else setOwn(node, name, [present, value]);
}

const attributeOf = /([\w:.-]{1,60})\s*=\s*(?:'([^']*)'|"([^"]*)")/g;

/** Undefined for more attributes than a document may have fields. */
function attributesOf(tag: string): Document | undefined {
  const node: Document = {};
  let attributes = 0;
  for (const [, name = '', single, double] of tag.matchAll(attributeOf)) {
    if (++attributes > maxFields) return undefined;
    if (!name.startsWith('xmlns')) setOwn(node, `@${name}`, decoded(single ?? double ?? ''));
  }
  return node;
}

/** Content of an element: its text alone where it has neither attributes nor children. */
function contentOf({ node, text }: Open): unknown {
  const isPlain = Object.keys(node).length === 0;
  if (isPlain) return text;
  if (text.trim() !== '') setOwn(node, '#text', text);
  return node;
}

interface Reader {
  root: Document;
  open: Open[];
  elements: number;
}

/** Takes one tag; false if the text is not well-formed, or wider or deeper than an event is. */
function takeTag(reader: Reader, tag: string): boolean {
  const { root, open } = reader;
  const inside = open.at(-1);
  if (tag.startsWith('?')) return true;
  if (tag.startsWith('!')) return tag.startsWith('!--');
  if (tag.startsWith('/')) {
    if (inside?.name !== tag.slice(1).trim()) return false;
    open.pop();
    add(open.at(-1)?.node ?? root, inside.name, contentOf(inside));
    return true;
  }
  const name = /^[\w:.-]{1,60}/.exec(tag)?.[0];
  if (name === undefined || ++reader.elements > maxElements || open.length >= maxDepth) return false;
  const node = attributesOf(tag.slice(name.length));
  if (node === undefined) return false;
  const element = { name, node, text: '' };
  if (tag.endsWith('/')) add(inside?.node ?? root, name, contentOf(element));
  else open.push(element);
  return true;
}

const literal = '<![CDATA[';

/** The first element of a text with everything in it; undefined if it is not well-formed, or wider or deeper than an event is. */
export const readXml = (xml: string): Document | undefined => readXmlFrom(xml, 0)?.root;

/** As `readXml`, of the text from a position on, with the position behind the element. */
export function readXmlFrom(xml: string, from: number): { root: Document; end: number } | undefined {
  const reader: Reader = { root: {}, open: [], elements: 0 };
  for (let at = xml.indexOf('<', from); at >= 0; ) {
    const isLiteral = xml.startsWith(literal, at);
    const end = xml.indexOf(isLiteral ? ']]>' : '>', at);
    if (end < 0) return undefined;
    const inside = reader.open.at(-1);
    if (isLiteral) {
      if (inside === undefined) return undefined;
      inside.text += xml.slice(at + literal.length, end);
    } else if (!takeTag(reader, xml.slice(at + 1, end))) return undefined;
    const after = end + (isLiteral ? 3 : 1);
    if (reader.open.length === 0 && reader.elements > 0) return { root: reader.root, end: after };
    at = xml.indexOf('<', after);
    const into = reader.open.at(-1);
    if (into !== undefined && at > after) into.text += decoded(xml.slice(after, at));
  }
  return undefined;
}
