/** Collectors by name, and the collector of an address. */
import { type ConfigKind, configKinds } from '@parapet/contract/collectors.ts';
import { configRoutes } from '../../lib/paths.ts';

export const kindOfPath = (pathname: string): ConfigKind => {
  const route = pathname.split('/')[2]?.toLowerCase();
  return configKinds.find((kind) => configRoutes[kind] === route) ?? 'client';
};

export const kindTexts: Record<ConfigKind, { title: string; purpose: string }> = {
  client: { title: 'Collection', purpose: 'Common settings of all collectors of a client' },
  filebeat: { title: 'Filebeat', purpose: 'Log files, journals and syslog of Linux and others' },
  winlogbeat: { title: 'Winlogbeat', purpose: 'Event logs of Windows' },
  auditbeat: { title: 'Auditbeat', purpose: 'Processes, file changes and sign-ins on Linux' },
  packetbeat: { title: 'Packetbeat', purpose: 'Network traffic: DNS queries, web requests, connections' },
  rsyslog: { title: 'rsyslog', purpose: 'Log daemon of most Linux distributions' },
};
/** Display order. */
export const kindsInOrder: readonly ConfigKind[] = ['client', 'filebeat', 'winlogbeat', 'auditbeat', 'packetbeat', 'rsyslog'];
