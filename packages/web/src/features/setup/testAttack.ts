/** Events of a test attack, as Auditbeat writes them: decoded text that is run by a shell. Nothing is run anywhere. */
import { testDevicePrefix } from '@parapet/contract/setup.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

export const newTestDevice = (): string =>
  testDevicePrefix + Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => alphabet[byte % alphabet.length]).join('');

export function testAttackLines(device: string, at: Date): string {
  const command = 'echo aGFybWxlc3MgdGVzdCBhdHRhY2s= | base64 -d | bash';
  const event = {
    '@timestamp': at.toISOString(),
    agent: { name: device, type: 'auditbeat' },
    ecs: { version: '8.0.0' },
    event: { action: 'executed', category: ['process'], kind: 'event', module: 'auditd', outcome: 'success', type: ['start'] },
    host: { name: device, hostname: device, os: { family: 'debian', platform: 'debian', type: 'linux' } },
    labels: { test: 'Test attack of the setup checklist' },
    process: {
      args: ['sh', '-c', command],
      command_line: `sh -c ${command}`,
      executable: '/usr/bin/sh',
      name: 'sh',
      pid: 4242,
      title: `sh -c ${command}`,
      working_directory: '/tmp',
    },
    user: { name: 'setup-test' },
  };
  return `{"create":{}}\n${JSON.stringify(event)}\n`;
}

/** "0.8 s", "12 s". */
export const secondsText = (ms: number): string => `${ms < 9_950 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;
