/** Agent settings: portal, identity and sources. One file, readable by root only. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, readJson, writeDurably } from './files.ts';

export const stateFolder = '/var/lib/mdr-agent';

export interface Settings {
  server: string;
  agentId: number;
  key: string;
  organisationName: string;
  /** Pinned at enrolment; verifies packages. Empty: packages are refused. */
  releaseKey: string;
  /** Pinned at enrolment or the first check-in; verifies tasks. Missing or empty: not pinned yet. */
  taskKey?: string;
  /** Real paths exempt from the deny list. Set on this host only. */
  collectable?: string[];
  /** PEM of a private certificate authority; empty for the public ones. */
  authority: string;
  /** auto: the journal if there is one, otherwise the default files. */
  journal: 'auto' | 'on' | 'off';
  /** Additional log files; with journal off and none named, the default ones. */
  files: string[];
  bufferMiB: number;
}

const settingsFile = (state: string) => join(state, 'agent.json');

export const readSettings = (state: string): Settings | undefined => readJson<Settings>(settingsFile(state));

export async function writeSettings(state: string, settings: Settings): Promise<void> {
  makePrivateFolder(state);
  chmodSync(state, 0o700);
  await writeDurably(settingsFile(state), `${JSON.stringify(settings, null, 2)}\n`);
}

/** Validates the portal’s URL. Plain http is allowed for localhost or with --allow-http. */
export function serverAddress(text: string, allowsHttp: boolean): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error(`${text} is not a URL. Use the portal’s, such as https://portal.example.com.`);
  }
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (isLocal || allowsHttp)))
    throw new Error(`${url.origin} is not encrypted. Use https, or --allow-http if the connection is protected otherwise.`);
  if (url.username || url.search || url.hash)
    throw new Error('Give the portal’s address alone, without user, query or fragment.');
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
