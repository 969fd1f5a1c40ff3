/** Compares the rules of a pack with those that are here: what is new, changed, a double or refused, and why. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import type { PackItemStatus } from '@parapet/contract/rulePacks.ts';
import { covers } from '@parapet/sigma/filters.ts';
import { usualSources } from '@parapet/sigma/logsource.ts';
import { type Correlation, loadRules, type SigmaRule } from '@parapet/sigma/rules.ts';
import { accepts } from '@parapet/sigma/source.ts';
import { child, type ReadDocument, readDocuments, textOf } from '@parapet/sigma/tree.ts';
import { storable } from '../../core/db/like.ts';
import { shouldYield, yieldToEventLoop } from '../../core/yielding.ts';
import { isCorrelation } from '../../pipeline/rule-check.ts';
import { logSourceOf } from '../../pipeline/rule-rows.ts';
import { type RuleSet, revisionOf } from '../../pipeline/rule-set.ts';
import { ArchiveError, type PackFile } from './packs.files.ts';

export interface AnalysedRule {
  key: string | null;
  title: string;
  path: string;
  criticality: number | null;
  logSource: string;
  isKnownSource: boolean;
  isCorrelation: boolean;
  status: PackItemStatus;
  detail: string;
  author: string;
  licence: string;
  revision: string;
  yaml: string;
}

/** Rules of this installation: those of the pack, and others. */
export interface Here {
  set: Pick<RuleSet, 'rules' | 'correlations'>;
  /** Keys of built-in rules. */
  builtIn: ReadonlySet<string>;
  /** By key: what the pack held when it was accepted last. */
  taken: ReadonlyMap<string, { revision: string; path: string }>;
  /** By key, of all organisations; `isEdited` if a version that was made here is in use. */
  versions: ReadonlyMap<string, { isEdited: boolean; organisationId: number }>;
  owner: number;
}

const maxTextBytes = 65_536;
const maxFileBytes = 1024 * 1024;
const maxTexts = 20_000;
const maxKeyLength = 64;

/** Rules of all files, in their order. `onRead` is called after each slice with the files read so far. */
export async function analyse(
  files: readonly PackFile[],
  here: Here,
  onRead: (count: number) => Promise<void>,
): Promise<AnalysedRule[]> {
  const documents = new Map<string, ReadDocument[]>();
  const texts: { file: string; text: string }[] = [];
  const refused: AnalysedRule[] = [];
  for (const [number, { path, bytes }] of files.entries()) {
    if (texts.length > maxTexts) throw new ArchiveError(`The pack has more than ${maxTexts.toLocaleString('en-GB')} rules.`);
    if (bytes.length > maxFileBytes) {
      refused.push(refusedRule(path, '', `The file is larger than ${maxFileBytes / 1024 / 1024} MB.`));
      continue;
    }
    for (const { file, text } of textsOf(path, bytes)) {
      const fault = Buffer.byteLength(text) > maxTextBytes ? `The rule is larger than ${maxTextBytes / 1024} KB.` : undefined;
      if (fault) refused.push(refusedRule(file, '', fault));
      else {
        documents.set(text, readDocuments(text));
        texts.push({ file, text });
      }
    }
    if (!shouldYield()) continue;
    await onRead(number + 1);
    await yieldToEventLoop();
  }
  const read = [...refused, ...judged(texts, documents, here)];
  return [...read, ...removed(texts, documents, here, new Set(read.flatMap(({ key, path }) => (key === null ? path : []))))];
}

/** Documents of a file as rules of their own. Those of a collection with common attributes stay together and are refused. */
function textsOf(path: string, bytes: Uint8Array): { file: string; text: string }[] {
  const text = storable(Buffer.from(bytes).toString('utf8'));
  const parts = text.split(/^---[ \t]*$/m).filter((part) => /\S/.test(part.replace(/^\s*#.*$/gm, '')));
  if (parts.length < 2 || /^action:/m.test(text)) return [{ file: path, text }];
  return parts.map((part, number) => ({ file: `${path}#${number + 1}`, text: `${part.trim()}\n` }));
}

const refusedRule = (path: string, yaml: string, detail: string): AnalysedRule => ({
  key: null,
  title: path.split('/').at(-1) ?? path,
  path,
  criticality: null,
  logSource: '',
  isKnownSource: false,
  isCorrelation: false,
  status: 'refused',
  detail: detail.slice(0, 2000),
  author: '',
  licence: '',
  revision: '',
  yaml: Buffer.byteLength(yaml) > maxTextBytes ? '' : yaml,
});

function judged(
  texts: readonly { file: string; text: string }[],
  documents: ReadonlyMap<string, ReadDocument[]>,
  here: Here,
): AnalysedRule[] {
  const { set, taken } = here;
  const own = new Set(taken.keys());
  // Other rules only, so that a pack may replace its own.
  const beside = {
    rules: [...set.rules.values()].filter(({ id }) => !own.has(id)),
    correlations: [...set.correlations.values()].filter(({ id }) => !own.has(id)),
  };
  const loaded = loadRules(texts, { beside, documentsOf: (text) => documents.get(text) ?? readDocuments(text) });
  const byFile = new Map<string, (SigmaRule | Correlation)[]>();
  for (const rule of [...loaded.rules, ...loaded.correlations]) byFile.set(rule.file, [...(byFile.get(rule.file) ?? []), rule]);
  const faults = new Map(loaded.faults.map((fault) => [fault.file, `Line ${fault.line}: ${fault.reason}.`]));
  const detections = new Map(beside.rules.map((rule) => [detectionOf(rule), rule]));
  const isKnown = knownSources(beside.rules);
  const other = (rule: SigmaRule | Correlation): SigmaRule | undefined => {
    if (isCorrelation(rule)) return undefined;
    const detection = detectionOf(rule);
    const same = detections.get(detection);
    if (!same) detections.set(detection, rule);
    return same?.id === rule.id ? undefined : same;
  };
  return texts.map(({ file, text }): AnalysedRule => {
    const found = byFile.get(file) ?? [];
    const [rule] = found;
    if (!rule) return refusedRule(file, text, faults.get(file) ?? 'The file holds no rule.');
    const fault = faultOf(rule, found.length > 1 || (documents.get(text)?.length ?? 0) > 1);
    if (fault) return refusedRule(file, text, fault);
    const read = readOf(rule, file, text, isKnown);
    if (rule.id !== rule.writtenId)
      return { ...read, key: null, status: 'duplicate', detail: 'Another rule of the pack has the same ID.' };
    const { status, detail } = statusOf(rule, read.revision, here) ?? newStatus(rule, other(rule), here);
    return { ...read, status, detail: detail.slice(0, 2000) };
  });
}

/** Reason why a rule that loads can’t be part of a pack. */
function faultOf(rule: SigmaRule | Correlation, isOneOfSeveral: boolean): string | undefined {
  if (isOneOfSeveral) return 'The file holds several rules that depend on each other. Divide it into one file each.';
  if (rule.writtenId === `${rule.file}#${rule.title}`) return 'The rule has no ID.';
  if (rule.writtenId.length > maxKeyLength) return `The ID has more than ${maxKeyLength} characters.`;
  if (rule.status === 'deprecated' || rule.status === 'unsupported') return `Its status is ${rule.status}.`;
  return undefined;
}

const readOf = (rule: SigmaRule | Correlation, path: string, yaml: string, isKnown: (rule: SigmaRule) => boolean) => ({
  key: rule.writtenId,
  title: rule.title.slice(0, 500),
  path,
  criticality: criticalityOf[rule.level ?? 'medium'],
  logSource: isCorrelation(rule) ? '' : logSourceOf(rule).slice(0, 500),
  isKnownSource: isCorrelation(rule) || isKnown(rule),
  isCorrelation: isCorrelation(rule),
  author: (rule.author ?? '').slice(0, 500),
  licence: ((isCorrelation(rule) ? undefined : rule.license) ?? '').slice(0, 200),
  revision: revisionOf(yaml),
  yaml,
});

type Status = Pick<AnalysedRule, 'status' | 'detail'>;

/** Status of a rule whose ID is known here. */
function statusOf(
  { id }: SigmaRule | Correlation,
  revision: string,
  { builtIn, taken, versions, owner }: Here,
): Status | undefined {
  const before = taken.get(id);
  const stored = versions.get(id);
  if (before?.revision === revision) return { status: 'same', detail: '' };
  if (before)
    return stored?.isEdited
      ? { status: 'edited', detail: 'Changed here since it was accepted.' }
      : { status: 'changed', detail: '' };
  if (builtIn.has(id)) return { status: 'inUse', detail: 'A built-in rule has this ID.' };
  if (!stored) return undefined;
  return { status: 'inUse', detail: stored.organisationId === owner ? 'An own rule has this ID.' : 'Another rule has this ID.' };
}

function newStatus(rule: SigmaRule | Correlation, same: SigmaRule | undefined, { set }: Here): Status {
  if (same) return { status: 'duplicate', detail: `Same detection as “${same.title}”.` };
  return { status: 'new', detail: overlapOf(rule, set) };
}

/** Related rules that are here. */
function overlapOf(rule: SigmaRule | Correlation, { rules }: Here['set']): string {
  const related = 'related' in rule ? rule.related.flatMap(({ id }) => rules.get(id) ?? []) : [];
  return related.length === 0 ? '' : `Related to ${related.map(({ title }) => `“${title}”`).join(', ')}.`;
}

/** Rules that the pack no longer has. */
function removed(
  texts: readonly { text: string }[],
  documents: ReadonlyMap<string, ReadDocument[]>,
  { taken, set, versions }: Here,
  /** Files without a rule that can be read: whether theirs are gone is not known. */
  unread: ReadonlySet<string>,
): AnalysedRule[] {
  const ids = new Set<string>();
  for (const { text } of texts)
    for (const document of documents.get(text) ?? []) {
      const id = 'tree' in document ? textOf(child(document.tree, 'id')) : undefined;
      if (id !== undefined) ids.add(id);
    }
  return [...taken].flatMap(([key, { path, revision }]) => {
    if (ids.has(key) || unread.has(path)) return [];
    const rule = set.rules.get(key) ?? set.correlations.get(key);
    return {
      ...refusedRule(path, '', ''),
      key,
      title: (rule?.title ?? key).slice(0, 500),
      criticality: rule ? criticalityOf[rule.level ?? 'medium'] : null,
      revision,
      status: 'removed' as const,
      detail: versions.get(key)?.isEdited ? 'Changed here since it was accepted.' : '',
    };
  });
}

/** Text that two rules share if they detect the same. */
const detectionOf = ({ logsource, selections, condition }: SigmaRule): string =>
  JSON.stringify([logsource, selections, condition], (key, value: unknown) =>
    key === 'line' ? undefined : value instanceof RegExp ? String(value) : value,
  );

/** True for log sources that the portal identifies: those of Windows channels, and those of other rules. */
function knownSources(rules: readonly SigmaRule[]): (rule: SigmaRule) => boolean {
  const sources = usualSources();
  const others = [...new Map(rules.map((rule) => [logSourceOf(rule), rule.logsource])).values()];
  const known = new Map<string, boolean>();
  return (rule) => {
    const name = logSourceOf(rule);
    const found =
      known.get(name) ??
      (others.some((other) => covers(rule.logsource, other)) ||
        sources.some((source) => source.products !== undefined && accepts(source, rule.logsource)));
    known.set(name, found);
    return found;
  };
}
