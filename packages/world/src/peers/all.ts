/** Simulated systems by kind of target, and the ones of the demo. */
import { startAutotask } from './autotask.ts';
import { startConnectWise } from './connectwise.ts';
import { startElasticsearch } from './elasticsearch.ts';
import { startHalo } from './halo.ts';
import { startJira } from './jira.ts';
import { startPagerDuty } from './pagerduty.ts';
import type { Peer, StartPeer } from './peer.ts';
import { startSentinel } from './sentinel.ts';
import { startSlack } from './slack.ts';
import { startSms } from './sms.ts';
import { startSplunk } from './splunk.ts';
import { startSyslog } from './syslog.ts';
import { startTeams } from './teams.ts';
import { startWebhook } from './webhook.ts';

export const startPeer: Readonly<Record<string, StartPeer>> = {
  autotask: startAutotask,
  connectwise: startConnectWise,
  elasticsearch: startElasticsearch,
  halo: startHalo,
  jira: startJira,
  teams: startTeams,
  pagerduty: startPagerDuty,
  sentinel: startSentinel,
  slack: startSlack,
  sms: startSms,
  splunk: startSplunk,
  syslog: startSyslog,
  webhook: startWebhook,
};

/** @param port of the first; the others follow */
export async function startDemoPeers(port: number): Promise<{ peers: readonly Peer[]; close(): Promise<void> }> {
  const peers: Peer[] = [];
  for (const start of Object.values(startPeer)) peers.push(await start(port === 0 ? 0 : port + peers.length));
  return { peers, close: async () => void (await Promise.all(peers.map((peer) => peer.close()))) };
}
