/** Values of a case's events that threat intelligence has, each with a citation. */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { type AlertRef, readAlertEvents } from '../../domain/alertEvents.ts';
import { valuesAt } from '../../domain/field-places.ts';
import type { CaseFacts, Citation } from './decisioning.types.ts';

const maxIndicators = 8;

export type LookUp = (
  tx: Tx,
  wanted: readonly { kind: 'ip' | 'domain' | 'hash'; value: string }[],
) => Promise<{ kind: string; value: string; reputation: string; list: string }[]>;

/** First event of a rule in a case. */
interface RuleEvent {
  caseId: number;
  alertId: number;
  document: unknown;
}

const domainFields = ['dns.question.name', 'url.domain', 'destination.domain', 'tls.client.server_name'];
const addressFields = ['source.ip', 'destination.ip'];
const hashFields = [
  'process.hash.sha256',
  'process.hash.sha1',
  'process.hash.md5',
  'file.hash.sha256',
  'file.hash.sha1',
  'file.hash.md5',
  'dll.hash.sha256',
  'dll.hash.md5',
];
/** Fields of a program with its peer. */
const spokenFields = [
  'process.command_line',
  'process.decoded_command_line',
  'winlog.event_data.ScriptBlockText',
  'powershell.file.decoded_script_block_text',
  'url.original',
];
const spoken = /\b(?:\d{1,3}\.){3}\d{1,3}\b|\b[0-9a-f]{32,64}\b|\b(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,20}\b/gi;
const maxSpoken = 20;
const fieldsOf = { ip: addressFields, hash: hashFields, domain: domainFields } as const;
type Kind = keyof typeof fieldsOf;

export async function readIndicators(
  tx: Tx,
  organisationId: number,
  ids: RawBuilder<number[]>,
  rows: readonly RuleEvent[],
  lookUp: LookUp,
): Promise<Map<number, CaseFacts['indicators'][number][]>> {
  const { rows: artifacts } = await sql<{ caseId: number; kind: Kind; value: string }>`
    select case_id as "caseId", case when kind = 'hash' then 'hash' else 'ip' end as kind, value from case_artifacts
    where organisation_id = ${organisationId} and case_id = any (${ids}) and kind in ('sourceIp', 'destinationIp', 'hash')
    group by 1, 2, 3 order by 1, 2, 3 limit 20000`.execute(tx);
  const shown: { caseId: number; kind: Kind; value: string; citation?: Citation }[] = [
    ...artifacts,
    ...rows.flatMap((row) =>
      spokenFields.flatMap((field) =>
        valuesAt(row.document, field).flatMap((text) =>
          (text.toLowerCase().match(spoken) ?? []).slice(0, maxSpoken).map((value) => ({
            caseId: row.caseId,
            kind: /^[\d.]+$/.test(value) ? ('ip' as const) : value.includes('.') ? ('domain' as const) : ('hash' as const),
            value,
            citation: { alertID: row.alertId, field, value: text },
          })),
        ),
      ),
    ),
    ...rows.flatMap((row) =>
      domainFields.flatMap((field) =>
        valuesAt(row.document, field).map((value) => ({
          caseId: row.caseId,
          kind: 'domain' as const,
          value: value.toLowerCase().replace(/\.$/, ''),
        })),
      ),
    ),
  ];
  const distinct = new Map(shown.map((each) => [`${each.kind} ${each.value}`, { kind: each.kind, value: each.value }]));
  const known = new Map<string, { reputation: string; list: string }>();
  for (const found of await lookUp(tx, [...distinct.values()])) {
    const key = `${found.kind} ${found.value}`;
    // The worst first.
    if (!known.has(key)) known.set(key, found);
  }
  const byCase = new Map<number, CaseFacts['indicators'][number][]>();
  for (const { caseId, kind, value, citation: cited } of new Map(
    shown.map((each) => [`${each.caseId} ${each.kind} ${each.value}`, each]),
  ).values()) {
    const found = known.get(`${kind} ${value}`);
    const list = byCase.get(caseId) ?? [];
    if (!found || found.reputation === 'Unknown' || list.length >= maxIndicators) continue;
    const citation =
      cited ??
      citeIn(
        rows.filter((row) => row.caseId === caseId),
        kind,
        value,
      ) ??
      (await citeAnywhere(tx, organisationId, caseId, kind, value));
    if (!citation) continue;
    list.push({
      reputation: found.reputation as CaseFacts['indicators'][number]['reputation'],
      value,
      list: found.list,
      citation,
    });
    byCase.set(caseId, list);
  }
  const order = ['Malicious', 'Suspicious', 'Benign'];
  for (const list of byCase.values())
    list.sort((a, b) => order.indexOf(a.reputation) - order.indexOf(b.reputation) || (a.value < b.value ? -1 : 1));
  return byCase;
}

function citeIn(rows: readonly Pick<RuleEvent, 'alertId' | 'document'>[], kind: Kind, value: string): Citation | undefined {
  for (const { alertId, document } of rows)
    for (const field of fieldsOf[kind]) {
      const own = valuesAt(document, field).find((each) => each.toLowerCase() === value);
      if (own !== undefined) return { alertID: alertId, field, value: own };
    }
  return undefined;
}

/** Alerts whose events are searched, of at most 20 events each. */
const maxSearched = 200;

/** Fallback for indicators that no rule's first event contains: the events of the newest alerts of the case. */
async function citeAnywhere(
  tx: Tx,
  organisationId: number,
  caseId: number,
  kind: Kind,
  value: string,
): Promise<Citation | undefined> {
  const { rows } = await sql<AlertRef>`
    select alert_id as id, alert_at as at from case_alerts where organisation_id = ${organisationId} and case_id = ${caseId}
    order by alert_at desc, alert_id limit ${sql.lit(maxSearched)}`.execute(tx);
  const events = await readAlertEvents(tx, { organisationIds: [organisationId] }, rows, { most: 20 });
  return citeIn(
    rows.flatMap(({ id }) => events.get(id) ?? []),
    kind,
    value,
  );
}
