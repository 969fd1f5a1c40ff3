/** Records of cloud services as their own interfaces return them. A new service is one line here. */
import type { Document, Shape } from '../../event.ts';
import type { Reading } from '../syslog.ts';
import { fillCloudtrail, isCloudtrail } from './cloudtrail.ts';
import { fillCrowdstrike, isCrowdstrike } from './crowdstrike.ts';
import { fillDefender, isDefender } from './defender.ts';
import { fillDefenderXdr, isDefenderXdr } from './defenderxdr.ts';
import { fillGithub, isGithub } from './github.ts';
import { fillGoogle, isGoogle } from './google.ts';
import { fillGuardduty, isGuardduty } from './guardduty.ts';
import { fillOkta, isOkta } from './okta.ts';
import { fillSentinelone, isSentinelone } from './sentinelone.ts';

interface Service {
  shape: Shape;
  /** Data source, unless a connection names the account; undefined where records name their device. */
  device?: string;
  is: (document: Document) => boolean;
  fill: (document: Document) => Reading;
}

const services: readonly Service[] = [
  { shape: 'cloudtrail', device: 'AWS CloudTrail', is: isCloudtrail, fill: fillCloudtrail },
  { shape: 'guardduty', device: 'AWS GuardDuty', is: isGuardduty, fill: fillGuardduty },
  { shape: 'okta', device: 'Okta', is: isOkta, fill: fillOkta },
  { shape: 'google', device: 'Google Workspace', is: isGoogle, fill: fillGoogle },
  { shape: 'defender', is: isDefender, fill: fillDefender },
  { shape: 'defenderxdr', is: isDefenderXdr, fill: fillDefenderXdr },
  { shape: 'crowdstrike', is: isCrowdstrike, fill: fillCrowdstrike },
  { shape: 'sentinelone', is: isSentinelone, fill: fillSentinelone },
  { shape: 'github', device: 'GitHub', is: isGithub, fill: fillGithub },
];

export const cloudShapeOf = (document: Document): Shape | undefined => services.find(({ is }) => is(document))?.shape;

export const cloudServiceOf = (shape: Shape): Service | undefined => services.find((service) => service.shape === shape);
