/** Every connector, in the order of their titles. A new one is one line here. */
import { cloudtrail } from './cloudtrail.ts';
import type { Connector } from './connector.ts';
import { crowdstrike } from './crowdstrike.ts';
import { defender } from './defender.ts';
import { defenderxdr } from './defenderxdr.ts';
import { github } from './github.ts';
import { google } from './google.ts';
import { graph } from './graph.ts';
import { guardduty } from './guardduty.ts';
import { m365 } from './m365.ts';
import { okta } from './okta.ts';
import { sentinelone } from './sentinelone.ts';

export const connectors: readonly Connector[] = [
  cloudtrail,
  guardduty,
  crowdstrike,
  github,
  google,
  m365,
  defender,
  defenderxdr,
  graph,
  okta,
  sentinelone,
];

export const connectorOf = (id: string): Connector | undefined => connectors.find((connector) => connector.id === id);
