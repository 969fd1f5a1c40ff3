/**
 * Linter of Sigma rules: defects that load, but that an author would not have written on purpose. Codes are stable and described in
 * docs/rules.md. Follows the Sigma specification 2.1 (rules, correlations, appendix of tags).
 */

import { type Correlation, type Item, type Loaded, type Piece, type SigmaRule, STAR } from './ast.ts';
import type { Condition } from './condition.ts';
import { ruleChecker } from './matcher.ts';
import { testsOf } from './ruleTests.ts';

export type LintSeverity = 'error' | 'warning' | 'hint';

/** Meaning of each code, with its severity: an error never works, a warning misleads, a hint is a better way to write it. */
export const lintCodes = {
  'not-loaded': ['error', 'The rule does not load'],
  'duplicate-id': ['error', 'Another rule has the same id'],
  'missing-placeholder': ['error', 'A placeholder has no value, so that the rule matches nothing'],
  'invalid-tests': ['error', 'The tests of the rule are not written as tests'],
  'matches-empty-event': ['error', 'The rule matches an event without any field'],
  'missing-id': ['warning', 'The rule has no id'],
  'invalid-id': ['warning', 'The id is no UUID'],
  'long-title': ['warning', 'The title has more than 256 characters'],
  'missing-description': ['warning', 'The rule has no description'],
  'missing-level': ['warning', 'The level is missing or none of informational, low, medium, high, critical'],
  'invalid-status': ['warning', 'The status is missing or none of stable, test, experimental, deprecated, unsupported'],
  'invalid-date': ['warning', 'A date is no day of the calendar, written YYYY-MM-DD'],
  'modified-before-date': ['warning', 'The day of the last change lies before the day of the first version'],
  'invalid-tag': ['warning', 'A tag is unknown in its namespace, or has none'],
  'invalid-related': ['warning', 'A related rule has no UUID or an unknown kind of relation'],
  'no-logsource': ['warning', 'Without product, category and service the rule applies to every event'],
  'unused-selection': ['warning', 'The condition does not name a selection'],
  'repeated-value': ['warning', 'A field has the same value twice'],
  'surrounding-space': ['warning', 'An exact value begins or ends with white space'],
  'no-falsepositives': ['hint', 'A rule of level high or critical names no benign causes'],
  'no-technique': ['hint', 'No tag names a technique of ATT&CK'],
  'wildcard-for-modifier': ['hint', 'Wildcards at the ends of a value stand for contains, startswith or endswith'],
  'idle-expression-end': ['hint', 'A regular expression begins or ends with .*, which changes nothing'],
} as const satisfies Record<string, readonly [LintSeverity, string]>;

export type LintCode = keyof typeof lintCodes;

export interface Finding {
  file: string;
  /** From 1. */
  line: number;
  code: LintCode;
  severity: LintSeverity;
  /** Of the rule; undefined where it did not load. */
  title?: string | undefined;
  /** Sentence for the author. */
  text: string;
  /** Value that it is about, as written, for a fix. */
  subject?: Subject;
}

/** A value of a rule; with the field and the modifier that stands for its wildcards. */
export interface Subject {
  value: string;
  field?: string;
  modifier?: string;
}

type Report = (code: LintCode, text: string, subject?: Subject) => void;

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const statuses = new Set(['stable', 'test', 'experimental', 'deprecated', 'unsupported']);
const relations = new Set(['derived', 'obsolete', 'merged', 'renamed', 'similar']);
/** Tactics of MITRE ATT&CK for enterprises, mobile devices and industrial control systems. */
const tactics = new Set(
  (
    'reconnaissance resource-development initial-access execution persistence privilege-escalation defense-evasion stealth ' +
    'defense-impairment credential-access discovery lateral-movement collection command-and-control exfiltration impact ' +
    'network-effects remote-service-effects evasion inhibit-response-function impair-process-control'
  ).split(' '),
);
const technique = /^attack\.t\d{4}(?:\.\d{3})?$/;
/** By namespace. */
const tags: Readonly<Record<string, (name: string) => boolean>> = {
  attack: (name) => /^(?:t\d{4}(?:\.\d{3})?|ta\d{4}|[gsc]\d{4}|ds\d{4})$/.test(name) || tactics.has(name.replaceAll('_', '-')),
  car: (name) => /^\d{4}-\d{2}-\d{3}$/.test(name),
  cve: (name) => /^\d{4}[.-]\d{4,}$/.test(name),
  d3fend: (name) => /^[a-z0-9_-]+$/i.test(name),
  detection: (name) => ['dfir', 'emerging-threats', 'threat-hunting'].includes(name.replaceAll('_', '-')),
  stp: (name) => /^\d(?:[auk])?$/.test(name),
  tlp: (name) => ['red', 'amber', 'amber-strict', 'green', 'clear', 'white'].includes(name),
};

/** Findings in the order of the rules; those that do not load come first. */
export function lint(loaded: Loaded): Finding[] {
  const findings: Finding[] = [];
  const add = (at: { file: string; line: number; title?: string | undefined }, code: LintCode, text: string, subject?: Subject) =>
    findings.push({
      file: at.file,
      line: at.line,
      title: at.title,
      code,
      severity: lintCodes[code][0],
      text,
      ...(subject && { subject }),
    });
  for (const fault of loaded.faults) add(fault, 'not-loaded', fault.reason);
  const matches = ruleChecker();
  for (const rule of loaded.rules) {
    // The rule under an aggregation of Sigma 1 is listed once, as its correlation.
    const isBase = rule.id.endsWith(':base');
    const report: Report = (code, text, subject) => add(rule, code, text, subject);
    if (!isBase) header(rule, report);
    detection(rule, report);
    if (rule.awaits.length === 0 && matches(rule, {}))
      report('matches-empty-event', 'The rule matches an event without any field. It may match everything.');
  }
  for (const correlation of loaded.correlations)
    header(correlation, (code, text, subject) => add(correlation, code, text, subject));
  return findings;
}

/** Attributes that rules and correlations share. */
function header(rule: SigmaRule | Correlation, report: Report): void {
  if (rule.writtenId === `${rule.file}#${rule.title}`) report('missing-id', 'Give it a UUID, so that changes can be followed.');
  else if (!uuid.test(rule.writtenId)) report('invalid-id', `“${rule.writtenId}” is no UUID.`);
  if (rule.id !== rule.writtenId) report('duplicate-id', `Another rule has the id “${rule.writtenId}”.`);
  if (rule.title.length > 256) report('long-title', `The title has ${rule.title.length} characters.`);
  if (!rule.description?.trim()) report('missing-description', 'No description: analysts see it with each alert.');
  if (rule.level === undefined) report('missing-level', 'No level: alerts are of medium severity.');
  if (!statuses.has(rule.status ?? ''))
    report('invalid-status', rule.status === undefined ? 'No status.' : `“${rule.status}” is unknown.`);
  const [date, modified] = [dayOf(rule.date), dayOf(rule.modified)];
  if (date === null) report('invalid-date', `“${rule.date}” is no day written YYYY-MM-DD.`);
  if (modified === null) report('invalid-date', `“${rule.modified}” is no day written YYYY-MM-DD.`);
  if (date && modified && modified < date) report('modified-before-date', `${modified} lies before ${date}.`);
  for (const tag of rule.tags) if (!isKnownTag(tag)) report('invalid-tag', `“${tag}” is unknown.`);
  if (!rule.tags.some((tag) => technique.test(tag.toLowerCase())))
    report('no-technique', 'No ATT&CK technique: the rule counts for no coverage.');
  if ((rule.level === 'high' || rule.level === 'critical') && rule.falsepositives.length === 0)
    report('no-falsepositives', 'No known false positives: name the benign work that looks the same.');
  try {
    testsOf(rule);
  } catch (error) {
    report('invalid-tests', (error as Error).message);
  }
}

/** A day as written in Sigma 2; null for another text. The slashes of Sigma 1 are read too. */
function dayOf(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  const [, year, month, day] = /^(\d{4})[-/](\d{2})[-/](\d{2})$/.exec(text) ?? [];
  const at = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.getUTCDate() === Number(day) ? `${year}-${month}-${day}` : null;
}

function isKnownTag(tag: string): boolean {
  const at = tag.indexOf('.');
  if (at < 1) return false;
  const [space, name] = [tag.slice(0, at), tag.slice(at + 1)];
  const isKnown = Object.hasOwn(tags, space) ? tags[space] : undefined;
  // Namespaces of an organisation are its own.
  return isKnown ? isKnown(name.toLowerCase()) : /^[a-z0-9_.-]+$/i.test(name);
}

function detection(rule: SigmaRule, report: Report): void {
  const { logsource, selections, awaits, related } = rule;
  if (!logsource.product && !logsource.category && !logsource.service)
    report('no-logsource', 'No log source: every event is compared.');
  if (awaits.length > 0)
    report(
      'missing-placeholder',
      `Without values for ${awaits.map((name) => `%${name}%`).join(', ')}, the rule matches nothing.`,
    );
  for (const { id, type } of related)
    if (!uuid.test(id) || !relations.has(type)) report('invalid-related', `“${id}” as “${type}”.`);
  const used = new Set<number>();
  collect(rule.condition, used);
  for (const [index, { name, alternatives }] of selections.entries()) {
    if (!used.has(index)) report('unused-selection', `The condition does not name “${name}”.`);
    for (const item of alternatives.flat()) values(item, name, report);
  }
}

function collect(condition: Condition, used: Set<number>): void {
  if (condition.kind === 'selection') used.add(condition.index);
  else if (condition.kind === 'not') collect(condition.part, used);
  else for (const part of condition.parts) collect(part, used);
}

/** Replacer of texts by their lower case. */
const foldedUnless = (isCased: boolean) => (_key: string, value: unknown) =>
  typeof value === 'string' && !isCased ? value.toLowerCase() : value;

function values(item: Item, selection: string, report: Report): void {
  const { field, modifiers, values: all } = item;
  const place = field === null ? `“${selection}”` : `${field} in “${selection}”`;
  const meanings = new Set<string>();
  const repeated = all.find(({ atom }, index) => {
    meanings.add(JSON.stringify(atom, foldedUnless('cased' in atom && atom.cased)));
    return meanings.size <= index;
  });
  // Variants of one value, such as those of base64 at three offsets, are written once.
  if (repeated && !/base64offset|windash|expand/.test(modifiers))
    report('repeated-value', `${place} has “${repeated.written}” twice.`, { value: repeated.written });
  for (const { atom, written } of all) {
    if (atom.op === 'regex' && /^\.\*(?!\?)|(?<!\\)\.\*$/.test(written))
      report('idle-expression-end', `${place}: ${written}`, { value: written });
    if (atom.op !== 'pattern' || modifiers !== '' || field === null) continue;
    if (written.trim() !== written && written.trim() !== '')
      report('surrounding-space', `${place}: “${written}”.`, { value: written });
    const modifier = modifierFor(atom.pieces);
    if (modifier !== undefined)
      report('wildcard-for-modifier', `${place}: write ${field}|${modifier} instead of “${written}”.`, {
        value: written,
        field,
        modifier,
      });
  }
}

/** Modifier with the meaning of wildcards at the ends of an exact value. */
function modifierFor(pieces: readonly Piece[]): string | undefined {
  const [first, last] = [pieces[0] === STAR, pieces.at(-1) === STAR];
  const hasText = pieces.some((piece) => typeof piece === 'string');
  if (!hasText || pieces.slice(1, -1).includes(STAR) || !(first || last)) return undefined;
  return first && last ? 'contains' : first ? 'endswith' : 'startswith';
}
