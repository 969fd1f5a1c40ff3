import pg from 'pg'; import { readFileSync } from 'node:fs';
import { temporaryDatabase } from '../temporary-database.ts';
import { fleet, rulesDir } from '../events.ts';
import { createDetector } from '@parapet/server/pipeline/detector.ts';
import { runPipeline } from '@parapet/server/pipeline/pipeline.ts';
const { db, ownerUrl, url, session, close } = await temporaryDatabase();
const owner = new pg.Client({ connectionString: ownerUrl }); await owner.connect();
await session(5000);
await owner.query(`set app.organisations='*'`);
await owner.query(`select make_partitions((now() - interval '31 days')::date, now()::date)`);
const detector = await createDetector({ db, rulesDir });
let now=Date.now();
const take = await fleet();
const eventsOf = async () => { now+=1000; const arrivals=take(2500, now-2000).map(({id,index,line})=>({raw:line,index,documentId:id})); return (await runPipeline(arrivals,{organisationId:5000,receivedAt:now,eventRetentionMs:30*864e5,detector,ids:new Set(),contents:new Map()})).flatMap(o=>o.kind==='ok'?[o.event]:[]); };
const c = new pg.Client({ connectionString: url }); await c.connect();
const pid=(await c.query('select pg_backend_pid() p')).rows[0].p;
const ticks=()=>{ const f=readFileSync(`/proc/${pid}/stat`,'utf8').split(') ')[1]!.split(' '); return (Number(f[11])+Number(f[12]))*10; };
const schedcpu=()=>Number(readFileSync(`/proc/${pid}/schedstat`,'utf8').split(' ')[0])/1e6;
const cpu=()=>{ try { return schedcpu(); } catch { return ticks(); } };
await c.query(`set app.organisations='5000'; set statement_timeout=0`);
const S='\u001e';
const T=(v:number[])=>'{'+v.map(x=>new Date(x).toISOString()).join(',')+'}';
const N=(x: string|undefined)=>x===undefined?'\u001f':x;
async function run(name: string, text: string, vals: (e:any[])=>unknown[], n=4) {
  const cpus:number[]=[], walls:number[]=[];
  for(let i=0;i<n;i++){ const ev=await eventsOf(); const v=vals(ev); const a=cpu(); const t=performance.now(); await c.query(text, v); walls.push(performance.now()-t); cpus.push(cpu()-a); }
  console.log(name.padEnd(40),'cpu', cpus.map(x=>x.toFixed(0)).join(' '),' wall', walls.map(x=>x.toFixed(0)).join(' '));
}
const docs=(e:any[])=>e.map(x=>JSON.stringify(x.document)).join(S);
const cols=(e:any[])=>[5000, T(e.map(x=>x.at)), '{'+e.map(x=>x.id).join(',')+'}', T(e.map(x=>x.receivedAt)), '{'+e.map(x=>x.clockSkew).join(',')+'}', e.map(x=>x.shape).join(S), e.map(x=>N(x.deviceName)).join(S), e.map(x=>N(x.userName)).join(S), e.map(x=>x.text).join(S), docs(e)];
const U=`unnest($2::timestamptz[],$3::uuid[],$4::timestamptz[],$5::integer[],string_to_array($6,'${S}','\u001f'),string_to_array($7,'${S}','\u001f'),string_to_array($8,'${S}','\u001f'),string_to_array($9,'${S}','\u001f'),string_to_array($10,'${S}')::jsonb[])`;

function arr(oid: number, n: number, body: Buffer, nulls=false){ const h=Buffer.alloc(20); h.writeInt32BE(1,0); h.writeInt32BE(nulls?1:0,4); h.writeInt32BE(oid,8); h.writeInt32BE(n,12); h.writeInt32BE(1,16); return Buffer.concat([h,body]); }
const PGE=946684800000;
function bt(v:number[]){ const b=Buffer.alloc(12*v.length); v.forEach((x,i)=>{ b.writeInt32BE(8,i*12); b.writeBigInt64BE(BigInt(x-PGE)*1000n,i*12+4);}); return arr(1184,v.length,b);}
function bi(v:number[]){ const b=Buffer.alloc(8*v.length); v.forEach((x,i)=>{ b.writeInt32BE(4,i*8); b.writeInt32BE(x,i*8+4);}); return arr(23,v.length,b);}
function bu(v:string[]){ const b=Buffer.alloc(20*v.length); v.forEach((x,i)=>{ b.writeInt32BE(16,i*20); b.write(x.replaceAll('-',''),i*20+4,'hex');}); return arr(2950,v.length,b);}
function bx(v:(string|undefined)[]){ let len=0; for(const x of v) len+=4+(x===undefined?0:x.length*3); const b=Buffer.allocUnsafe(len); let p=0; let nulls=false; for(const x of v){ if(x===undefined){nulls=true;b.writeInt32BE(-1,p);p+=4;continue;} const n=b.write(x,p+4); b.writeInt32BE(n,p); p+=4+n;} return arr(25,v.length,b.subarray(0,p),nulls);}
function bj(v:string[]){ let len=0; for(const x of v) len+=5+x.length*3; const b=Buffer.allocUnsafe(len); let p=0; for(const x of v){ const n=b.write(x,p+5); b.writeInt32BE(n+1,p); b[p+4]=1; p+=5+n;} return arr(3802,v.length,b.subarray(0,p));}
const strs=(e:any[])=>e.map(x=>JSON.stringify(x.document));
await run('now: all columns', `select count(*) from (select $1::int, * from ${U}) x`, cols);
const U2=`rows from (unnest($2::timestamptz[],$3::uuid[],$4::timestamptz[],$5::integer[]), string_to_table($6,'${S}','\u001f'),string_to_table($7,'${S}','\u001f'),string_to_table($8,'${S}','\u001f'),string_to_table($9,'${S}','\u001f'),string_to_table($10,'${S}')) as r(a,b,c,d,e,f,g,h,i)`;
await run('A rows from string_to_table', `select count(*), count(x.i) from (select $1::int, a,b,c,d,e,f,g,h,i::jsonb from ${U2}) x`, cols);
const UB=`unnest($2::timestamptz[],$3::uuid[],$4::timestamptz[],$5::integer[],$6::text[],$7::text[],$8::text[],$9::text[],$10::jsonb[])`;
const bcols=(e:any[])=>[5000, bt(e.map(x=>x.at)), bu(e.map(x=>x.id)), bt(e.map(x=>x.receivedAt)), bi(e.map(x=>x.clockSkew)), bx(e.map(x=>x.shape)), bx(e.map(x=>x.deviceName)), bx(e.map(x=>x.userName)), bx(e.map(x=>x.text)), bj(strs(e))];
await run('B binary arrays', `select count(*) from (select $1::int, * from ${UB}) x`, bcols);
const UC=`unnest($2::timestamptz[],$3::uuid[],$4::timestamptz[],$5::integer[],$6::text[],$7::text[],$8::text[],$9::text[],$10::text[]) as r(a,b,c,d,e,f,g,h,i)`;
const ccols=(e:any[])=>[...bcols(e).slice(0,9), bx(strs(e))];
await run('C binary text, cast per row', `select count(*), count(x.i) from (select $1::int, a,b,c,d,e,f,g,h,i::jsonb from ${UC}) x`, ccols);
const head=`insert into events (organisation_id, at, id, received_at, clock_skew, shape, device_name, user_name, text, document) `; const tail=' on conflict do nothing returning id';
await owner.query(`do $$ declare r text; begin for r in select c.relname from pg_inherits i join pg_class c on c.oid=i.inhrelid where i.inhparent='events'::regclass loop execute format('alter table %I set (toast_tuple_target=8160)', r); end loop; end $$`);
for (let k=0;k<2;k++) {
await run('now insert', head+`select $1::int, * from ${U}`+tail, cols);
await run('A insert', head+`select $1::int, a,b,c,d,e,f,g,h,i::jsonb from ${U2}`+tail, cols);
await run('B insert', head+`select $1::int, * from ${UB}`+tail, bcols);
await run('B2 insert targetlist unnest', head+`select $1::int, unnest($2::timestamptz[]),unnest($3::uuid[]),unnest($4::timestamptz[]),unnest($5::integer[]),unnest($6::text[]),unnest($7::text[]),unnest($8::text[]),unnest($9::text[]),unnest($10::jsonb[])`+tail, bcols);
await run('C insert', head+`select $1::int, a,b,c,d,e,f,g,h,i::jsonb from ${UC}`+tail, ccols);
await run('C2 insert targetlist unnest', head+`select $1::int, a,b,c,d,e,f,g,h,i::jsonb from (select unnest($2::timestamptz[]) a,unnest($3::uuid[]) b,unnest($4::timestamptz[]) c,unnest($5::integer[]) d,unnest($6::text[]) e,unnest($7::text[]) f,unnest($8::text[]) g,unnest($9::text[]) h,unnest($10::text[]) i offset 0) r`+tail, ccols);
}
// COPY from file, cpu of owner backend
const opid=(await owner.query('select pg_backend_pid() p')).rows[0].p; const ocpu=()=>Number(readFileSync(`/proc/${opid}/schedstat`,'utf8').split(' ')[0])/1e6;
await owner.query(`create table rival (like events) partition by range (at)`); await owner.query(`create table rival_a partition of rival default`); await owner.query(`alter table rival add primary key (organisation_id, at, id); create index on rival (organisation_id, device_name, at)`);
for (const tgt of [0,1]) { if(tgt) await owner.query('alter table rival_a set (toast_tuple_target=8160)');
const res=[]; for(let i=0;i<4;i++){ const ev=await eventsOf(); await c.query(head+`select $1::int, * from ${UB}`, bcols(ev)); await owner.query(`copy (select * from events where received_at='${new Date(now).toISOString()}') to '/tmp/pgcpu.copy'`); const a=ocpu(); await owner.query(`copy rival from '/tmp/pgcpu.copy'`); res.push((ocpu()-a).toFixed(0)); } console.log('COPY', tgt?'target':'', res.join(' ')); }
await c.end(); await owner.end(); await close();
