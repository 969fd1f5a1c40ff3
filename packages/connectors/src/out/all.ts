/** Every kind of target, in the order of their titles. A new one is one line here. */
import { autotask } from './autotask.ts';
import { browser } from './browser.ts';
import { connectwise } from './connectwise.ts';
import { elasticsearch } from './elasticsearch.ts';
import { halo } from './halo.ts';
import { jira } from './jira.ts';
import { onCall } from './onCall.ts';
import { pagerduty } from './pagerduty.ts';
import { sentinel } from './sentinel.ts';
import { slack } from './slack.ts';
import { sms } from './sms.ts';
import { splunk } from './splunk.ts';
import { syslog } from './syslog.ts';
import type { TargetKind } from './target.ts';
import { teams } from './teams.ts';
import { webhook } from './webhook.ts';

export const targetKinds: readonly TargetKind[] = [
  autotask,
  browser,
  connectwise,
  elasticsearch,
  halo,
  jira,
  sentinel,
  teams,
  onCall,
  pagerduty,
  slack,
  sms,
  splunk,
  syslog,
  webhook,
];

export const targetKindOf = (id: string): TargetKind | undefined => targetKinds.find((kind) => kind.id === id);
