import autocannon from 'autocannon';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pgCpuMs } from '/tmp/rs/cpu.ts';
const name = process.argv[2]!;
const child = spawn(process.execPath, [new URL('./server.ts', import.meta.url).pathname, name], { stdio: ['ignore', 'pipe', 'inherit'] });
const told = JSON.parse(await new Promise<string>((r) => child.stdout.once('data', (d) => r(String(d)))));
const cpu = () => { const s = readFileSync(`/proc/${told.pid}/stat`, 'utf8'); const f = s.slice(s.lastIndexOf(')') + 2).split(' '); return (Number(f[11]) + Number(f[12])) * 10; };
const now = new Date('2026-11-21T02:15:00Z').toISOString();
const zone = '2026-10-31T23:00:00.000Z', utc = '2026-11-01T00:00:00.000Z', utcEnd = '2026-12-01T00:00:00.000Z', year = '2025-11-21T23:00:00.000Z';
const org = () => 1001 + Math.floor(Math.random() * 200);
const auth = { authorization: `Bearer ${told.partner}` };
const lanes: [string, () => string, boolean, number][] = [
  ['bare', () => `/list/${org()}/${zone}/${now}`, true, 3000],
  ['month now', () => `/api/v1/alerts/alertList/${org()}/${zone}/${now}`, false, 3000],
  ['month utc', () => `/api/v1/alerts/alertList/${org()}/${utc}/${utcEnd}`, false, 3000],
  ['year', () => `/api/v1/alerts/alertList/${org()}/${year}/${now}`, false, 2000],
  ['month page 7', () => `/api/v1/alerts/alertList/1001/${zone}/${now}?page=7`, false, 1000],
  ['year page 900', () => `/api/v1/alerts/alertList/1001/${year}/${now}?page=900`, false, 500],
  ['month critical', () => `/api/v1/alerts/alertList/${org()}/${zone}/${now}?severity=critical`, false, 1000],
  ['month device', () => `/api/v1/alerts/alertList/1001/${zone}/${now}?device=WS-1-5`, false, 1000],
  ['month text', () => `/api/v1/alerts/alertList/1001/${zone}/${now}?text=variant+77`, false, 200],
  ['All month', () => `/api/v1/alerts/alertList/0/${zone}/${now}`, false, 100],
  ['All year', () => `/api/v1/alerts/alertList/0/${year}/${now}`, false, 40],
  ['facets month', () => `/api/v1/alertsfilters/${org()}?start=${zone}&end=${now}`, false, 300],
  ['facets All month', () => `/api/v1/alertsfilters/0?start=${zone}&end=${now}`, false, 20],
  ['dash month Berlin', () => `/api/v1/dashboard/alerts-over-time/${org()}/${zone}/${now}?timeZone=Europe/Berlin`, false, 500],
  ['dash year Berlin', () => `/api/v1/dashboard/alerts-over-time/${org()}/${year}/${now}?timeZone=Europe/Berlin`, false, 200],
  ['dash month Kolkata', () => `/api/v1/dashboard/alerts-over-time/${org()}/2026-10-31T18:30:00Z/${now}?timeZone=Asia/Kolkata`, false, 200],
  ['dash All month', () => `/api/v1/dashboard/alerts-over-time/0/${zone}/${now}?timeZone=Europe/Berlin`, false, 30],
  ['dash All year', () => `/api/v1/dashboard/alerts-over-time/0/${year}/${now}?timeZone=Europe/Berlin`, false, 16],
  ['devices', () => `/api/v1/devices/${org()}/${zone}/${now}`, false, 300],
];
const only = process.argv[3];
let base = 0, baseP = 0;
for (const [what, path, isBare, amount] of lanes) {
  if (only && !isBare && !what.includes(only)) continue;
  const requests = Array.from({ length: 64 }, () => ({ method: 'GET' as const, path: path(), headers: isBare ? {} : auth }));
  const run = (n: number) => autocannon({ url: `http://127.0.0.1:${isBare ? told.bare : told.ours}`, connections: 8, amount: n, requests, timeout: 30 });
  await run(Math.max(16, Math.min(200, Math.ceil(amount / 4))));
  const c0 = cpu(), p0 = pgCpuMs();
  const r = await run(amount);
  const node = (cpu() - c0) / amount, pgc = (pgCpuMs() - p0) / amount;
  if (isBare) { base = node + pgc; baseP = r.latency.p97_5; }
  console.log(what.padEnd(20), `cpu ${(node + pgc).toFixed(2)} (node ${node.toFixed(2)} pg ${pgc.toFixed(2)}) ${((node + pgc) / base).toFixed(2)}×   p50 ${r.latency.p50} p97.5 ${r.latency.p97_5} ${(r.latency.p97_5 / baseP).toFixed(2)}×  bad ${r.non2xx + r.errors}  bytes ${Math.round(r.throughput.total / amount)}`);
}
child.kill(); process.exit(0);
