/**
 * Samples the fields of stored events by kind (log source and code), so that coverage counts only rules whose fields arrive. At most one event of 16
 * is read, beyond the first eight of a batch, and only names that rules read, so that senders add nothing. Written every ten minutes, after a
 * hundred events, or when a missing field is back.
 */
import { hash } from 'node:crypto';
import { codeFieldOf, codeOf, correlatedFields, fieldsOf, isPresent, isPrintable, sourceText } from '@parapet/sigma/evidence.ts';
import { classify, newView } from '@parapet/sigma/logsource.ts';
import type { SigmaRule } from '@parapet/sigma/rules.ts';
import { accepts, type Source } from '@parapet/sigma/source.ts';
import { sql } from 'kysely';
import { systemClock } from '../core/clock.ts';
import { integerColumn, textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Database } from '../core/db/connect.ts';
import { retrying, scoped, type Tx } from '../core/db/scope.ts';
import { enoughEvents, mergeSightings, rowsOf, type Sample, sightingsOf, stateOf } from '../domain/fieldSightings.ts';
import type { Event } from './event.ts';
import type { RuleSet } from './rule-set.ts';

/** Fields that rules read in events of a source, and the field whose values distinguish its kinds. */
export interface FollowedFields {
  code: string | undefined;
  fields: readonly string[];
}
export type FieldsOfSource = (source: Source) => FollowedFields;

const oneOf = 16;
const minSampled = 8;
/** Of a kind until the next write. */
const maxSampled = 400;
const writeEveryMs = 10 * 60_000;
const refreshS = 600;
const maxFields = 400;
const maxFieldLength = 200;
const maxKinds = 500;
const maxCodes = 100;
/** In this process. */
const maxRemembered = 50_000;
const rowsPerTransaction = 100;

/** The source of an organisation with more kinds than are followed. */
export const overflow = '*';
const nothing: FollowedFields = { code: undefined, fields: [] };

/** Computed once for a set and source. */
export function fieldsOfSource({ rules, correlations }: Pick<RuleSet, 'rules' | 'correlations'>): FieldsOfSource {
  const known = new WeakMap<Source, FollowedFields>();
  const correlated = new Map<string, string[]>();
  for (const correlation of correlations.values())
    for (const base of correlation.rules)
      correlated.set(base, [...(correlated.get(base) ?? []), ...correlatedFields(correlation, base)]);
  const fieldsRead = (rule: SigmaRule) => [...fieldsOf(rule), ...(correlated.get(rule.id) ?? [])];
  return (source) => {
    let found = known.get(source);
    if (!found) {
      const reading = [...rules.values()].filter(({ logsource }) => accepts(source, logsource));
      const fields = [...new Set(reading.flatMap(fieldsRead))].filter((field) => isPrintable(field, maxFieldLength));
      found = { code: codeFieldOf(reading), fields: fields.slice(0, maxFields) };
      known.set(source, found);
    }
    return found;
  };
}

interface Kind {
  organisationId: number;
  source: string;
  code: string;
  followed: FollowedFields;
  /** Those not seen since the last write, or the last ten minutes of the events’ time. */
  unseen: string[];
  unseenFrom: number;
  seen: Map<string, number>;
  sampled: number;
  firstAt: number;
  lastAt: number;
  writtenAt: number | undefined;
  /** As of the last write. */
  missing: readonly string[];
}

interface Kinds {
  count: number;
  bySource: Map<string, Map<string, Kind>>;
}

export function createFieldRegister(fieldsOfSource: FieldsOfSource) {
  const view = newView();
  const texts = new WeakMap<Source, string>();
  const organisations = new Map<number, Kinds>();
  let remembered = 0;
  let turn = 0;

  const textOf = (source: Source): string => {
    const text = texts.get(source) ?? sourceText(source);
    texts.set(source, text);
    return text;
  };

  const kindOf = (organisationId: number, source: string, code: string, followed: FollowedFields): Kind | undefined => {
    const kinds = organisations.get(organisationId) ?? { count: 0, bySource: new Map<string, Map<string, Kind>>() };
    organisations.set(organisationId, kinds);
    const codes = kinds.bySource.get(source);
    const known = codes?.get(code);
    if (known) return known;
    if (code !== '' && (codes?.size ?? 0) >= maxCodes) return kindOf(organisationId, source, '', followed);
    if (source !== overflow && kinds.count >= maxKinds) return kindOf(organisationId, overflow, '', nothing);
    if (remembered >= maxRemembered) forgetWritten();
    if (remembered >= maxRemembered) return undefined;
    const kind: Kind = { organisationId, source, code, followed, ...fresh(followed), writtenAt: undefined, missing: [] };
    if (codes) codes.set(code, kind);
    else kinds.bySource.set(source, new Map([[code, kind]]));
    kinds.count++;
    remembered++;
    return kind;
  };

  const forgetWritten = () => {
    for (const kinds of organisations.values())
      for (const codes of kinds.bySource.values())
        for (const [code, { sampled }] of codes)
          if (sampled === 0) {
            codes.delete(code);
            kinds.count--;
            remembered--;
          }
  };

  const sample = (organisationId: number, { document, at, receivedAt, arrival }: Event): void => {
    if (arrival.isPortals) return;
    const source = classify(document, view);
    const followed = fieldsOfSource(source);
    if (followed.fields.length === 0) return;
    const code = followed.code === undefined ? undefined : codeOf(source.shape, followed.code, view);
    const kind = kindOf(organisationId, textOf(source), code ?? '', followed);
    if (!kind || kind.sampled >= maxSampled) return;
    if (kind.followed !== followed && kind.source !== overflow) follow(kind, followed);
    const second = Math.floor(Math.min(at, receivedAt) / 1000);
    kind.sampled++;
    kind.firstAt = Math.min(kind.firstAt, second);
    kind.lastAt = Math.max(kind.lastAt, second);
    if (second - kind.unseenFrom > refreshS) Object.assign(kind, { unseen: [...followed.fields], unseenFrom: second });
    kind.unseen = kind.unseen.filter((field) => {
      if (!isPresent(source.shape, field, view)) return true;
      kind.seen.set(field, Math.max(second, kind.seen.get(field) ?? 0));
      return false;
    });
  };

  return {
    note(organisationId: number, events: readonly Event[]): void {
      const step = Math.max(1, Math.floor(events.length / Math.max(minSampled, events.length / oneOf)));
      for (let at = turn++ % step; at < events.length; at += step) sample(organisationId, events[at]!);
    },

    async flush(db: Database, isLast = false): Promise<void> {
      const now = systemClock.now();
      const due: Kind[] = [];
      for (const { bySource } of organisations.values())
        for (const codes of bySource.values())
          for (const kind of codes.values()) if (kind.sampled > 0 && (isLast || isDue(kind, now))) due.push(kind);
      for (let from = 0; from < due.length; from += rowsPerTransaction) {
        const part = due.slice(from, from + rowsPerTransaction).map((kind) => ({ kind, written: sampleOf(kind) }));
        // Events that arrive during the write count for the next one; after a failure these are lost, and the next ones stand for them.
        for (const { kind } of part) Object.assign(kind, fresh(kind.followed), { writtenAt: now });
        await retrying(() => scoped(db, 'system', (tx) => write(tx, part), { statementTimeoutMs: 30_000 }));
      }
    },
  };
}

/** Rules are read again every minute; only those that read other fields begin a new sample. */
function follow(kind: Kind, followed: FollowedFields): void {
  const { code, fields } = kind.followed;
  const isSame =
    code === followed.code &&
    fields.length === followed.fields.length &&
    fields.every((each, at) => each === followed.fields[at]);
  Object.assign(kind, isSame ? { followed } : { followed, ...fresh(followed) });
}

const isDue = ({ sampled, writtenAt, missing, seen }: Kind, now: number): boolean =>
  writtenAt === undefined ||
  now - writtenAt >= writeEveryMs ||
  sampled >= enoughEvents ||
  missing.some((field) => seen.has(field));

const fresh = ({ fields }: FollowedFields) => ({
  unseen: [...fields],
  unseenFrom: Number.NEGATIVE_INFINITY,
  seen: new Map<string, number>(),
  sampled: 0,
  firstAt: Number.POSITIVE_INFINITY,
  lastAt: Number.NEGATIVE_INFINITY,
});

const sampleOf = ({ followed, seen, sampled, firstAt, lastAt }: Kind): Sample => ({
  fields: followed.fields,
  seen,
  sampled,
  firstAt,
  lastAt,
});

interface Written {
  kind: Pick<Kind, 'organisationId' | 'source' | 'code' | 'followed' | 'missing'>;
  written: Sample;
}
const keyOf = (organisationId: number, source: string, codeField: string, code: string): string =>
  JSON.stringify([organisationId, source, codeField, code]);

async function write(tx: Tx, samples: readonly Written[]): Promise<void> {
  const keys = [
    integerColumn(samples.map(({ kind }) => kind.organisationId)),
    textColumn(samples.map(({ kind }) => kind.source)),
    textColumn(samples.map(({ kind }) => kind.followed.code ?? '')),
    textColumn(samples.map(({ kind }) => kind.code)),
  ] as const;
  // Two processes see a kind at once: the row exists before it is locked.
  await sql`insert into field_sightings (organisation_id, source, code_field, code, first_at, last_at, sampled, fields, missing, unknown, state)
    select k.organisation_id, k.source, k.code_field, k.code, k.first_at, k.first_at, 0, '[]', '{}', '{}', ''
    from unnest(${sql.join([...keys, timeColumn(samples.map(({ written }) => written.firstAt * 1000))])})
      as k (organisation_id, source, code_field, code, first_at)
    join organisations o on o.id = k.organisation_id
    order by 1, 2, 3, 4 on conflict do nothing`.execute(tx);
  const { rows } =
    await sql<Stored>`select s.organisation_id as "organisationId", s.source, s.code_field as "codeField", s.code, s.fields,
      extract(epoch from s.last_at)::float8 as "lastAt" from field_sightings s
    where (s.organisation_id, s.source, s.code_field, s.code) in (select * from unnest(${sql.join(keys)}))
    order by s.organisation_id, s.source, s.code_field, s.code for update`.execute(tx);
  const stored = new Map(rows.map((row) => [keyOf(row.organisationId, row.source, row.codeField, row.code), row]));
  for (const { kind, written } of samples) {
    const { organisationId, source, code } = kind;
    const codeField = kind.followed.code ?? '';
    const row = stored.get(keyOf(organisationId, source, codeField, code));
    // An organisation that was erased since.
    if (!row) continue;
    const fields = mergeSightings(sightingsOf(row.fields), written);
    const lastAt = Math.max(row.lastAt, written.lastAt);
    const named = (state: ReturnType<typeof stateOf>) =>
      fields.filter((field) => stateOf(field, lastAt) === state).map(({ field }) => field);
    const unknown = named('unknown');
    kind.missing = named('missing');
    await sql`update field_sightings set last_at = to_timestamp(${lastAt}), sampled = least(sampled + ${written.sampled}::bigint, 1000000000),
        fields = ${rowsOf(fields)}::jsonb, missing = ${[...kind.missing]}::text[], unknown = ${unknown}::text[],
        state = ${hash('sha256', JSON.stringify([kind.missing, unknown]), 'base64url')}
      where (organisation_id, source, code_field, code) = (${organisationId}, ${source}, ${codeField}, ${code})`.execute(tx);
  }
}

interface Stored {
  organisationId: number;
  source: string;
  codeField: string;
  code: string;
  fields: Parameters<typeof sightingsOf>[0];
  lastAt: number;
}
