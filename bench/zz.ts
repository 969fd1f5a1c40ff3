import { execSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { fleet } from './events.ts';
import { prepareClient, startPortal } from './portal.ts';
const portal = await startPortal();
const { key } = await prepareClient(portal, 5001);
const take = await fleet();
for (let b = 0; b < 30; b++) {
  const lines = Array.from({ length: 500 }, () => `{"create":{"_index":"bench","_id":"${randomUUID()}"}}\n${JSON.stringify({ ...JSON.parse(take(1, Date.now() - 2000)[0]!.line), '@timestamp': new Date(Date.now() - 2000).toISOString() })}\n`);
  const r = await fetch(`${portal.url}/ingest/_bulk`, { method: 'POST', body: gzipSync(lines.join(''), { level: 1 }), headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' } });
  await r.text();
}
const pid = execSync("pgrep -f 'p/packages/server/src/main.[t]s' | head -1").toString().trim();
const show = () => { const t = execSync(`cat /proc/${pid}/smaps`, { maxBuffer: 2 ** 28 }).toString(); const groups = new Map<string, number>(); let name = ''; let size = 0; for (const l of t.split('\n')) { const m = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+\s*(.*)$/.exec(l); if (m) { name = m[1]! || 'anon'; } const z = /^Size:\s+(\d+)/.exec(l); if (z) size = Number(z[1]); const r = /^Rss:\s+(\d+)/.exec(l); if (r) { const k = name === 'anon' ? `anon ${size === 256 ? 'v8page256' : size > 32768 ? '>32M' : size > 1024 ? '1-32M' : '<1M'}` : name.split('/').pop()!; groups.set(k, (groups.get(k) ?? 0) + Number(r[1])); } const f = /^LazyFree:\s+(\d+)/.exec(l); if (f && Number(f[1])) groups.set('LAZYFREE', (groups.get('LAZYFREE') ?? 0) + Number(f[1])); } console.log([...groups].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([k, v]) => `${k}: ${(v / 1024) | 0}`).join(', '), execSync(`grep VmRSS /proc/${pid}/status`).toString().trim()); };
show(); await pause(70000); show();
await portal.stop();
