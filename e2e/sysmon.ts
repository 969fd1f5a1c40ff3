/** Process starts as Winlogbeat ships them (Sysmon event 1). */
import { expect, portal } from './fixtures.ts';

export interface Start {
  /** Milliseconds since 1970. */
  at: number;
  device: string;
  /** In place of the usual image and user: `CommandLine`, `User` … */
  fields: object;
}

let made = 0;
/** Sends them to the bulk endpoint; none is the duplicate of another. */
export async function shipStarts(key: string, starts: readonly Start[]): Promise<void> {
  const lines = starts.map(({ at, device, fields }) => {
    made++;
    const event = {
      '@timestamp': new Date(at - made).toISOString(),
      agent: { type: 'winlogbeat', version: '8.17.1' },
      host: { name: device, os: { platform: 'windows' } },
      winlog: {
        channel: 'Microsoft-Windows-Sysmon/Operational',
        provider_name: 'Microsoft-Windows-Sysmon',
        event_id: 1,
        event_data: { Image: 'C:\\Program Files\\Editor\\editor.exe', ProcessId: String(made), User: 'OFFICE\\greta', ...fields },
      },
    };
    return `{"create":{}}\n${JSON.stringify(event)}\n`;
  });
  const answer = await fetch(`${portal.url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    body: lines.join(''),
  });
  expect(await answer.json()).toMatchObject({ errors: false });
}
