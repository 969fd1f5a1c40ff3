/**
 * Starts one portal for all journeys and passes its address, folder and persona tokens in the environment. The world is smaller than the
 * demo’s, to start sooner. Personas sign in once, here: sign-ins per address are rate-limited. With E2E_URL and E2E_DATA_DIR the
 * journeys use a running portal, whose emails must arrive in E2E_MAIL_DIR (mails.ts) and which permits the port E2E_SYSLOG_PORT for syslog.
 */
import { personaPassword } from '@parapet/world/personas.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { send, signIn } from './api.ts';
import { startMailServer } from './mails.ts';
import { startPortal } from './portal.ts';

export const journeyPersonas = [
  'host',
  'superAnalyst',
  'partnerAnalyst',
  'partnerManager',
  'clientAdmin',
  'manager',
  'analyst',
] as const;

export default async function setup(): Promise<() => Promise<void>> {
  const { E2E_URL: url, E2E_DATA_DIR: dataDir } = process.env;
  const { portal, stop } = url && dataDir ? { portal: { url, dataDir }, stop: async () => {} } : await startAll();
  process.env.E2E_URL = portal.url;
  process.env.E2E_DATA_DIR = portal.dataDir;
  const tokens: Record<string, string> = {};
  for (const persona of journeyPersonas) tokens[persona] = await signIn(portal.url, persona);
  process.env.E2E_TOKENS = JSON.stringify(tokens);
  const timer = setInterval(() => keepRecent(portal.url, tokens).catch(console.error), renewMs);
  return async () => {
    clearInterval(timer);
    await stop();
  };
}

/** Proof of identity is recent for 10 minutes. */
const renewMs = 4 * 60_000;
/** Renews the step-up of the shared sessions, so that late journeys can make changes that require a recent sign-in. */
async function keepRecent(url: string, tokens: Record<string, string>): Promise<void> {
  for (const [persona, token] of Object.entries(tokens)) {
    const answer = await send(url, token, '/auth/step-up', { password: personaPassword });
    if (!answer.ok) throw new Error(`${persona} could not confirm who they are: ${answer.status} ${await answer.text()}`);
  }
}

async function startAll() {
  const mailServer = await startMailServer();
  process.env.E2E_MAIL_DIR = mailServer.folder;
  const syslogPort = String(await freePort());
  process.env.E2E_SYSLOG_PORT = syslogPort;
  const syslog = { SYSLOG_PORTS: syslogPort, SYSLOG_HOST: '127.0.0.1' };
  const portal = await startPortal({ env: { PORTAL_DEMO_SCALE: '0.3', SMTP_URL: mailServer.url, ...syslog } });
  const stop = async () => {
    await portal.stop();
    await mailServer.close();
  };
  return { portal, stop };
}
