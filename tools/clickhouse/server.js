/**
 * ClickHouse's HTTP interface over the engine in-process, as far as the official client uses it: a query in the body or the address, `param_*`, settings,
 * inserts of JSONEachRow, errors as text. For tests alone: no users, no TLS. `node server.js <folder> [port]` prints its address.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

const { Session } = createRequire(import.meta.url)('chdb');
const [folder, port = '0'] = process.argv.slice(2);
const session = new Session(folder, { connectionArgs: ['--output_format_json_quote_64bit_integers=0'] });
/** The session takes one statement at a time. */
let turn = Promise.resolve();
const inTurn = (run) => {
  const own = turn.then(run);
  turn = own.catch(() => {});
  return own;
};

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

/** Values arrive as text; the engine casts them to the type that the statement names. */
function parametersOf(search, statement) {
  const parameters = {};
  for (const [name, text] of search) {
    if (!name.startsWith('param_')) continue;
    const key = name.slice('param_'.length);
    const type = new RegExp(`\\{${key}:\\s*([^}]+)\\}`).exec(statement)?.[1] ?? 'String';
    parameters[key] = castTo(text, type);
  }
  return parameters;
}

const unescaped = (text) => text.replace(/\\(.)/g, (_, c) => ({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '\0' })[c] ?? c);
function castTo(text, type) {
  if (/^Array\(String\)/.test(type)) return [...text.matchAll(/'((?:[^'\\]|\\.)*)'/gs)].map(([, item]) => unescaped(item));
  if (/^Array/.test(type)) return JSON.parse(text);
  return /^U?Int|^Float/.test(type) ? Number(text) : unescaped(text);
}

async function run(request) {
  const { searchParams } = new URL(request.url, 'http://x');
  const body = await bodyOf(request);
  const inAddress = searchParams.get('query');
  const statement = inAddress ?? body.toString();
  const insert = /^\s*INSERT INTO (\S+)(?: \(([^)]+)\))? FORMAT JSONEachRow\s*$/i.exec(inAddress ?? '');
  if (insert) {
    await inTurn(() => session.insert({ table: insert[1], values: body, format: 'JSONEachRow' }));
    return '';
  }
  const format = /\sFORMAT (\w+)\s*$/i.exec(statement)?.[1] ?? searchParams.get('default_format') ?? 'TabSeparated';
  const text = statement.replace(/\sFORMAT \w+\s*$/i, '').replace(/;\s*$/, '');
  const limit = Number(searchParams.get('max_execution_time'));
  const limited = limit > 0 && /^[\s(]*select/i.test(text) ? `${text} settings max_execution_time = ${limit}` : text;
  const result = await inTurn(() => session.queryBindAsync(limited, parametersOf(searchParams, text), { format }));
  return result.text();
}

const server = createServer((request, response) => {
  if (request.url.startsWith('/ping')) return response.end('Ok.\n');
  run(request).then(
    (text) => response.end(text),
    (error) => {
      response.statusCode = 500;
      response.setHeader('x-clickhouse-exception-code', /Code: (\d+)/.exec(error.message)?.[1] ?? '1000');
      response.end(error.message);
    },
  );
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () =>
  server.close(() => {
    session.close();
    process.exit(0);
  }),
);
