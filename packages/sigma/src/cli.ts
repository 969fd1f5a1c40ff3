/**
 * Command line of the engine, independent of the portal:
 *   npm run -s sigma -- match --rules DIR --events FILE.ndjson
 *   npm run -s sigma -- check --rules DIR
 *   npm run -s sigma -- lint --rules DIR
 *   npm run -s sigma -- test --rules DIR
 * The only file of this package with input and output.
 */
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import type { Loaded, LoadFault } from './ast.ts';
import { eventTime } from './correlate.ts';
import { splitEvents } from './events.ts';
import { type LintSeverity, lint } from './lint.ts';
import { compileRules } from './matcher.ts';
import { loadRules } from './rules.ts';
import { runTests } from './ruleTests.ts';
import type { Document } from './source.ts';
import { correlationStream, type StreamFiring } from './stream.ts';

const USAGE = `usage:
  sigma match --rules DIR --events FILE   one JSON line for each hit: {"ruleId","title","level","event"}
  sigma check --rules DIR                 each rule that does not load, and why
  sigma lint --rules DIR                  file:line: severity code: text; status 1 after an error
  sigma test --rules DIR                  runs the tests that rules carry under "tests"; status 1 after a failure

  --rules DIR           a folder (searched with its sub-folders for .yml and .yaml) or one file; may be repeated
  --events FILE         one JSON object a line, one JSON array, or objects one after another; also gzipped; "-" is standard input
  --placeholder N=V     a value for %N% in rules with the modifier "expand"; may be repeated
  --strict              check: end with status 1 if a rule does not load
                        lint: also after a warning; test: also for rules without a test
`;

const commands = new Set(['match', 'check', 'lint', 'test']);

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
  if (!commands.has(command ?? '')) throw new UsageError(command ? `"${command}" is no command` : 'a command is missing');
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
  return { command: command!, rules: values.rules, events, placeholders, isStrict: values.strict === true };
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

/** Lists rule files below a path, by name. Unreadable files are reported as errors and do not stop the run. */
function* ruleFiles(path: string, faults: LoadFault[]): Generator<{ file: string; text: string }> {
  const tried = <T>(file: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      faults.push({ file, line: 1, reason: `cannot be read: ${(error as Error).message}` });
      return undefined;
    }
  };
  if (!statSync(path).isDirectory()) {
    const text = tried(path, () => readFileSync(path, 'utf8'));
    if (text !== undefined) yield { file: path, text };
    return;
  }
  const entries = tried(path, () => readdirSync(path, { withFileTypes: true })) ?? [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    if (entry.isDirectory() || (/\.ya?ml$/i.test(entry.name) && isFile(entry, inner))) yield* ruleFiles(inner, faults);
  }
}

function isFile(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function load({ rules, placeholders }: Options): Loaded {
  const unread: LoadFault[] = [];
  const files = function* () {
    for (const path of rules) yield* ruleFiles(path, unread);
  };
  const loaded = loadRules(files(), { placeholders });
  loaded.faults.push(...unread);
  return loaded;
}

/** Writes to standard output with backpressure: buffers lines and waits for a slow reader. */
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
  for (const { file, line, awaits, title } of loaded.rules)
    if (awaits.length > 0) {
      const missing = awaits.map((name) => `--placeholder ${name}=…`).join(' ');
      complain(`${file}:${line}: compiled, but matches nothing without ${missing} (${title})`);
    }
  const compiled = loaded.rules.filter(({ id }) => !id.endsWith(':base')).length + loaded.correlations.length;
  output.line(`${compiled} of ${compiled + loaded.faults.length} rules compiled`);
  if (isStrict && loaded.faults.length > 0) process.exitCode = 1;
}

function printFindings(loaded: Loaded, isStrict: boolean, output: ReturnType<typeof newOutput>): void {
  const findings = lint(loaded);
  for (const { file, line, severity, code, text, title } of findings)
    output.line(printable(`${file}:${line}: ${severity} ${code}: ${text}${title === undefined ? '' : ` (${title})`}`));
  const count = (wanted: LintSeverity) => findings.filter(({ severity }) => severity === wanted).length;
  const [errors, warnings] = [count('error'), count('warning')];
  output.line(`${errors} errors, ${warnings} warnings, ${count('hint')} hints`);
  if (errors > 0 || (isStrict && warnings > 0)) process.exitCode = 1;
}

function printTests(loaded: Loaded, isStrict: boolean, output: ReturnType<typeof newOutput>): void {
  const { failures, tests, tested, untested } = runTests(loaded);
  for (const { file, line, reason } of loaded.faults) output.line(printable(`${file}:${line}: ${reason}`));
  for (const { file, line, text, title } of failures) output.line(printable(`${file}:${line}: ${text} (${title})`));
  if (isStrict) for (const { file, line, title } of untested) output.line(printable(`${file}:${line}: no test (${title})`));
  output.line(`${tests} tests of ${tested} rules, ${failures.length} failed; ${untested.length} rules without a test`);
  if (failures.length + loaded.faults.length > 0 || (isStrict && untested.length > 0)) process.exitCode = 1;
}

async function match(loaded: Loaded, file: string, output: ReturnType<typeof newOutput>): Promise<void> {
  if (loaded.faults.length > 0) complain(`${loaded.faults.length} rules do not load; "check" says why`);
  const matcher = compileRules(loaded.rules);
  const correlations = correlationStream(loaded.correlations);
  const hit = (found: { writtenId: string; title: string; level?: string }, event: number) =>
    output.line(JSON.stringify({ ruleId: found.writtenId, title: found.title, level: found.level ?? null, event }));
  const fire = (fired: StreamFiring[]) => {
    for (const { correlation, firing } of fired) if (correlation.standalone) hit(correlation, Number(firing.hits.at(-1)!.ref));
  };
  let time = 0;
  let events = 0;
  let broken = 0;
  const input = file === '-' ? process.stdin : (await open(file)).createReadStream({ highWaterMark: 1 << 20 });
  for await (const { number, text, fault } of splitEvents(unzipped(input))) {
    if (fault !== undefined) {
      broken++;
      complain(`line ${number}: ${fault}`);
      continue;
    }
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch (error) {
      broken++;
      complain(`line ${number}: not valid JSON: ${(error as Error).message.slice(0, 200)}`);
      continue;
    }
    if (document === null || typeof document !== 'object' || Array.isArray(document)) {
      broken++;
      complain(`line ${number}: not a JSON object`);
      continue;
    }
    events++;
    const found = matcher.match(document as Document);
    for (const rule of found) if (rule.standalone) hit(rule, number);
    if (found.length > 0 && loaded.correlations.length > 0) {
      time = eventTime(document as Document) ?? time;
      fire(correlations.add(found, document as Document, time, String(number)));
    }
    await output.flush();
  }
  fire(correlations.end());
  if (events === 0 && broken > 0) throw new Error('not one event could be read');
}

/** Detects gzip by its magic bytes. */
async function* unzipped(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer | string> {
  const iterator = chunks[Symbol.asyncIterator]();
  const { value: first, done } = await iterator.next();
  if (done) return;
  const all = async function* () {
    yield first;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  if (typeof first === 'string' || first[0] !== 0x1f || first[1] !== 0x8b) yield* all();
  // Upstream errors surface on the last stream, where the reader handles them.
  else yield* pipeline(Readable.from(all()), createGunzip(), () => {});
}

/** One line, without terminal escapes from events and rules. */
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');

function complain(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

async function main(args: string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const output = newOutput();
  try {
    const options = readOptions(args);
    const loaded = load(options);
    if (options.command === 'check') check(loaded, options.isStrict, output);
    else if (options.command === 'lint') printFindings(loaded, options.isStrict, output);
    else if (options.command === 'test') printTests(loaded, options.isStrict, output);
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
