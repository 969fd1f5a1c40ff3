import { history } from '@parapet/world/history.ts';
const t=performance.now(); let n=0, bytes=0; const by: Record<string,number>={}; let ships=0; const idx: Record<string, any>={};
for (const s of history({seed:'bench', now: Date.now(), months: 1})) { ships++; for (const d of s.documents){ n++; bytes+=JSON.stringify(d).length; const k=String(d._index??s.index); by[k]=(by[k]??0)+1; idx[k]??=d; } }
console.log(n,'events',ships,'shipments',bytes/n,'B avg', performance.now()-t,'ms'); console.log(by);
for (const k of Object.keys(idx)) console.log(k, JSON.stringify(idx[k]).slice(0,600));
