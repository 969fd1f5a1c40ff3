/** Prints the size of the world and its alerts: `npm run figures -w @parapet/world -- [scale]`. */
import { allDevices, fleetOf } from '../src/fleet.ts';
import { history } from '../src/history.ts';
import { organisationOf, sites } from '../src/organisations.ts';
import type { Shipment } from '../src/types.ts';
import { countBy, raise, readRules } from './measure.ts';

const scale = Number(process.argv[2] ?? 1);
const now = Date.now();

const startedAt = performance.now();
const year: Shipment[] = [...history({ seed: 'parapet', now, scale })];
const generatedMs = performance.now() - startedAt;
const { alerts, events, shapes, devices } = raise(year, readRules());
const heaviest = Math.max(...year.map(({ documents }) => documents.length));

console.log(
  `scale ${scale}: ${year.length} shipments (heaviest ${heaviest}), ${events} events, ${alerts.length} alerts, made in ${Math.round(generatedMs)} ms`,
);
console.log(`${allDevices.length} devices in fleets, ${[...devices.values()].reduce((sum, { size }) => sum + size, 0)} seen`);
const table = (title: string, counts: Iterable<[string, number]>) =>
  console.log(`\n${title}\n${[...counts].map(([key, count]) => `  ${key}  ${count}`).join('\n')}`);
table('Events by shape', shapes);
table('Alerts by month', [...countBy(alerts, ({ at }) => new Date(at).toISOString().slice(0, 7))].sort());
table(
  'Alerts by severity',
  countBy(alerts, ({ level }) => level),
);
table(
  'Alerts by organisation',
  [...countBy(alerts, ({ organisationId }) => String(organisationId))].map(([id, count]) => [
    `${organisationOf(Number(id)).name} (${fleetOf(Number(id)).length} devices)`,
    count,
  ]),
);
table(
  'Alerts in the last 30 days, by weekday',
  [
    ...countBy(
      alerts.filter(({ at }) => at > now - 30 * 86_400_000),
      ({ at }) => String(new Date(at).getUTCDay()),
    ),
  ].sort(),
);
table(
  'Rules',
  countBy(alerts, ({ rule, level }) => `${rule} (${level})`),
);
console.log(`\n${sites.length} clients.`);
