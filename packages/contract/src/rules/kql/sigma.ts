/** Sigma rule of an event search. Source: Sigma rules specification 2.1.0, "Detection" and "Modifiers appendix". */
import { clauses, foldCase, isAny, type Kql, type Pattern } from './ast.ts';
import { isUnwritten } from './fields.ts';
import { isProse } from './match.ts';
import { inNetwork, numberOf } from './values.ts';

/** Log source of a format (`EventRow.shape`); others name none that rules know. */
const logSources: Readonly<Record<string, readonly string[]>> = {
  winlogbeat: ['product: windows'],
  evtx: ['product: windows'],
  auditbeat: ['product: linux', 'service: auditd'],
  syslog: ['product: linux'],
  m365: ['product: m365'],
  entra: ['product: azure'],
  okta: ['product: okta', 'service: okta'],
  github: ['product: github', 'service: audit'],
  google: ['product: google_workspace'],
  cloudtrail: ['product: aws', 'service: cloudtrail'],
  guardduty: ['product: aws', 'service: guardduty'],
  defenderxdr: ['product: m365_defender', 'service: alert'],
  defender: ['product: defender_endpoint', 'service: alert'],
  crowdstrike: ['product: crowdstrike', 'service: alert'],
  sentinelone: ['product: sentinelone', 'service: threat'],
};

/** The portal’s own names of fields, as rules have them. */
const ownFields: Readonly<Record<string, string>> = { device: 'host.name', 'device.name': 'host.name', user: 'user.name' };

const comparisons = { '>=': 'gte', '>': 'gt', '<=': 'lte', '<': 'lt' } as const;

const quoted = (text: string): string =>
  /[\u0000-\u001f\u007f]/.test(text) ? JSON.stringify(text) : `'${text.replaceAll("'", "''")}'`;

const escaped = (pattern: Pattern): string => pattern.map((piece) => piece.replace(/[\\*?]/g, '\\$&')).join('*');

type Leaf = Extract<Kql, { kind: 'text' | 'field' | 'range' }>;

/** One condition of a selection: the field with its modifiers, null for words in any field, and the value in YAML. */
interface Item {
  key: string | null;
  value: string;
}

/** undefined where a rule cannot state the condition. */
function itemOf(leaf: Leaf): Item | undefined {
  if (leaf.kind === 'text')
    return leaf.text.some((piece) => piece !== '') ? { key: null, value: quoted(escaped(leaf.text)) } : undefined;
  const [name = ''] = leaf.field;
  if (leaf.field.length > 1 || isUnwritten(leaf.field) || name.includes('|')) return undefined;
  const field = ownFields[foldCase(name)] ?? name;
  if (leaf.kind === 'range') {
    const bound = numberOf(leaf.bound);
    return bound === undefined ? undefined : { key: `${field}|${comparisons[leaf.comparison]}`, value: String(bound) };
  }
  if (isAny(leaf.value)) return { key: `${field}|exists`, value: 'true' };
  const [only = ''] = leaf.value;
  if (leaf.value.length === 1 && inNetwork(only)) return { key: `${field}|cidr`, value: quoted(only) };
  return { key: isProse(leaf.field) ? `${field}|contains` : field, value: quoted(escaped(leaf.value)) };
}

const isLeaf = (node: Kql): node is Leaf => node.kind === 'text' || node.kind === 'field' || node.kind === 'range';

/** True if a rule can state all conditions of a tree. */
const isStatable = (node: Kql): boolean =>
  isLeaf(node) ? itemOf(node) !== undefined : node.kind === 'not' ? isStatable(node.part) : node.parts.every(isStatable);

class Detection {
  readonly lines: string[] = [];
  private count = 0;

  private add(lines: readonly string[]): string {
    const name = this.count === 0 ? 'selection' : `selection_${this.count + 1}`;
    this.count++;
    this.lines.push(`  ${name}:`, ...lines.map((line) => `    ${line}`));
    return name;
  }

  /** Adds the selections of a tree; its condition, in parentheses where it joins several. */
  condition(node: Kql): string {
    if (isLeaf(node)) return this.selection([itemOf(node)!]);
    if (node.kind === 'not') return `not ${this.condition(node.part)}`;
    const parts = node.kind === 'and' ? this.all(node.parts) : this.any(node.parts);
    return parts.length === 1 ? parts[0]! : `(${parts.join(` ${node.kind} `)})`;
  }

  /** Conditions on different fields are one selection, of which all must match. */
  all(parts: readonly Kql[]): string[] {
    const items = new Map<string, Item>();
    const rest: Kql[] = [];
    for (const part of parts) {
      const item = isLeaf(part) ? itemOf(part) : undefined;
      if (item?.key != null && !items.has(item.key)) items.set(item.key, item);
      else rest.push(part);
    }
    return [...(items.size > 0 ? [this.selection([...items.values()])] : []), ...rest.map((part) => this.condition(part))];
  }

  /** Conditions on one field are one selection with a list of values, of which one must match. */
  private any(parts: readonly Kql[]): string[] {
    const values = new Map<string | null, string[]>();
    const rest: Kql[] = [];
    for (const part of parts) {
      const item = isLeaf(part) ? itemOf(part) : undefined;
      if (!item) rest.push(part);
      else values.set(item.key, [...(values.get(item.key) ?? []), item.value]);
    }
    const selections = [...values].map(([key, of]) =>
      key === null
        ? this.add(of.map((value) => `- ${value}`))
        : of.length === 1
          ? this.selection([{ key, value: of[0]! }])
          : this.add([`${quoted(key)}:`, ...of.map((value) => `  - ${value}`)]),
    );
    return [...selections, ...rest.map((part) => this.condition(part))];
  }

  private selection(items: readonly Item[]): string {
    return this.add(items.map(({ key, value }) => (key === null ? `- ${value}` : `${quoted(key)}: ${value}`)));
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/**
 * Text of a rule that matches what the search finds, with a comment on each condition that a rule cannot state: fields with wildcards in their
 * names, the portal’s own times and formats. undefined if no condition is left. Words match within longer ones, unlike in a search.
 * @param shape format of the events found, for the log source
 */
export function ruleOfSearch(search: string, ast: Kql, shape: string | undefined): string | undefined {
  const parts = clauses(ast).filter(isStatable);
  if (parts.length === 0) return undefined;
  const detection = new Detection();
  const condition = detection.all(parts).join(' and ');
  const source = logSources[shape ?? ''];
  const left = clauses(ast).filter((part) => !parts.includes(part));
  return [
    'title: New rule',
    `description: ${quoted(oneLine(`Events found by the search ${search}`).slice(0, 1000))}`,
    'status: experimental',
    "author: ''",
    ...(source ? [] : ['# State the log source of these events.']),
    'logsource:',
    ...(source ?? ['product: windows']).map((line) => `  ${line}`),
    ...left.map(
      ({ at, length }) => `# Left out, because rules have no such condition: ${oneLine(search.slice(at, at + length))}`,
    ),
    'detection:',
    ...detection.lines,
    `  condition: ${condition}`,
    'falsepositives:',
    '  - Unknown',
    'level: medium',
    '',
  ].join('\n');
}
