/**
 * Loads and compiles the product’s detection rules once, beside those changed in the database, and follows their changes. A rule that fails to
 * compile is logged and skipped; the others still load.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { classify, newView } from '@parapet/sigma/logsource.ts';
import { compileRules, type Explanation } from '@parapet/sigma/matcher.ts';
import { type Loaded, type LoadFault, loadRules, type SigmaRule } from '@parapet/sigma/rules.ts';
import type { Source } from '@parapet/sigma/source.ts';
import type { Database } from '../core/db/connect.ts';
import type { Document } from './event.ts';
import { type FieldsOfSource, fieldsOfSource } from './field-register.ts';
import { openRuleCache } from './rule-cache.ts';
import { correlationRow, type KnownRule, logSourceOf, productAuthor, rowText, ruleRow, saveRules } from './rule-rows.ts';
import { type BuiltIn, type RuleSet, ruleSetOf } from './rule-set.ts';
import { noSettings, type RuleSettings, readRuleSettings } from './rule-settings.ts';
import { type OrganisationRules, rulesOf } from './rule-view.ts';
import { createStoredRules } from './stored-rules.ts';

export type { KnownRule } from './rule-rows.ts';

/** Rules before and after a change. */
export interface RuleTrial {
  before: RuleSet;
  after: RuleSet;
  rulesBefore(organisationId: number): OrganisationRules;
  rulesAfter(organisationId: number): OrganisationRules;
}

/** The rules in force, as of the last reload. Its own view is that of an organisation without settings. */
export interface Detector extends OrganisationRules {
  /** The rules of one organisation. They never change: take them once for a batch. */
  of(organisationId: number): OrganisationRules;
  /** Takes up changes; concurrent calls share one. */
  reload(): Promise<void>;
  /** Builds the indexes of the usual log sources, which otherwise the first event of each would build. */
  prepare(): void;
  explain(rule: SigmaRule, document: Document): Explanation;
  /** Longest window of any correlation, in milliseconds. */
  readonly longestWindowMs: number;
  readonly faults: readonly LoadFault[];
  readonly ruleCount: number;
  /** False for rules that exist only in the table `rules`. */
  isLoaded(key: string): boolean;
  /** Log sources of the rules that an event feeds; excludes those that its shape does not identify. */
  sourcesOf(document: Document): readonly string[];
  /** Fields that the rules in force read in events of a source. */
  fieldsOfSource: FieldsOfSource;
  /** The rules in force, or those of `base`, beside those of a change, for a preview; nothing is stored. */
  tryOut(change: (settings: RuleSettings) => RuleSettings, base?: (settings: RuleSettings) => RuleSettings): RuleTrial;
  /** Reads texts for a trial of many, with pauses. */
  readTexts(versions: RuleSettings['versions']): Promise<void>;
  readonly builtIn: BuiltIn;
  /** The state behind it. */
  current(): RuleSet;
}

/** Files that are open at once: few, for processes with little of them. */
const openFiles = 16;

export async function readRuleFiles(folder: string): Promise<{ file: string; text: string }[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.ya?ml$/.test(name)).sort();
  const read = async (name: string) => ({
    file: relative(process.cwd(), join(folder, name)),
    text: await readFile(join(folder, name), 'utf8'),
  });
  const files: { file: string; text: string }[] = [];
  for (let from = 0; from < names.length; from += openFiles)
    files.push(...(await Promise.all(names.slice(from, from + openFiles).map(read))));
  return files;
}

/** Loads and compiles the rules of a folder; without `cacheDir` they are parsed at every start. Needs no database. */
export async function readBuiltIn(rulesDir: string, cacheDir?: string): Promise<BuiltIn> {
  const read = await readRuleFiles(rulesDir);
  const cache = cacheDir === undefined ? undefined : await openRuleCache(cacheDir, rulesDir);
  await cache?.prepare(read.map(({ text }) => text));
  const loaded = loadRules(read, cache && { documentsOf: cache.documentsOf });
  await cache?.save();
  const texts = textsOf(loaded, new Map(read.map(({ file, text }) => [file, text])));
  return { ...loaded, matcher: compileRules(loaded.rules), texts };
}

export interface DetectorDeps {
  db: Database;
  builtIn: BuiltIn;
}

/** Joins the built-in rules with those of the database and stores their metadata in the table `rules`. */
export async function createDetector({ db, builtIn }: DetectorDeps): Promise<Detector> {
  const storedRules = createStoredRules();
  let set: RuleSet = ruleSetOf(builtIn, noSettings, storedRules);
  let current: RuleSettings = noSettings;
  let known = new Map<string, KnownRule>();
  /** Rows as they were saved. */
  let stored = new Map<string, string>();
  let views = new Map<number, OrganisationRules>();
  let standard: OrganisationRules;
  let sources: Detector['sourcesOf'];
  let fields: FieldsOfSource;

  const takeUp = async (settings: RuleSettings): Promise<void> => {
    await storedRules.prepare(settings.versions);
    const next = ruleSetOf(builtIn, settings, storedRules);
    await storedRules.settle(settings.versions, next.stored.live, next.stored.shadow);
    const rows = rowsOf(next);
    // Most changes concern few rules, and most of them no row.
    const texts = new Map(rows.map((row) => [row.key, rowText(row)]));
    const changed = rows.filter(({ key }) => texts.get(key) !== stored.get(key));
    const isSame = changed.length === 0 && texts.size === stored.size;
    const saved = isSame ? new Map<string, KnownRule>() : await saveRules(db, changed, [...texts.keys()]);
    const nextKnown = new Map([...texts.keys()].map((key) => [key, (saved.get(key) ?? known.get(key)) as KnownRule]));
    stored = texts;
    // From here on without a wait: each reader gets the former state or this one.
    [set, current, known, views] = [next, settings, nextKnown, new Map()];
    [sources, fields] = [sourcesOf([...next.rules.values()]), fieldsOfSource(next)];
    standard = rulesOf({ builtIn, set, known, organisationId: 0 });
  };
  await takeUp(await readRuleSettings(db));

  let running: Promise<void> | undefined;
  let isStale = false;
  const reload = (): Promise<void> => {
    isStale = true;
    running ??= (async () => {
      try {
        while (isStale) {
          isStale = false;
          await takeUp(await readRuleSettings(db));
        }
      } finally {
        running = undefined;
      }
    })();
    return running;
  };
  const of = (organisationId: number): OrganisationRules => {
    const view = views.get(organisationId) ?? rulesOf({ builtIn, set, known, organisationId });
    views.set(organisationId, view);
    return view;
  };

  return {
    of,
    reload,
    prepare: () => builtIn.matcher.prepare(),
    match: (document, isPortals, onHidden) => standard.match(document, isPortals, onHidden),
    matchShadow: (document) => standard.matchShadow(document),
    explain: (rule, document) => builtIn.matcher.explain(rule, document),
    known: (key) => standard.known(key),
    correlationsOf: (key) => standard.correlationsOf(key),
    ruleOf: (key) => standard.ruleOf(key),
    levelOf: (correlation) => standard.levelOf(correlation),
    get longestWindowMs() {
      return Math.max(0, ...[...set.correlations.values()].map(({ timespanMs }) => timespanMs));
    },
    get faults() {
      return set.faults;
    },
    get ruleCount() {
      return set.rules.size + set.correlations.size;
    },
    isLoaded: (key) => set.rules.has(key) || set.correlations.has(key),
    sourcesOf: (document) => sources(document),
    fieldsOfSource: (source) => fields(source),
    readTexts: (versions) => storedRules.prepare(versions),
    tryOut(change, base) {
      const knownNow = known;
      const before = base ? ruleSetOf(builtIn, base(current), storedRules) : set;
      const after = ruleSetOf(builtIn, change(current), storedRules);
      const [knownBefore, knownAfter] = [base ? knownIn(before, knownNow) : knownNow, knownIn(after, knownNow)];
      return {
        before,
        after,
        rulesBefore: (organisationId) => rulesOf({ builtIn, set: before, known: knownBefore, organisationId }),
        rulesAfter: (organisationId) => rulesOf({ builtIn, set: after, known: knownAfter, organisationId }),
      };
    },
    builtIn,
    current: () => set,
  };
}

/** Text of each rule: its document, of a file with several. */
function textsOf({ rules, correlations }: Loaded, files: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    [...rules, ...correlations].map(({ id, file, line }) => {
      const lines = (files.get(file) ?? '').split('\n');
      const isEnd = (at: number) => lines[at]!.startsWith('---');
      let from = line - 1;
      while (from > 0 && !isEnd(from - 1)) from--;
      let to = line;
      while (to < lines.length && !isEnd(to)) to++;
      const own = lines.slice(from, to).filter((text) => text !== `author: ${productAuthor}`);
      return [id, `${own.join('\n').trimEnd()}\n`];
    }),
  );
}

/** Rows of a state that is tried out; a new rule has none yet. */
const knownIn = (set: RuleSet, known: ReadonlyMap<string, KnownRule>): Map<string, KnownRule> =>
  new Map(rowsOf(set).map(({ facts: _, organisationId: __, ...row }) => [row.key, { id: known.get(row.key)?.id ?? 0, ...row }]));

const rowsOf = (set: RuleSet) => {
  const titleOf = (key: string): string => (set.rules.get(key) ?? set.correlations.get(key))?.title ?? key;
  return [
    ...[...set.rules.values()].map((rule) => ruleRow(rule, set.originOf(rule.id))),
    ...[...set.correlations.values()].map((correlation) =>
      correlationRow(correlation, set.originOf(correlation.id), set.rulesBeneath(correlation.id), correlation.rules.map(titleOf)),
    ),
  ];
};

/** Computed once per kind of event. */
function sourcesOf(rules: readonly SigmaRule[]): Detector['sourcesOf'] {
  const logSources = new Map(rules.map((rule) => [logSourceOf(rule), rule.logsource]));
  const known = new WeakMap<Source, string[]>();
  const view = newView();
  const includes = (wanted: string | undefined, named: readonly string[] | undefined) =>
    wanted === undefined || named?.includes(wanted) === true;
  return (document) => {
    const source = classify(document, view);
    let names = known.get(source);
    if (!names) {
      names = [...logSources].flatMap(([name, { product, service, category }]) =>
        includes(product, source.products) && includes(service, source.services) && includes(category, source.categories)
          ? [name]
          : [],
      );
      known.set(source, names);
    }
    return names;
  };
}
