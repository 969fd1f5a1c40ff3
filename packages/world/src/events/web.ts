/** Web servers: access lines in the combined format by Filebeat's nginx and apache modules, posted before any ingest pipeline. */
import type { Emitted } from '../types.ts';
import { beatFrame, beatIndex, emit, type Scene } from './scene.ts';

export interface WebRequest {
  from: string;
  method?: string;
  /** Path and query, encoded as in the log. */
  url: string;
  status?: number;
  bytes?: number;
  referrer?: string;
  agent?: string;
  user?: string;
  server?: 'nginx' | 'apache';
}

export const browsers = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
] as const;

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const two = (value: number) => String(value).padStart(2, '0');

function accessTime(at: number): string {
  const date = new Date(at);
  const day = `${two(date.getUTCDate())}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}`;
  return `${day}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}

export function accessLine(at: number, request: WebRequest): string {
  const { from, method = 'GET', url, status = 200, bytes = 4_312, referrer = '-', agent = browsers[0], user = '-' } = request;
  return `${from} - ${user} [${accessTime(at)}] "${method} ${url} HTTP/1.1" ${status} ${bytes} "${referrer}" "${agent}"`;
}

export function webRequest(scene: Scene, request: WebRequest): Emitted {
  const server = request.server ?? 'nginx';
  return emit(scene, beatIndex('filebeat', scene.device), {
    ...beatFrame(scene, 'filebeat'),
    event: { dataset: `${server}.access`, module: server, timezone: '+00:00' },
    fileset: { name: 'access' },
    service: { type: server },
    input: { type: 'log' },
    log: {
      file: { path: server === 'nginx' ? '/var/log/nginx/access.log' : '/var/log/apache2/access.log' },
      offset: scene.random.int(1_000, 90_000_000),
    },
    message: accessLine(scene.at, request),
  });
}
