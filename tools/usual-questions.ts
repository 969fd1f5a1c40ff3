/**
 * `npm run usual`: reads the usual questions of Sapphire (`usual.data.ts`) by its parser, without names and at any time, and writes their queries, from
 * which those that are like a question are offered (docs/decisions/0073-usual-questions.md).
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { usualQueries } from '@parapet/server/features/sapphire/parsing/usual.samples.ts';

const file = new URL('../packages/server/src/features/sapphire/parsing/usual.queries', import.meta.url);
const read = usualQueries();
writeFileSync(file, `[\n${read.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`);
console.log(`${read.length} questions, ${fileURLToPath(file)}`);
