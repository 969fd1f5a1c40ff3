/** Device type as icon and label. The colours are the theme's variables `--device-…`. */
import { styled } from '@mui/material/styles';
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { AppsRounded } from '../../../kit/icons/AppsRounded.tsx';
import { CloudOutlined } from '../../../kit/icons/CloudOutlined.tsx';
import { ComputerRounded } from '../../../kit/icons/ComputerRounded.tsx';
import { DnsRounded } from '../../../kit/icons/DnsRounded.tsx';
import { MailOutlineRounded } from '../../../kit/icons/MailOutlineRounded.tsx';
import { RouterOutlined } from '../../../kit/icons/RouterOutlined.tsx';

export const deviceTypeLabel: Record<DeviceType, string> = {
  server: 'Server',
  workstation: 'Workstation',
  networkDevice: 'Network device',
  productivity: 'Productivity',
  cloudPlatform: 'Cloud platform',
  cloudApp: 'Cloud app',
};

const icons: Record<DeviceType, typeof DnsRounded> = {
  server: DnsRounded,
  workstation: ComputerRounded,
  networkDevice: RouterOutlined,
  productivity: MailOutlineRounded,
  cloudPlatform: CloudOutlined,
  cloudApp: AppsRounded,
};

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 8,
  whiteSpace: 'nowrap',
  '& svg': { fontSize: 16 },
});

export function DeviceTypeIcon({ type }: { type: DeviceType }) {
  const Icon = icons[type];
  return <Icon aria-hidden style={{ color: `var(--device-${type})` }} />;
}

export function DeviceTypeLabel({ type }: { type: DeviceType }) {
  return (
    <Line>
      <DeviceTypeIcon type={type} />
      {deviceTypeLabel[type]}
    </Line>
  );
}
