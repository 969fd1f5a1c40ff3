/** Device type as icon and label. The colours are the theme's variables `--device-…`. */
import AppsRounded from '@mui/icons-material/AppsRounded';
import CloudOutlined from '@mui/icons-material/CloudOutlined';
import ComputerRounded from '@mui/icons-material/ComputerRounded';
import DnsRounded from '@mui/icons-material/DnsRounded';
import MailOutlineRounded from '@mui/icons-material/MailOutlineRounded';
import RouterOutlined from '@mui/icons-material/RouterOutlined';
import { styled } from '@mui/material/styles';
import type { DeviceType } from '@parapet/contract/primitives.ts';

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
