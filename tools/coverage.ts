/** `npm run coverage`: plays all recordings through the rules, and writes the proofs that the portal shows and the table of docs/coverage.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { coverageDocument, coverageTable, provedTechniques } from '../detections/testing/coverage.ts';

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);

const proofs = provedTechniques();
writeFileSync(at('detections/facts/proofs.json'), `${JSON.stringify(proofs, null, 1)}\n`);
const document = at('docs/coverage.md');
writeFileSync(document, coverageDocument(readFileSync(document, 'utf8'), coverageTable(proofs)));
console.log(`${Object.keys(proofs).length} techniques are proved by a recording.`);
