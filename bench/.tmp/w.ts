import pg from 'pg';
import { temporaryDatabase } from '../temporary-database.ts';
import { fleet, rulesDir } from '../events.ts';
import { createDetector } from '@parapet/server/pipeline/detector.ts';
import { runPipeline } from '@parapet/server/pipeline/pipeline.ts';
import { createKeeper } from '@parapet/server/pipeline/keep.ts';
import { createDeviceRegister } from '@parapet/server/pipeline/devices.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { sql } from 'kysely';
const { db, ownerUrl, session, close } = await temporaryDatabase();
const owner = new pg.Client({ connectionString: ownerUrl }); await owner.connect();
await session(5000);
await owner.query(`set app.organisations='*'`);
await owner.query(`select make_partitions((now() - interval '31 days')::date, now()::date)`);
const detector = await createDetector({ db, rulesDir });
let now=Date.now();
const take = await fleet();
const eventsOf = async (kind: any) => { const arrivals=take(2500, now-2000, kind).map(({id,index,line})=>({raw:line,index,documentId:id})); const t=performance.now(); const c=process.cpuUsage(); const r=(await runPipeline(arrivals,{organisationId:5000,receivedAt:now,eventRetentionMs:30*864e5,detector,ids:new Set(),contents:new Map()})).flatMap(o=>o.kind==='ok'?[o.event]:[]); const u=process.cpuUsage(c); return {events:r, pipeMs:performance.now()-t, cpu:(u.user+u.system)/1000, raw: arrivals.reduce((s,a)=>s+a.raw.length,0)}; };
const { rows: [v] } = await owner.query(`select version(), (select string_agg(name||'='||setting, ' ') from pg_settings where name in ('default_toast_compression','wal_compression','shared_buffers','max_wal_size','synchronous_commit','full_page_writes','wal_buffers','checkpoint_timeout','jit')) s`); console.log(v);
try { await owner.query(`create table lz (a text compression lz4)`); console.log('lz4 ok'); } catch(e) { console.log('lz4', String(e)); }
const lanes=process.argv.slice(2);
if (lanes.includes('lz4')) for (const t of ['events','alert_events']) { await owner.query(`alter table ${t} alter column document set compression lz4`); const {rows}=await owner.query(`select c.relname from pg_inherits i join pg_class c on c.oid=i.inhrelid where i.inhparent='${t}'::regclass`); for(const r of rows) await owner.query(`alter table ${r.relname} alter column document set compression lz4`); }
const keeper = createKeeper({ db, clock:{now:()=>now}, detector, devices:createDeviceRegister(), foldWindowMs:3600000, log:silentLog });
for (const kind of ['mixed','known'] as const) for (let i=0;i<5;i++){ now+=60000; const {events,pipeMs,cpu,raw}=await eventsOf(kind); const docs=events.map(e=>JSON.stringify(e.document)); const t=performance.now(); const c=process.cpuUsage(); await keeper.keep({organisationId:5000,events,dead:[],counts:new Map()}); const u=process.cpuUsage(c); console.log(kind, 'pipe', pipeMs.toFixed(0), 'cpu',cpu.toFixed(0), 'keep', (performance.now()-t).toFixed(0),'node cpu',((u.user+u.system)/1000).toFixed(0), 'rawavg', (raw/2500)|0, 'docavg', (docs.reduce((s,d)=>s+d.length,0)/2500)|0, 'big>2000', docs.filter(d=>d.length>2000).length); }
console.log((await owner.query(`select relname, pg_size_pretty(pg_table_size(oid)) t, pg_size_pretty(pg_indexes_size(oid)) i from pg_class where relname like 'events_%' or relname like 'alert%' order by pg_table_size(oid) desc limit 6`)).rows);
await owner.end(); await close();
