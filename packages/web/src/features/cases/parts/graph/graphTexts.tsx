/** Words and icons of entities, and their links to other pages. */
import type { CaseGraph, GraphEdge, GraphNode, GraphNodeKind } from '@parapet/contract/caseGraph.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { ComputerRounded } from '../../../../kit/icons/ComputerRounded.tsx';
import { DescriptionOutlined } from '../../../../kit/icons/DescriptionOutlined.tsx';
import { DnsOutlined } from '../../../../kit/icons/DnsOutlined.tsx';
import { MemoryRounded } from '../../../../kit/icons/MemoryRounded.tsx';
import { PersonOutlineRounded } from '../../../../kit/icons/PersonOutlineRounded.tsx';
import { RouterOutlined } from '../../../../kit/icons/RouterOutlined.tsx';
import { SettingsOutlined } from '../../../../kit/icons/SettingsOutlined.tsx';
import { visibleText } from '../../../../kit/visible.ts';
import { paths } from '../../../../lib/paths.ts';

export const kindLabel: Record<GraphNodeKind, string> = {
  device: 'Device',
  user: 'User',
  process: 'Process',
  address: 'Address',
  domain: 'Domain',
  file: 'File',
  registry: 'Registry key',
};

export const kindIcon: Record<GraphNodeKind, typeof ComputerRounded> = {
  device: ComputerRounded,
  user: PersonOutlineRounded,
  process: MemoryRounded,
  address: RouterOutlined,
  domain: DnsOutlined,
  file: DescriptionOutlined,
  registry: SettingsOutlined,
};

/** Plain text for accessible names; hidden characters are marks. */
export const nameOf = ({ label }: Pick<GraphNode, 'label'>): string => visibleText(label.slice(0, 120));
export const sentenceOf = ({ nodes }: CaseGraph, { from, to, action }: GraphEdge): string =>
  `${nameOf(nodes[from]!)} ${action} ${nameOf(nodes[to]!)}`;

const marginMs = hourMs;
const maxText = 200;

/** Pages about an entity, around the time of its events. */
export function linksOf({ kind, value, label, grouped, firstTime, lastTime }: GraphNode, client: number) {
  if (grouped > 0) return [];
  const of =
    kind === 'device'
      ? { device: value }
      : kind === 'user'
        ? { user: value }
        : { text: (kind === 'process' ? label : value).slice(0, maxText) };
  const time = {
    from: new Date(Date.parse(firstTime) - marginMs).toISOString(),
    until: new Date(Date.parse(lastTime) + marginMs).toISOString(),
  };
  return [
    ...(kind === 'device' ? [{ title: 'Device', href: paths.device(client, value) }] : []),
    { title: 'Events', href: paths.events({ client, ...of, ...time }) },
    { title: 'Alerts', href: paths.alerts(client, { ...of, timeframe: 'lastOneYear' }) },
  ];
}
