/** Props of each tab of a device. */
import type { DeviceDetail } from '@parapet/contract/devices.ts';

export interface TabProps {
  device: DeviceDetail;
  timeZone: string;
}
