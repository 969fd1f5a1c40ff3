/**
 * The engine on the command line, without the portal:
 *   npm run -s sigma -- match --rules DIR --events FILE.ndjson
 *   npm run -s sigma -- check --rules DIR
 * The only file here that reads or writes anything.
 */
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Loaded } from './ast.ts';
import { eventTime } from './correlate.ts';
import { splitEvents } from './events.ts';
import { compileRules } from './matcher.ts';
import { loadRules } from './rules.ts';
import type { Document } from './source.ts';
import { correlationStream, type StreamFiring } from './stream.ts';

const USAGE = `usage:
  sigma match --rules DIR --events FILE   one JSON line for each hit: {"ruleId","title","level","event"}
  sigma check --rules DIR                 each rule that does not load, and why

  --rules DIR           a folder (searched with its sub-folders for .yml and .yaml) or one file; may be repeated
  --events FILE         one JSON object a line, or one JSON array; "-" is standard input
  --placeholder N=V     a value for %N% in rules with the modifier "expand"; may be repeated
  --strict              check: end with status 1 if a rule does not load
`;

class UsageError extends Error {}

interface Options {
  command: string;
  rules: string[];
  events: string | undefined;
  placeholders: Record<string, string[]>;
  isStrict: boolean;
}

function readOptions(args: string[]): Options {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { values, positionals } = parsed;
  const [command, extra] = positionals;
  if (values.help) throw new UsageError('');
  if (command !== 'match' && command !== 'check')
    throw new UsageError(command ? `"${command}" is no command` : 'a command is missing');
  if (extra !== undefined) throw new UsageError(`"${extra}" was not expected`);
  if (!values.rules?.length) throw new UsageError('--rules is missing');
  if (command === 'match' && values.events === undefined) throw new UsageError('--events is missing');
  const placeholders: Record<string, string[]> = Object.create(null);
  for (const pair of values.placeholder ?? []) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--placeholder takes NAME=VALUE, not "${pair}"`);
    const list = placeholders[pair.slice(0, at)] ?? [];
    list.push(pair.slice(at + 1));
    placeholders[pair.slice(0, at)] = list;
  }
  for (const path of values.rules) if (!existsSync(path)) throw new UsageError(`there is no ${path}`);
  const { events } = values;
  if (events !== undefined && events !== '-' && !(existsSync(events) && !statSync(events).isDirectory()))
    throw new UsageError(`there is no file ${events}`);
  return { command, rules: values.rules, events, placeholders, isStrict: values.strict === true };
}

const parse = (args: string[]) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: {
      rules: { type: 'string', multiple: true },
      events: { type: 'string' },
      placeholder: { type: 'string', multiple: true },
      strict: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });

/** Every rule file below a path, by name. */
function* ruleFiles(path: string): Generator<{ file: string; text: string }> {
  if (!statSync(path).isDirectory()) {
    yield { file: path, text: readFileSync(path, 'utf8') };
    return;
  }
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) yield* ruleFiles(inner);
    else if (/\.ya?ml$/i.test(entry.name) && isFile(entry, inner)) yield { file: inner, text: readFileSync(inner, 'utf8') };
  }
}

function isFile(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function* allFiles(paths: string[]): Generator<{ file: string; text: string }> {
  for (const path of paths) yield* ruleFiles(path);
}

/** Standard output with backpressure: lines are gathered, and the caller waits while the reader is slow. */
function newOutput(): { line(text: string): void; flush(isLast?: boolean): Promise<void> } {
  let pending = '';
  return {
    line(text) {
      pending += `${text}\n`;
    },
    async flush(isLast = false) {
      if (pending === '' || (!isLast && pending.length < 65_536)) return;
      const text = pending;
      pending = '';
      if (!process.stdout.write(text)) await new Promise<void>((resolve) => process.stdout.once('drain', resolve));
    },
  };
}

function check(loaded: Loaded, isStrict: boolean, output: ReturnType<typeof newOutput>): void {
  for (const { file, line, reason, title } of loaded.faults)
    output.line(`${file}:${line}: ${reason}${title === undefined ? '' : ` (${title})`}`);
  const compiled = loaded.rules.filter(({ id }) => !id.endsWith(':base')).length + loaded.correlations.length;
  output.line(`${compiled} of ${compiled + loaded.faults.length} rules compiled`);
  if (isStrict && loaded.faults.length > 0) process.exitCode = 1;
}

async function match(loaded: Loaded, file: string, output: ReturnType<typeof newOutput>): Promise<void> {
  if (loaded.faults.length > 0) complain(`${loaded.faults.length} rules do not load; "check" says why`);
  const matcher = compileRules(loaded.rules);
  const correlations = correlationStream(loaded.correlations);
  const hit = (found: { id: string; title: string; level?: string }, event: number) =>
    output.line(JSON.stringify({ ruleId: found.id, title: found.title, level: found.level ?? null, event }));
  const fire = (fired: StreamFiring[]) => {
    for (const { correlation, firing } of fired) if (correlation.standalone) hit(correlation, Number(firing.hits.at(-1)!.ref));
  };
  let time = 0;
  const input = file === '-' ? process.stdin : (await open(file)).createReadStream({ highWaterMark: 1 << 20 });
  for await (const { number, text, fault } of splitEvents(input)) {
    if (fault !== undefined) {
      complain(`line ${number}: ${fault}`);
      continue;
    }
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch (error) {
      complain(`line ${number}: not valid JSON: ${(error as Error).message.slice(0, 200)}`);
      continue;
    }
    if (document === null || typeof document !== 'object' || Array.isArray(document)) {
      complain(`line ${number}: not a JSON object`);
      continue;
    }
    const found = matcher.match(document as Document);
    for (const rule of found) if (rule.standalone) hit(rule, number);
    if (found.length > 0 && loaded.correlations.length > 0) {
      time = eventTime(document as Document) ?? time;
      fire(correlations.add(found, document as Document, time, String(number)));
    }
    await output.flush();
  }
  fire(correlations.end());
}

/** One line, without terminal escapes from the events. */
function complain(text: string): void {
  process.stderr.write(`${text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')}\n`);
}

async function main(args: string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const output = newOutput();
  try {
    const options = readOptions(args);
    const loaded = loadRules(allFiles(options.rules), { placeholders: options.placeholders });
    if (options.command === 'check') check(loaded, options.isStrict, output);
    else await match(loaded, options.events!, output);
    await output.flush(true);
  } catch (error) {
    await output.flush(true);
    if (error instanceof UsageError) process.stderr.write(error.message ? `${error.message}\n\n${USAGE}` : USAGE);
    else complain((error as Error).message);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

await main(process.argv.slice(2));
