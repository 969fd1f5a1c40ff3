/** Agents and shippers, as the Agents page lists them. */
import type { Collector, collectorKinds } from '@parapet/contract/agents.ts';
import { type RawBuilder, sql } from 'kysely';
import { collectorsWithNewest, versionParts } from '../../collectors.ts';
import { eventsOfDay, usualDay } from '../../deviceState.ts';
import { column, inScope, minutesSince, nameKey, organisationAttributes, wordsOf } from '../attributes.ts';
import { deviceAttributes } from '../deviceNames.ts';
import type { EntitySchema } from '../schema.ts';
import { addressOf, clientKey, of } from './columns.ts';

type Row = RawBuilder<unknown>;

const kindWords: Record<(typeof collectorKinds)[number], readonly string[]> = {
  agent: ['our agent', 'parapet agent', 'own agent', 'mdr agent'],
  beat: ['beat', 'elastic beat', 'shipper'],
  syslog: ['syslog', 'rsyslog', 'syslog sender'],
  other: ['other', 'other kind', 'unidentified', 'unknown kind'],
};
const stateWords: Record<Collector['state'], readonly string[]> = {
  online: ['online', 'healthy', 'connected', 'reporting', 'up', 'working', 'ok', 'alive'],
  stale: ['stale', 'late', 'delayed'],
  silent: ['silent', 'offline', 'quiet', 'down', 'dead', 'disconnected', 'not reporting', 'gone'],
  revoked: ['revoked'],
};
const upgradeWords: Record<NonNullable<Collector['upgrade']>['state'], readonly string[]> = {
  staged: ['staged'],
  offered: ['offered'],
  done: ['upgraded', 'upgrade done', 'done', 'installed'],
  failed: ['failed', 'upgrade failed', 'failed upgrade'],
  instructed: ['instructed', 'manual upgrade', 'by hand'],
};
const products = ['winlogbeat', 'filebeat', 'auditbeat', 'packetbeat', 'metricbeat', 'heartbeat', 'mdr-agent'] as const;

const ofDevice = (row: Row, value: RawBuilder<unknown>) => sql`(select ${value} from devices d where d.id = ${row}.device_id)`;
const errors = (row: Row) =>
  sql`(case when jsonb_typeof(${row}.said -> 'errors') = 'array' then ${row}.said -> 'errors' else '[]' end)`;
const dropped = (row: Row) =>
  sql`(case when jsonb_typeof(${row}.said -> 'dropped') = 'object' then ${row}.said -> 'dropped' else '{}' end)`;
/** Events of the last 24 hours as a share of those expected. */
const expectedShare = (row: Row, now: Date) =>
  sql`100 * ${ofDevice(row, eventsOfDay(now))} / nullif(${ofDevice(row, usualDay(now))}, 0)`;

export const collectorSchema: EntitySchema = {
  entity: 'collector',
  title: ['collector', 'collectors'],
  words: wordsOf(
    'collector, agent, shipper, sender, forwarder, log sender, log shipper, sensor, upgrade, log collector, log agent, agent install, agent installation, endpoint agent, collector agent, logging agent, log forwarder, installed agent',
  ),
  allow: 'devices:read',
  named: 'device',
  from: (row, { scope, now }) => sql`(${collectorsWithNewest(scope, now)}) ${row}`,
  within: inScope,
  id: (row) => sql`(${row}.device_id || '/' || coalesce(${row}.agent_id, 0))`,
  attributes: {
    device: { ...deviceAttributes('name').device },
    ...organisationAttributes(),
    deviceType: { ...deviceAttributes().deviceType, sql: of('device_type') },
    kind: {
      type: 'choice',
      choices: kindWords,
      title: 'kind',
      words: ['kind', 'type', 'collector type', 'kind of collector'],
      isShown: true,
      sql: of('kind'),
    },
    product: {
      type: 'choice',
      choices: Object.fromEntries(products.map((product) => [product, [product, `${product}s`]])),
      title: 'product',
      words: ['product', 'program', 'software', 'collector name', 'beat name'],
      sql: (row) => sql`split_part(${row}.version, ' ', 1)`,
    },
    version: { type: 'text', title: 'version', words: ['version', 'release', 'build'], isShown: true, sql: of('version') },
    isOutdated: {
      type: 'flag',
      title: 'outdated',
      words: ['outdated version'],
      yes: wordsOf('outdated, old version, out of date, behind, not up to date, needs an upgrade, obsolete, older version'),
      no: ['up to date', 'current', 'newest version', 'latest version', 'not outdated', 'uptodate'],
      sql: (row) =>
        sql`coalesce(${versionParts(column(row, 'version'))} < ${row}.newest and ${row}.version ~ '^\\S+ \\d\\S*$', false)`,
    },
    state: {
      type: 'choice',
      choices: stateWords,
      title: 'state',
      words: ['state', 'status', 'health', 'condition'],
      isShown: true,
      sql: of('state'),
    },
    lastSeenAt: {
      type: 'time',
      title: 'last seen',
      words: ['last seen', 'last check-in', 'last contact', 'last event', 'last heartbeat', 'check-in'],
      verbs: ['last seen', 'checked in', 'seen', 'heard from', 'reported'],
      superlatives: { latest: ['most recently seen'], earliest: ['longest silent', 'longest gone', 'longest offline'] },
      isShown: true,
      sql: of('last_seen_at'),
    },
    silentFor: {
      type: 'number',
      unit: 'minutes',
      title: 'time since last seen',
      words: ['silence', 'silent for', 'time since last seen', 'offline for'],
      sql: (row, context) => minutesSince(column(row, 'last_seen_at'), context),
    },
    enrolledAt: {
      type: 'time',
      title: 'enrolled',
      words: ['enrolment', 'enrollment', 'enrolment time', 'installation'],
      verbs: ['enrolled', 'installed', 'added', 'set up'],
      superlatives: { latest: ['newest', 'latest', 'most recent'], earliest: ['oldest', 'earliest'] },
      sql: of('enrolled_at'),
    },
    events24h: {
      type: 'number',
      title: 'events in the last 24 hours',
      words: ['event', 'event in 24h', 'volume', 'event count', 'event volume', 'log volume', 'sent in 24h', 'sent event'],
      superlatives: {
        most: ['noisiest', 'chattiest', 'sending most', 'sent most', 'busiest'],
        least: ['quietest', 'sending least', 'sent least', 'sent fewest'],
      },
      sql: (row, { now }) => ofDevice(row, eventsOfDay(new Date(now))),
    },
    expected24h: {
      type: 'number',
      title: 'expected events',
      words: ['expected event', 'baseline', 'expectation', 'usual event', 'normal volume'],
      sql: (row, { now }) => ofDevice(row, usualDay(new Date(now))),
    },
    expectedShare: {
      type: 'number',
      unit: 'percent',
      title: 'events as a share of the expected',
      words: wordsOf(
        'share of the expected, ratio, share of expected event, than expected, of what we expect, of the expected, of normal',
      ),
      sql: (row, { now }) => expectedShare(row, new Date(now)),
    },
    errorCount: {
      type: 'number',
      title: 'recent errors',
      words: ['error', 'recent error', 'fault', 'problem', 'issue'],
      column: 'errors',
      sql: (row) => sql`case when ${row}.said is not null then jsonb_array_length(${errors(row)}) end`,
    },
    hasErrors: {
      type: 'flag',
      title: 'with errors',
      words: ['error state'],
      yes: wordsOf('with errors, having errors, in error, erroring, failing, with problems, that report errors, faulty'),
      no: ['without errors', 'error-free', 'no errors', 'without problems'],
      sql: (row) => sql`coalesce(jsonb_array_length(${errors(row)}), 0) > 0`,
    },
    errorText: {
      type: 'text',
      title: 'error texts',
      words: ['error text', 'error message'],
      sql: (row) => sql`(select string_agg(e, '; ') from jsonb_array_elements_text(${errors(row)}) e)`,
    },
    bufferBytes: {
      type: 'number',
      title: 'buffered bytes',
      words: ['buffer', 'buffer size', 'buffered byte', 'disk buffer', 'backlog'],
      superlatives: { most: ['fullest', 'biggest buffer'], least: ['emptiest'] },
      sql: (row) => sql`(${row}.said #>> '{buffer,bytes}')::float8`,
    },
    isBufferFull: {
      type: 'flag',
      title: 'buffer full',
      words: ['full buffer'],
      yes: ['full buffer', 'buffer full', 'with a full buffer', 'buffer is full', 'full'],
      no: ['buffer not full', 'without a full buffer'],
      sql: (row) => sql`coalesce((${row}.said #>> '{buffer,isFull}')::boolean, false)`,
    },
    dropped: {
      type: 'number',
      title: 'dropped events',
      words: ['dropped event', 'drop', 'lost event', 'loss', 'dropped', 'discarded event'],
      sql: (row) =>
        sql`case when ${row}.said is not null then coalesce((select sum(value::numeric) from jsonb_each_text(${dropped(row)})), 0)::float8 end`,
    },
    isIsolated: {
      type: 'flag',
      title: 'isolated',
      words: ['isolation'],
      yes: ['isolated', 'in isolation', 'quarantined', 'cut off'],
      no: ['not isolated', 'unisolated'],
      sql: (row) => sql`coalesce(${row}.is_isolated, false)`,
    },
    upgrade: {
      type: 'choice',
      choices: upgradeWords,
      title: 'upgrade',
      words: ['upgrade', 'upgrade state', 'update', 'roll-out', 'rollout', 'upgrade status'],
      sql: (row) => sql`case when ${row}.upgrade_state = 'instructed' and ${row}.version ~ '^\\S+ \\d\\S*$'
        and ${versionParts(column(row, 'version'))} >= ${versionParts(column(row, 'upgrade_version'))} then 'done' else ${row}.upgrade_state end`,
    },
    upgradeVersion: {
      type: 'text',
      title: 'target version',
      words: ['target version', 'upgrade version'],
      sql: of('upgrade_version'),
    },
    upgradeDetail: { type: 'text', title: 'detail of the upgrade', words: ['upgrade detail'], sql: of('upgrade_detail') },
    platform: { type: 'text', title: 'platform', words: ['platform'], sql: of('platform') },
  },
  keys: {
    collector: { sql: (row) => sql`${row}.device_id || '/' || coalesce(${row}.agent_id, 0)` },
    device: { sql: (row) => nameKey(row, column(row, 'name')) },
    client: clientKey,
  },
  list: { page: 'agents', path: ({ organisationId, name }) => addressOf('/apps/agents', { client: organisationId, text: name }) },
  order: { field: 'device', isAscending: true },
};
