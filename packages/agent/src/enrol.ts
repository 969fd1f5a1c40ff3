/** Makes this host known to the portal with an enrolment token, and keeps the key that it gets for it. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { agentPaths, enrolled } from '@parapet/contract/agentProtocol.ts';
import { createClient, Revoked } from './client.ts';
import { readSettings, type Settings, serverAddress, writeSettings } from './settings.ts';
import { agentVersion, platform } from './version.ts';

export interface EnrolOptions {
  state: string;
  server: string;
  token: string;
  allowsHttp: boolean;
  authorityFile: string | undefined;
  files: string[];
  /** As the host's own configuration says; those of before where none are named. */
  collectable?: string[] | undefined;
  journal: Settings['journal'];
  bufferMiB: number;
  /** For tests of several agents on one machine. */
  name: string | undefined;
  machineIdFile: string;
}

export async function enrol(wishes: EnrolOptions): Promise<string> {
  const server = serverAddress(wishes.server, wishes.allowsHttp);
  const before = readSettings(wishes.state);
  const authority = wishes.authorityFile ? readFileSync(wishes.authorityFile, 'utf8') : '';
  const machineId = readFileSync(wishes.machineIdFile, 'utf8').trim();
  const client = createClient({ server, authority });
  try {
    const answer = await client.json({
      method: 'POST',
      path: agentPaths.enrol,
      body: {
        token: wishes.token,
        name: wishes.name ?? hostname(),
        machineId,
        platform,
        version: agentVersion,
        // Only its own portal is shown the key.
        ...(before?.server === server && { previousKey: before.key }),
      },
    });
    const { agentId, key, organisationName, releaseKey, taskKeys } = enrolled.parse(answer);
    await writeSettings(wishes.state, {
      server,
      agentId,
      key,
      organisationName,
      releaseKey,
      taskKey: taskKeys?.at(-1)?.publicKey ?? '',
      collectable: wishes.collectable ?? before?.collectable ?? [],
      authority,
      journal: wishes.journal,
      files: wishes.files,
      bufferMiB: wishes.bufferMiB,
    });
    return `This host is enrolled with ${organisationName} as agent ${agentId}.`;
  } catch (error) {
    if (error instanceof Revoked) throw new Error(error.message || 'The token was refused.');
    throw error;
  } finally {
    client.close();
  }
}
