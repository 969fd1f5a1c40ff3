/** The listener of `starting.ts`, on a thread of its own. Imports little, to listen early. The page has no brand: the host’s is in the database. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Place, StartingMessage } from './starting.ts';

const retryAfterS = '5';
const text = 'The portal is starting. Try again in a few seconds.';

const { port, host } = workerData as Place;
let stage = 'Starting the server';
const server = createServer((request, response) => {
  // Nothing may stay open past the start.
  response.setHeader('connection', 'close').setHeader('cache-control', 'no-store').setHeader('x-content-type-options', 'nosniff');
  answer(request, response, stage);
});
parentPort?.on('message', async (message: StartingMessage) => {
  if (message !== null) {
    stage = message;
    return;
  }
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  parentPort?.close();
});
server.once('error', ({ code }: NodeJS.ErrnoException) => {
  parentPort?.postMessage({ code });
  parentPort?.close();
});
server.listen(port, host, () => parentPort?.postMessage({}));

function answer({ method, url = '/' }: IncomingMessage, response: ServerResponse, stage: string): void {
  const path = url.split('?', 1)[0] ?? '/';
  const send = (status: number, type: string, body: string) => {
    if (status === 503) response.setHeader('retry-after', retryAfterS);
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(method === 'HEAD' ? undefined : body);
  };
  const sendJson = (status: number, body: object) => send(status, 'application/json', JSON.stringify(body));

  const isPage = (method === 'GET' || method === 'HEAD') && !/^\/+(api|assets|metrics)(\/|$)/i.test(path);
  if (path === '/healthz') sendJson(200, { status: 'starting', stage });
  else if (path === '/readyz') sendJson(503, { status: 'starting', missing: ['server'] });
  // Any answer would cost rsyslog its batch (docs/decisions/0006-refusals-of-the-intake-are-text.md).
  else if (/^\/+(ingest|services|v1|webhook|agent)(\/|$)/i.test(path)) response.destroy();
  else if (isPage) sendPage();
  else sendJson(503, { code: 'unavailable', error: text });

  function sendPage() {
    const nonce = randomBytes(16).toString('base64');
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    // Shown as a page, while a proxy that has another portal takes that one.
    send(503, 'text/html', page(nonce, stage));
  }
}

const escaped = (plain: string) => plain.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const page = (nonce: string, stage: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<noscript><meta http-equiv="refresh" content="2"></noscript>
<title>Starting…</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; --text: #1d2430; --soft: #566072; --line: #d5d9e0; background: #f6f7f9; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ef; --soft: #a2abba; --line: #323844; background: #101217; } }
body { display: grid; place-content: center; justify-items: center; min-height: 100vh; margin: 0; padding: 24px; box-sizing: border-box; gap: 8px; text-align: center; font: 14px/20px system-ui, sans-serif; color: var(--soft); }
h1 { margin: 12px 0 0; font-size: 20px; line-height: 28px; font-weight: 650; color: var(--text); }
p { margin: 0; }
.bar { width: min(280px, 80vw); height: 4px; margin-top: 12px; border-radius: 2px; overflow: hidden; background: var(--line); }
.bar i { display: block; width: 40%; height: 100%; border-radius: 2px; background: var(--soft); animation: run 1.2s ease-in-out infinite; }
@keyframes run { from { transform: translateX(-100%); } to { transform: translateX(250%); } }
@media (prefers-reduced-motion: reduce) { .bar i { animation: none; width: 100%; } }
</style>
</head>
<body>
<svg aria-hidden="true" width="40" height="40" viewBox="0 0 32 32"><path fill="currentColor" d="M16 3l11 4v9c0 6.5-4.5 10.8-11 13C9.5 26.8 5 22.500 5 16V7z"/></svg>
<h1>The portal is starting</h1>
<p id="stage" role="status">${escaped(stage)}…</p>
<div class="bar" aria-hidden="true"><i></i></div>
<script nonce="${nonce}">
setInterval(async () => {
  try {
    const { status, stage } = await (await fetch('/healthz', { cache: 'no-store' })).json();
    if (status !== 'starting') return location.reload();
    const line = document.getElementById('stage');
    if (line.textContent !== stage + '…') line.textContent = stage + '…';
  } catch {}
}, 500);
</script>
</body>
</html>
`;
