/** Lines of files that the agent reads are parsed like those of Filebeat. */
import { expect, test } from 'vitest';
import { normalise } from './normalise.ts';

const now = Date.parse('2026-11-23T05:09:00Z');
const line = (path: string, message: string) => ({
  '@timestamp': '2026-11-23T05:08:43.856Z',
  host: { name: 'web01' },
  agent: { type: 'mdr-agent', version: '1.0.0', id: '1' },
  event: { timezone: '+00:00' },
  log: { file: { path }, offset: 0 },
  message,
});

test('a line of an access log becomes a web request', () => {
  const { document, shape } = normalise(
    line(
      '/var/log/nginx/access.log',
      '203.0.113.66 - - [23/Nov/2026:05:08:43 +0000] "POST /login.php HTTP/1.1" 401 80 "-" "curl/7.88.1"',
    ),
    now,
  );
  expect(shape).toBe('filebeat');
  expect(document).toMatchObject({
    http: { request: { method: 'POST' }, response: { status_code: 401 } },
    source: { ip: '203.0.113.66' },
    url: { path: '/login.php' },
  });
});

test('a line of an authentication log stays syslog', () => {
  const { document } = normalise(
    line('/var/log/auth.log', 'Nov 23 05:08:43 web01 sshd[2211]: Failed password for root from 203.0.113.9 port 50022 ssh2'),
    now,
  );
  expect(document).toMatchObject({ source: { ip: '203.0.113.9' }, user: { name: 'root' } });
});
