/** Enrols this host with a token and stores the key that the portal issues. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { agentPaths, enrolled } from '@parapet/contract/agentProtocol.ts';
import { createClient, KeyRevokedError } from './client.ts';
import { readSettings, type Settings, serverAddress, writeSettings } from './settings.ts';
import { agentVersion, platform } from './version.ts';

export interface EnrolOptions {
  state: string;
  server: string;
  token: string;
  allowsHttp: boolean;
  authorityFile: string | undefined;
  files: string[];
  /** Exceptions to the deny list; the previous ones when undefined. */
  collectable?: string[] | undefined;
  journal: Settings['journal'];
  bufferMiB: number;
  /** Overrides the host name, for tests with several agents on one machine. */
  name: string | undefined;
  machineIdFile: string;
}

export async function enrol(options: EnrolOptions): Promise<string> {
  const server = serverAddress(options.server, options.allowsHttp);
  const before = readSettings(options.state);
  const authority = options.authorityFile ? readFileSync(options.authorityFile, 'utf8') : '';
  const machineId = readFileSync(options.machineIdFile, 'utf8').trim();
  const client = createClient({ server, authority });
  try {
    const answer = await client.json({
      method: 'POST',
      path: agentPaths.enrol,
      body: {
        token: options.token,
        name: options.name ?? hostname(),
        machineId,
        platform,
        version: agentVersion,
        // Never send the key to another portal.
        ...(before?.server === server && { previousKey: before.key }),
      },
    });
    const { agentId, key, organisationName, releaseKey, taskKeys } = enrolled.parse(answer);
    await writeSettings(options.state, {
      server,
      agentId,
      key,
      organisationName,
      releaseKey,
      taskKey: taskKeys?.at(-1)?.publicKey ?? '',
      collectable: options.collectable ?? before?.collectable ?? [],
      authority,
      journal: options.journal,
      files: options.files,
      bufferMiB: options.bufferMiB,
    });
    return `This host is enrolled with ${organisationName} as agent ${agentId}.`;
  } catch (error) {
    if (error instanceof KeyRevokedError) throw new Error(error.message || 'The portal rejected the token.');
    throw error;
  } finally {
    client.close();
  }
}
