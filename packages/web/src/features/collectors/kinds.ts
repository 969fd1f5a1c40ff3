/** The collectors by name, and which one an address is about. */
import { type ConfigKind, configKinds } from '@parapet/contract/collectors.ts';
import { configRoutes } from '../../lib/paths.ts';

export const kindOfPath = (pathname: string): ConfigKind => {
  const route = pathname.split('/')[2]?.toLowerCase();
  return configKinds.find((kind) => configRoutes[kind] === route) ?? 'client';
};

export const kindTexts: Record<ConfigKind, { title: string; purpose: string }> = {
  client: { title: 'Collection', purpose: 'What all collectors of a client have in common' },
  filebeat: { title: 'Filebeat', purpose: 'Log files, journals and syslog of Linux and others' },
  winlogbeat: { title: 'Winlogbeat', purpose: 'Event logs of Windows' },
  auditbeat: { title: 'Auditbeat', purpose: 'What is started, changed and signed in to on Linux' },
  packetbeat: { title: 'Packetbeat', purpose: 'Traffic of a network: names asked for, pages, connections' },
  rsyslog: { title: 'rsyslog', purpose: 'The log daemon that most of Linux has already' },
};
/** As they are shown. */
export const kindsInOrder: readonly ConfigKind[] = ['client', 'filebeat', 'winlogbeat', 'auditbeat', 'packetbeat', 'rsyslog'];
