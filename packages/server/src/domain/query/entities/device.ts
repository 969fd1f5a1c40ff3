/** Devices, as their list shows and filters them. Merged duplicates belong to their target. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import { eventsOfDay, hasAgent, idsOf, isIsolated, stateAt, usualDay } from '../../deviceState.ts';
import { aliased, column, inScope, minutesSince, organisationAttributes, wordsOf } from '../attributes.ts';
import { deviceTypeChoices, deviceWords, namesOfDevices } from '../deviceNames.ts';
import type { AttributeSql, EntitySchema } from '../schema.ts';

/** The newest version of each collector on a device `d` or a duplicate of it. */
const versions = sql`(select distinct on (split_part(v.version, ' ', 1)) v.version from device_versions v
  where v.organisation_id = d.organisation_id and v.device_id in ${idsOf}
  order by split_part(v.version, ' ', 1), v.seen_at desc, v.id desc)`;

/** Weights of docs/sapphire.md: open cases by their score and status, alerts of the last 30 days by severity. */
const riskPoints: AttributeSql = (row, { now }) => sql`round((
  coalesce((select sum(c.score * case when c.status = 'malicious' then 4 when c.status in ('investigating', 'escalated') then 2 else 1 end)
    from cases c where c.organisation_id = ${row}.organisation_id and c.closed_at is null and c.device_names && ${namesOf(row)}), 0)
  + coalesce((select sum((array[0, 0.1, 1, 5, 20])[a.criticality])
    from alerts a where a.organisation_id = ${row}.organisation_id and a.device_name = any(${namesOf(row)})
      and a.at >= ${new Date(now - 30 * dayMs)} and a.at < ${new Date(now)}), 0))::numeric, 1)::float8`;
const namesOf = (row: RawBuilder<unknown>) =>
  sql`array(select n.name from devices n where n.organisation_id = ${row}.organisation_id and (n.id = ${row}.id or n.merged_into = ${row}.id))`;

export const deviceSchema: EntitySchema = {
  entity: 'device',
  title: ['device', 'devices'],
  words: deviceWords,
  allow: 'devices:read',
  from: (row) => sql`devices ${row}`,
  within: (row, context) => sql<boolean>`(${inScope(row, context)} and ${row}.merged_into is null)`,
  id: (row) => sql`${row}.id`,
  attributes: {
    name: {
      type: 'name',
      names: 'device',
      title: 'name',
      words: ['name', 'device name', 'hostname'],
      isShown: true,
      sql: (row) => sql`${row}.name`,
      matches: (row, context, values) => sql<boolean>`${row}.name = any(${namesOfDevices(values, context)})`,
    },
    ...organisationAttributes(),
    type: {
      type: 'choice',
      choices: deviceTypeChoices,
      column: 'deviceType',
      title: 'type',
      words: ['type', 'device type', 'kind'],
      isShown: true,
      sql: (row) => sql`${row}.device_type`,
    },
    state: {
      type: 'choice',
      choices: {
        reporting: wordsOf(
          'reporting, healthy, online, up, sending, alive, active, talking, talking to us, connected, working, sending logs, sending data, sending events, still sending, currently reporting, checking in',
        ),
        stale: ['stale', 'overdue', 'delayed'],
        silent: wordsOf(
          'silent, dont report, doesnt report, do not report, does not report, quiet, dead, gone quiet, gone silent, offline, down, stopped reporting, not reporting, stopped sending, dark, gone dark, went dark, not talking, not talking to us, not sending, not heard from, went quiet, went silent, gone offline, went offline, not sending anything, not sending logs, not sending events, no longer reporting, no longer sending, stopped talking, stopped sending logs, stopped logging, stopped talking to us, fallen silent, fell silent, unresponsive, not responding, mute, disconnected, not connected, missing in action, mia, unreachable, lost contact, lost, radio silent, sending nothing, quiet lately, dried up, non-reporting, inactive, without a sign of life, not checking in, not talking anymore, no longer talking, no sign of life, dropped off, dropped off the radar, gone off the radar, not heard from lately, not online, not up, not alive, not healthy',
        ),
        never: wordsOf(
          'never reported, never sent, never seen, never sent anything, seen only by others, never reported in, never sent a log, never sent an event, never heard from, never connected, not yet reporting, never checked in, never talked to us',
        ),
      },
      title: 'state',
      words: ['state', 'status', 'health'],
      isShown: true,
      sql: (row, { now }) => aliased(row, 'd', stateAt(new Date(now))),
    },
    version: {
      type: 'text',
      column: 'agentUpdateVersion',
      title: 'collector version',
      words: wordsOf('version, collector version, agent version, shipper version'),
      sql: (row) => sql`${row}.agent_version`,
      matches: (row, _, values) =>
        sql<boolean>`${aliased(
          row,
          'd',
          sql`(coalesce(lower(d.agent_version), '') = any(${values.map((value) => value.toLowerCase())}::text[])
          or exists (select from ${versions} v where lower(v.version) = any(${values.map((value) => value.toLowerCase())}::text[])))`,
        )}`,
    },
    collector: {
      type: 'text',
      title: 'collector',
      words: wordsOf('collector, shipper, beat, collector kind, log shipper'),
      sql: (row) => sql`split_part(${row}.agent_version, ' ', 1)`,
      matches: (row, _, values) =>
        sql<boolean>`${aliased(
          row,
          'd',
          sql`(coalesce(lower(split_part(d.agent_version, ' ', 1)), '') = any(${values.map((value) => value.toLowerCase())}::text[])
          or exists (select from ${versions} v where lower(split_part(v.version, ' ', 1)) = any(${values.map((value) => value.toLowerCase())}::text[])))`,
        )}`,
    },
    updatedTime: {
      type: 'time',
      column: 'agentUpdateDateTime',
      title: 'collector updated',
      words: ['update time', 'last update', 'version date'],
      verbs: ['updated', 'upgraded'],
      sql: (row) => sql`${row}.agent_updated_at`,
    },
    lastEventAt: {
      type: 'time',
      title: 'last event',
      words: wordsOf(
        'last event, last seen, last seen time, last report, last heard, last log, last contact, last heard from, last reported, last sign of life, last message, last data, last contact time, time of last event, latest event, last activity, last checked in, last time seen, since when, last communication, last online, last time online, last active, last alive, last signal, last talked, last talked to us, last time they talked, last time they talked to us, last time it talked, last time they reported, last time it reported, last transmission, last check-in, last checkin',
      ),
      verbs: wordsOf(
        'last seen, last heard, last reported, reported last, reported, seen, active, sent data, sent events, sent logs, sent anything, sending, reporting, online, heard from, checked in, last checked in, reported in, last active, last sent',
      ),
      superlatives: { latest: ['most recently seen', 'last heard from'], earliest: ['longest unseen', 'least recently seen'] },
      isShown: true,
      sql: (row) => sql`${row}.last_event_at`,
    },
    silence: {
      type: 'number',
      unit: 'minutes',
      column: 'silenceHours',
      title: 'silence',
      words: wordsOf('silence, silent time, time since last event, quiet time, without events, nothing sent'),
      superlatives: { most: ['longest silent', 'quietest', 'most silent'], least: ['shortest silent'] },
      sql: (row, context) => sql`greatest(0, ${minutesSince(column(row, 'last_event_at'), context)})`,
    },
    firstSeenAt: {
      type: 'time',
      title: 'first seen',
      words: ['first sight', 'first seen', 'onboarding date'],
      verbs: wordsOf(
        'first seen, added, onboarded, discovered, appeared, new, arrived, joined, came online, turned up, showed up, first reported, first appeared, newly added, newly seen, newly onboarded, registered, enrolled, first connected',
      ),
      superlatives: { latest: ['newest', 'most recently added'], earliest: ['oldest', 'first added'] },
      sql: (row) => sql`${row}.created_at`,
    },
    age: {
      type: 'number',
      unit: 'minutes',
      title: 'age',
      words: ['age'],
      sql: (row, context) => minutesSince(column(row, 'created_at'), context),
    },
    events24h: {
      type: 'number',
      title: 'events in 24 hours',
      words: wordsOf('event, events in 24 hours, event volume, log volume, volume, number of events, traffic'),
      superlatives: { most: wordsOf('noisiest, chattiest, busiest, most events'), least: ['least active', 'fewest events'] },
      sql: (row, { now }) => aliased(row, 'd', eventsOfDay(new Date(now))),
    },
    expected24h: {
      type: 'number',
      title: 'expected events in 24 hours',
      words: wordsOf('expected event, expectation, baseline, expected volume, usual volume'),
      sql: (row, { now }) => aliased(row, 'd', usualDay(new Date(now))),
    },
    eventShare: {
      type: 'number',
      unit: 'percent',
      title: 'events compared with the baseline',
      words: wordsOf('share of expected events, share of the baseline, of expected, of what we expect, of the usual, of normal'),
      sql: (row, { now }) =>
        aliased(row, 'd', sql`100.0 * ${eventsOfDay(new Date(now))} / nullif(${usualDay(new Date(now))}, 0)`),
    },
    hasAgent: {
      type: 'flag',
      title: 'with the agent',
      words: ['agent'],
      yes: wordsOf(
        'with agent, with our agent, agent installed, running the agent, has an agent, having an agent, that run the agent, run the agent, have the agent, covered by the agent, managed, with the agent installed, agent on them',
      ),
      no: wordsOf(
        'without agent, without our agent, no agent, agentless, missing the agent, lacking the agent, with no agent, not running the agent, not running our agent, that lack the agent, have no agent, having no agent, no agent installed, agent not installed, unmanaged, unagented, dont have an agent, dont have our agent, not covered by an agent, agent free, still without an agent, without the agent installed',
      ),
      sql: (row) => aliased(row, 'd', hasAgent),
    },
    isIsolated: {
      type: 'flag',
      title: 'isolated',
      words: ['isolation'],
      yes: wordsOf(
        'isolated, quarantined, in isolation, contained, cut off, currently isolated, on isolation, cut off from the network, cut off the network, off the network, walled off, locked down, network isolated, in quarantine, under quarantine, under isolation',
      ),
      no: ['not isolated', 'not quarantined'],
      sql: (row) => aliased(row, 'd', isIsolated),
    },
    tag: {
      type: 'names',
      names: 'tag',
      column: 'deviceTags',
      title: 'tag',
      words: [
        'tag',
        'label',
        'tagged',
        'tagged with',
        'labelled with',
        'labeled with',
        'carrying the tag',
        'with the tag',
        'with tag',
        'with label',
        'having the tag',
        'wearing the tag',
        'tagged as',
        'labelled as',
        'marked with',
        'with the label',
      ],
      sql: (row) => sql`array(select t.name from device_tags dt join tags t on t.id = dt.tag_id
        where dt.device_id = ${row}.id and not t.is_deleted order by lower(t.name), t.id)`,
    },
    isTagged: {
      type: 'flag',
      title: 'tagged',
      words: ['tagging'],
      yes: ['with tags', 'with a tag', 'with any tag'],
      no: wordsOf(
        'untagged, without tags, not tagged, no tags, have no tag, carrying no tag, lacking tags, without any tag, missing a tag, unlabelled, unlabeled, without labels, with no tag, no label, not labelled',
      ),
      sql: (row) =>
        sql`exists (select from device_tags dt join tags t on t.id = dt.tag_id where dt.device_id = ${row}.id and not t.is_deleted)`,
    },
    isScanned: {
      type: 'flag',
      title: 'scanned for vulnerabilities',
      words: ['scan'],
      yes: ['scanned', 'with a scan', 'vulnerability scanned'],
      no: wordsOf(
        'unscanned, never scanned, not scanned, without a scan, no scan, not yet scanned, never been scanned, not been scanned, without any scan, with no scan, lacking a scan, missing a scan, unchecked for vulnerabilities, not scanned for vulnerabilities, never scanned for vulnerabilities, have no scan',
      ),
      sql: (row) =>
        sql`exists (select from scans s where s.organisation_id = ${row}.organisation_id and s.device_id = ${row}.id)`,
    },
    lastScanAt: {
      type: 'time',
      title: 'last scan',
      words: ['last scan', 'scan date', 'scan time'],
      verbs: ['scanned', 'last scanned'],
      superlatives: { latest: ['most recently scanned'], earliest: ['longest unscanned'] },
      sql: (row) =>
        sql`(select max(s.scanned_at) from scans s where s.organisation_id = ${row}.organisation_id and s.device_id = ${row}.id)`,
    },
    riskPoints: {
      type: 'number',
      title: 'risk points',
      words: wordsOf('risk, risk point, danger, risk level'),
      superlatives: {
        most: wordsOf(
          'riskiest, biggest risk, the biggest risk, greatest risk, highest risk, worst risk, top risk, most at risk, most dangerous, most risky, most exposed',
        ),
        least: wordsOf('safest, least risky, least at risk, smallest risk, lowest risk'),
      },
      sql: riskPoints,
    },
    isProtected: {
      type: 'flag',
      title: 'protected from responses',
      words: ['protection'],
      yes: wordsOf('protected from responses, protected, protected asset, crown jewel, off limits, protected from isolation'),
      no: ['not protected from responses', 'without protection from responses'],
      sql: (row) =>
        sql`exists (select from protected_assets x where x.organisation_id = ${row}.organisation_id and x.kind = 'device' and lower(x.value) = ${row}.name_key)`,
    },
    operatingSystem: {
      type: 'text',
      title: 'operating system',
      words: wordsOf('operating system, os, platform, distribution, distro, windows version, os version, op system'),
      sql: (row) => sql`(select g.inventory -> 'system' ->> 'os' from agents g
        where g.organisation_id = ${row}.organisation_id and g.device_id = ${row}.id and g.inventory is not null order by g.revoked_at is not null, g.inventory_at desc limit 1)`,
    },
    text: {
      type: 'text',
      title: 'text',
      words: ['text', 'keyword'],
      sql: (row) =>
        sql`concat_ws(chr(10), ${row}.name, (select string_agg(i.name, chr(10)) from devices i where i.merged_into = ${row}.id))`,
    },
  },
  keys: {
    // By all of its names, which older rows of other tables carry.
    device: {
      sql: (row) =>
        sql`array(select n.organisation_id || '/' || n.name_key from devices n where n.id = ${row}.id or n.merged_into = ${row}.id)`,
      isMany: true,
    },
    tag: {
      sql: (row) => sql`array(select dt.tag_id::text from device_tags dt where dt.device_id = ${row}.id)`,
      isMany: true,
    },
    client: { sql: (row) => sql`${row}.organisation_id::text` },
  },
  list: {
    page: 'devices',
    path: ({ organisationId, name }) => `/apps/device/${organisationId}/${encodeURIComponent(name)}`,
  },
  order: { field: 'name', isAscending: true },
};
