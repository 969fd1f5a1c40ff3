/** Devices by name in rows of other tables, which keep the name that a device had before it was merged. */
import type { deviceTypes } from '@parapet/contract/rules/values.ts';
import { type RawBuilder, sql } from 'kysely';
import { within } from '../../core/db/within.ts';
import { column, lowered, wordsOf } from './attributes.ts';
import type { Attribute, QueryContext } from './schema.ts';

type Row = RawBuilder<unknown>;

/** All names of the devices with these names, with the names as given. */
export const namesOfDevices = (values: readonly string[], { scope }: QueryContext): RawBuilder<string[]> => sql<string[]>`(array(
  select n.name from devices d join devices n on n.organisation_id = d.organisation_id
    and (n.id = coalesce(d.merged_into, d.id) or n.merged_into = coalesce(d.merged_into, d.id))
  where d.name_key = any(${lowered(values)}) and ${within('d.organisation_id', scope)}) || ${[...values]}::text[])`;

/** Key of the device that has a name, or had it before it was merged; of a name without a device, the name within its client. */
export const deviceIdentity = (client: Row, name: Row): Row => sql`coalesce(
  (select min(coalesce(d.merged_into, d.id)::text) from devices d where d.organisation_id = (${client})::integer and d.name_key = lower(${name})),
  ${client} || '/' || lower(${name}))`;

export const deviceTypeChoices = {
  server: ['server', 'servers', 'srv', 'srvs', 'server machine'],
  workstation: wordsOf(
    'workstation, workstations, laptop, desktop, desktop pc, desktop computer, pc, pcs, client pc, notebook, staff pc, user pc, work computer, office pc, tablet, ipad, macbook, chromebook, thin client, terminal, ultrabook, staff laptop, company laptop, office machine, user machine, end user device, end-user device, client device, client machine, employee laptop, work laptop, work machine, staff machine, office computer, user endpoint',
  ),
  networkDevice: wordsOf(
    'network device, network devices, network equipment, firewall, switch, router, network gear, networking gear, appliance, network kit, network box, access point, gateway, vpn gateway, load balancer, wireless access point, network appliance',
  ),
  productivity: wordsOf('productivity suite, productivity, office 365, m365, microsoft 365, office suite'),
  cloudPlatform: ['cloud platform', 'cloud infrastructure', 'iaas'],
  cloudApp: wordsOf('cloud app, cloud application, saas, saas app'),
} as const satisfies Record<(typeof deviceTypes)[number], readonly string[]>;

export const deviceWords = wordsOf(
  'device, host, machine, box, computer, endpoint, system, data source, source, asset, hostname, node, unit, monitored device, equipment, piece of kit, kit, gear, log source device, hardware, piece of equipment, computing device, it asset, pieces of kit, bit of kit',
);

/** Device and device type of a row with one device's name. */
export const deviceAttributes = (name = 'device_name') =>
  ({
    device: {
      type: 'name',
      names: 'device',
      title: 'device',
      words: deviceWords,
      column: 'deviceName',
      isShown: true,
      sql: (row) => column(row, name),
      matches: (row, context, values) => sql<boolean>`${column(row, name)} = any(${namesOfDevices(values, context)})`,
    },
    deviceType: {
      type: 'choice',
      choices: deviceTypeChoices,
      title: 'device type',
      words: ['device type', 'type of device', 'host type'],
      sql: (row) => sql`(select coalesce(t.device_type, d.device_type) from devices d left join devices t on t.id = d.merged_into
        where d.organisation_id = ${column(row, 'organisation_id')} and d.name = ${column(row, name)})`,
    },
  }) satisfies Record<string, Attribute>;

/** True if the response ledger observes the flag for a name of the row. */
export const flagged = (row: Row, kind: 'deviceIsolated' | 'deviceBlocked' | 'userDisabled', name: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from response_flags f where f.organisation_id = ${column(row, 'organisation_id')} and f.kind = ${sql.lit(kind)}
    and f.value_key = lower(${column(row, name)}))`;
