/**
 * Rules of the database, loaded and compiled. Thousands of an imported pack stay from one state to the next, so that a change costs what it
 * changes: texts that were loaded before are not read again, and their rules stay compiled.
 */
import { providerId } from '@parapet/contract/access.ts';
import { isStandalone } from '@parapet/sigma/correlations.ts';
import { compileRules, type Matcher } from '@parapet/sigma/matcher.ts';
import { type Loaded, loadRules, type SigmaRule } from '@parapet/sigma/rules.ts';
import { type ReadDocument, readDocuments } from '@parapet/sigma/tree.ts';
import { shouldYield, yieldToEventLoop } from '../core/yielding.ts';
import type { StoredVersion } from './rule-settings.ts';

export type StoredMatcher = Pick<Matcher, 'match'>;

interface Compiled {
  matcher: Matcher;
  rules: ReadonlySet<SigmaRule>;
}

/** New rules compiled beside the others; with more of them, all are compiled again as one. */
const fewRules = 64;

export interface StoredRules {
  /** Reads texts that are new, with pauses. */
  prepare(versions: readonly StoredVersion[]): Promise<void>;
  /** Rules of versions of one owner, beside those that they may name. */
  load(versions: readonly StoredVersion[], beside: Pick<Loaded, 'rules' | 'correlations'>): Loaded;
  /** Matcher of the rules in force or in shadow; undefined without any. */
  compile(rules: readonly SigmaRule[], part: 'live' | 'shadow'): StoredMatcher | undefined;
  /** Takes up a state: texts that it lacks are forgotten, and its rules are compiled as one, with pauses, if many are new. */
  settle(versions: readonly StoredVersion[], live: readonly SigmaRule[], shadow: readonly SigmaRule[]): Promise<void>;
}

export function createStoredRules(): StoredRules {
  /** Single rules by text. */
  let known = new Map<string, SigmaRule>();
  /** Copies that are used by correlations only, or no longer: the same in each state, so that they stay compiled. */
  const copies = new WeakMap<SigmaRule, SigmaRule>();
  const documents = new Map<string, ReadDocument[]>();
  const compiled: Record<'live' | 'shadow', Compiled | undefined> = { live: undefined, shadow: undefined };

  const settlePart = async (rules: readonly SigmaRule[], part: 'live' | 'shadow'): Promise<void> => {
    const former = compiled[part]?.rules;
    const added = rules.filter((rule) => !former?.has(rule)).length;
    if (added <= fewRules && rules.length * 2 >= (former?.size ?? 0)) return;
    const matcher = compileRules([...rules]);
    for (const _ of matcher.preparing()) if (shouldYield()) await yieldToEventLoop();
    compiled[part] = { matcher, rules: new Set(rules) };
  };

  return {
    async prepare(versions) {
      for (const { key, yaml } of versions) {
        if (known.has(yaml) || documents.has(yaml)) continue;
        const read = readDocuments(yaml);
        const { rules, correlations } = loadRules([{ file: key, text: yaml }], { documentsOf: () => read });
        const [rule] = rules;
        if (rule && rules.length === 1 && correlations.length === 0 && rule.id === key) known.set(yaml, rule);
        else documents.set(yaml, read);
        if (shouldYield()) await yieldToEventLoop();
      }
    },

    load(versions, beside) {
      const fresh = versions.filter(({ yaml }) => !known.has(yaml));
      const texts = new Map(fresh.map(({ key, yaml }) => [key, yaml]));
      const reused = new Map(versions.flatMap(({ key, yaml }) => (texts.has(key) ? [] : [[key, known.get(yaml)!] as const])));
      const loaded = loadRules(
        [...texts].map(([file, text]) => ({ file, text })),
        {
          beside: { ...beside, rules: [...beside.rules, ...reused.values()] },
          documentsOf: (text) => documents.get(text) ?? readDocuments(text),
        },
      );
      const correlations = [...beside.correlations, ...loaded.correlations];
      const own = new Map(loaded.rules.map((rule) => [rule.id, rule]));
      const isOwnDetection = isStandalone(correlations);
      for (const [key, rule] of reused) {
        // Shared with other states, so never changed in place.
        const standalone = isOwnDetection(key);
        const copy = copies.get(rule) ?? { ...rule, standalone: !rule.standalone };
        if (rule.standalone !== standalone) copies.set(rule, copy);
        own.set(key, rule.standalone === standalone ? rule : copy);
      }
      for (const [key, text] of texts) {
        const rule = own.get(key);
        if (rule && loaded.rules.filter(({ file }) => file === key).length === 1) known.set(text, rule);
      }
      return { ...loaded, rules: versions.flatMap(({ key }) => own.get(key) ?? []) };
    },

    compile(rules, part) {
      if (rules.length === 0) return undefined;
      const former = compiled[part];
      const added = former ? rules.filter((rule) => !former.rules.has(rule)) : rules;
      const beside = added.length > 0 ? compileRules([...added]) : undefined;
      if (!former || added.length === rules.length) return beside;
      const wanted = new Set(rules);
      const hasLost = [...former.rules].some((rule) => !wanted.has(rule));
      return {
        match(document) {
          let matches = former.matcher.match(document);
          if (hasLost && matches.length > 0) matches = matches.filter((rule) => wanted.has(rule));
          const more = beside?.match(document) ?? [];
          return more.length === 0 ? matches : [...matches, ...more];
        },
      };
    },

    async settle(versions, live, shadow) {
      await settlePart(live, 'live');
      await settlePart(shadow, 'shadow');
      documents.clear();
      known = new Map(versions.flatMap(({ yaml }) => (known.has(yaml) ? [[yaml, known.get(yaml)!] as const] : [])));
    },
  };
}

/** Versions by owner, the provider’s first. */
export function byOwner(versions: readonly StoredVersion[]): Map<number, StoredVersion[]> {
  const owners = new Map<number, StoredVersion[]>([[providerId, []]]);
  for (const version of versions) {
    const own = owners.get(version.organisationId) ?? [];
    owners.set(version.organisationId, own);
    own.push(version);
  }
  return owners;
}
