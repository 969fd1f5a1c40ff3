/** What the agent knows of itself: who it is at which portal, and what it collects. One file, readable by root alone. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, readJson, writeDurably } from './files.ts';

export const stateFolder = '/var/lib/mdr-agent';

export interface Settings {
  server: string;
  agentId: number;
  key: string;
  organisationName: string;
  /** Pinned at enrolment: packages must be signed with it. Empty: no package is taken. */
  releaseKey: string;
  /** Pinned at enrolment, or at the first check-in: tasks must be signed with it. Missing or empty: none is pinned yet. */
  taskKey?: string;
  /** Files that are collected although the deny list names them; whole real paths. Set on this host alone. */
  collectable?: string[];
  /** PEM of a certification authority of one’s own; empty for the public ones. */
  authority: string;
  /** auto: the journal where there is one, else the usual files. */
  journal: 'auto' | 'on' | 'off';
  /** Log files besides; with journal off and none named, the usual ones. */
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

/** The portal’s address, checked: over the network only encrypted, unless that was said to be wanted. */
export function serverAddress(text: string, allowsHttp: boolean): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error(`${text} is no address. Give the portal’s, such as https://portal.example.com.`);
  }
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (isLocal || allowsHttp)))
    throw new Error(`${url.origin} is not encrypted. Use https, or say --allow-http if the way there is protected otherwise.`);
  if (url.username || url.search || url.hash)
    throw new Error('Give the portal’s address alone, without user, query or fragment.');
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
