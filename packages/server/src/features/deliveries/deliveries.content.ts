/**
 * Messages of events as a client may read them: facts of the event, names of client and brand. No name of a person and no text that is internal is
 * among them, for whichever target; a note that the client may read goes to tickets only, with its author.
 */
import type { Message, Stage } from '@parapet/connectors/out/target.ts';
import { maxVulnerabilities } from '@parapet/contract/deliveryEvents.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { measureLabel } from '@parapet/contract/rules/billing.ts';
import {
  type CaseStatus,
  type EmailAction,
  isClosed,
  type Resolution,
  statusLabel,
  type Verdict,
} from '@parapet/contract/rules/cases.ts';
import { eventLabel } from '@parapet/contract/rules/deliveries.ts';
import { durationText } from '@parapet/contract/rules/duration.ts';
import { judgementOf, verdictText } from '@parapet/contract/rules/judgement.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import type { MailBrand } from '../../core/mail/render.ts';
import { onOneLine } from '../../core/mail/render.ts';

/** A delivery as stored, before its message was made. */
export interface Subject {
  event: string;
  subject: string;
  objectId: number;
  facts: Record<string, unknown>;
  eventAt: Date;
  messageId: string;
  clientId: number;
  client: string;
}

type Brand = Pick<MailBrand, 'name' | 'origin'>;
type Facts = [string, string][];
type Content = Pick<Message, 'stage' | 'severity' | 'title' | 'facts' | 'url' | 'data'>;

const text = (value: unknown, length = 300): string => (typeof value === 'string' ? onOneLine(value, length) : '');
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const minuteOf = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

/** Message of a delivery; the same for every kind of target, but that tickets name detections too. */
export function messageOf(subject: Subject, brand: Brand, detections: readonly string[] = []): Message {
  const { event, messageId, eventAt } = subject;
  const client = onOneLine(subject.client, 200);
  const content = contentOf(subject, brand.origin);
  return {
    ...content,
    id: messageId,
    event,
    at: eventAt.toISOString(),
    subject: subject.subject,
    sender: onOneLine(brand.name, 100),
    client,
    facts: [
      ['Client', client],
      ...content.facts,
      ...detections.map((one): [string, string] => ['Detection', onOneLine(one, 300)]),
    ],
    data: { organisation: subject.clientId, client, ...content.data, url: content.url },
  };
}

function contentOf(subject: Subject, origin: string): Content {
  switch (subject.event) {
    case 'alert.raised':
      return alertContent(subject, origin);
    case 'response.approvalNeeded':
      return responseContent(subject, origin);
    case 'source.silent':
      return silenceContent(subject, origin);
    case 'vulnerability.found':
    case 'vulnerability.fixed':
      return vulnerabilityContent(subject, origin);
    case 'report.ready':
      return reportContent(subject, origin);
    case 'digest.weekly':
      return digestContent(subject, origin);
    case 'case.note':
      return noteContent(subject, origin);
    case 'case.file':
      return fileContent(subject, origin);
    case 'billing.quantity':
      return quantityContent(subject, origin);
    case 'test':
      return testContent(origin);
    default:
      return caseContent(subject, origin);
  }
}

/** Verdicts and new cases open an incident; work acknowledges it; escalation opens it again. */
function stageOf(event: string, status: CaseStatus): Stage {
  if (isClosed(status)) return 'closed';
  if (event === 'case.acknowledged') return 'acknowledged';
  return event === 'case.statusChanged' && (status === 'assigned' || status === 'investigating') ? 'acknowledged' : 'opened';
}

function caseContent({ event, objectId: id, facts }: Subject, origin: string): Content {
  const status = facts.status as CaseStatus;
  const severity = severityOf(numberOf(facts.criticality));
  const verdict = facts.verdict === null ? null : text(facts.verdict);
  const confidence = facts.confidence === null ? null : numberOf(facts.confidence);
  const previous = facts.previousStatus as CaseStatus | undefined;
  const title = text(facts.title);
  const minutes = numberOf(facts.afterMinutes);
  const timer = event === 'case.slaWarning' ? timerOf(facts) : undefined;
  const heading = minutes === 0 ? (timer?.text ?? eventLabel(event)) : `Not acknowledged for ${durationText(minutes)}`;
  const shown: Facts = [
    ['Severity', capitalised(severity)],
    ['Status', previous ? `${statusLabel(status)} (was ${statusLabel(previous)})` : statusLabel(status)],
    ['Alerts', String(numberOf(facts.alerts))],
  ];
  if (timer) shown.push(['SLA', `${timer.text} (${durationText(timer.data.targetMinutes)})`]);
  const judgement = judgementOfFacts(facts);
  if (judgement.verdict !== null) shown.push(['Verdict', verdictText(judgement)]);
  return {
    stage: stageOf(event, status),
    severity,
    title: `${heading}: #${id} ${title}`,
    facts: shown,
    url: `${origin}/apps/case/${id}`,
    data: {
      id,
      title,
      severity,
      status,
      verdict,
      confidence,
      alerts: numberOf(facts.alerts),
      ...(previous && { previousStatus: previous }),
      ...timer?.data,
      ...(minutes > 0 && { unacknowledgedMinutes: minutes }),
    },
  };
}

/** Without a conclusion, the verdict of decisioning stands. */
const judgementOfFacts = ({
  criticality,
  status,
  investigationStatus,
  resolution,
  clientAnswer,
  verdict,
  confidence,
}: Subject['facts']) =>
  judgementOf({
    criticality: severityOf(numberOf(criticality)),
    status: status as CaseStatus,
    investigationStatus: numberOf(investigationStatus),
    resolution: (resolution ?? null) as Resolution | null,
    clientAnswer: clientAnswer ? { answer: clientAnswer as EmailAction } : null,
    verdict: (verdict ?? null) as Verdict | null,
    confidenceScore: typeof confidence === 'number' ? confidence : null,
  });

const timerNames = { acknowledge: 'Time to acknowledge', contain: 'Time to contain', close: 'Time to close' } as const;

/** SLA timer of a warning, in words and as data. */
function timerOf({ timer, isMissed, targetMinutes }: Record<string, unknown>) {
  const name = timerNames[timer as keyof typeof timerNames];
  return {
    text: `${name} ${isMissed === true ? 'missed' : 'at risk'}`,
    data: { timer, isMissed: isMissed === true, targetMinutes: numberOf(targetMinutes) },
  };
}

const lines = (value: unknown): string[] => (Array.isArray(value) ? value.map((each) => text(each, 100)) : []);

function alertContent({ event, objectId: id, facts, eventAt }: Subject, origin: string): Content {
  const severity = severityOf(numberOf(facts.criticality));
  const [title, summary, device, user] = [text(facts.title), text(facts.summary, 1_000), text(facts.device), text(facts.user)];
  const shown: Facts = [
    ['Severity', capitalised(severity)],
    ['Summary', summary],
    ['Device', device],
    ['User', user],
    ['Techniques', lines(facts.techniques).join(', ')],
  ];
  return {
    stage: 'none',
    severity,
    title: `${eventLabel(event)}: ${title}${device === '' ? '' : ` on ${device}`}`,
    facts: shown.filter(([, value]) => value !== ''),
    url: `${origin}/apps/alert/${id}`,
    data: {
      id,
      title,
      severity,
      at: typeof facts.at === 'string' ? facts.at : eventAt.toISOString(),
      summary,
      device: device || null,
      user: user || null,
      techniques: lines(facts.techniques),
      tactics: lines(facts.tactics),
      case: facts.case ?? null,
      count: Math.max(numberOf(facts.count), 1),
      ...(Array.isArray(facts.events) && { events: facts.events }),
    },
  };
}

function responseContent({ event, objectId: id, facts }: Subject, origin: string): Content {
  const response = text(facts.response);
  const decideBy = text(facts.decideBy);
  return {
    stage: 'none',
    severity: null,
    title: `${eventLabel(event)}: ${response}`,
    facts: [
      ['Response', response],
      ['Decide by', minuteOf(decideBy)],
    ],
    url: `${origin}/apps/response/${id}`,
    data: { id, case: facts.case ?? null, response, decideBy },
  };
}

const maxSources = 20;

function silenceContent({ event, objectId: id, facts }: Subject, origin: string): Content {
  const sources = Array.isArray(facts.sources) ? facts.sources.slice(0, maxSources).map((name) => text(name, 100)) : [];
  const count = Math.max(numberOf(facts.count), sources.length, 1);
  const since = text(facts.since);
  return {
    stage: 'none',
    severity: null,
    title: count === 1 ? `${eventLabel(event)}: ${sources[0]}` : `${count} sources silent`,
    facts: [
      ['Sources', count > sources.length ? `${sources.join(', ')} and ${count - sources.length} more` : sources.join(', ')],
      ['Silent since', minuteOf(since)],
    ],
    url: `${origin}/apps/devices`,
    data: { id, sources, count, since },
  };
}

function reportContent({ event, objectId: id, facts }: Subject, origin: string): Content {
  const month = text(facts.month);
  return {
    stage: 'none',
    severity: null,
    title: `${eventLabel(event)}: ${month}`,
    facts: [['Month', month]],
    url: `${origin}/apps/reporting`,
    data: { id, month },
  };
}

const maxShown = 5;

function vulnerabilityContent({ event, objectId: id, facts, clientId }: Subject, origin: string): Content {
  const device = text(facts.device, 200);
  const given = (Array.isArray(facts.vulnerabilities) ? facts.vulnerabilities : []) as Record<string, unknown>[];
  const vulnerabilities = given.slice(0, maxVulnerabilities).map((each) => ({
    id: numberOf(each.id),
    cve: text(each.cve, 100),
    title: text(each.title),
    severity: severities.find((severity) => severity === each.severity) ?? 'informational',
    cvss: typeof each.cvss === 'number' ? each.cvss : null,
    package: text(each.package, 200),
    installedVersion: text(each.installedVersion, 200),
    fixedVersion: typeof each.fixedVersion === 'string' ? text(each.fixedVersion, 200) : null,
    isExploited: each.isExploited === true,
  }));
  const count = Math.max(numberOf(facts.count), vulnerabilities.length);
  const isFound = event === 'vulnerability.found';
  const lines = vulnerabilities
    .slice(0, maxShown)
    .map(({ cve, severity, package: name, installedVersion, fixedVersion, isExploited }) =>
      [`${cve} (${severity}${isExploited ? ', known exploited' : ''}): ${name} ${installedVersion}`, isFound && fixedVersion]
        .filter(Boolean)
        .join(', fixed in '),
    );
  return {
    stage: 'none',
    severity: isFound ? (vulnerabilities[0]?.severity ?? null) : 'informational',
    title: `${eventLabel(event)}: ${count} on ${device}`,
    facts: [['Device', device], ...lines.map((line): [string, string] => ['Vulnerability', line])],
    url: `${origin}/apps/vulnerability?client=${clientId}`,
    data: { id, device, deviceId: text(facts.deviceId, 40), source: text(facts.source, 20), count, vulnerabilities },
  };
}

const digestFigures = [
  ['Opened', 'opened'],
  ['Closed', 'closed'],
  ['Waiting for the client', 'waiting'],
] as const;
const digestMeans = [
  ['Mean time to acknowledge', 'minutesToAcknowledge'],
  ['Mean time to contain', 'minutesToContain'],
  ['Mean time to close', 'minutesToClose'],
] as const;

function digestContent({ event, objectId: id, facts }: Subject, origin: string): Content {
  const until = text(facts.until);
  const counts = (facts.open ?? {}) as Record<string, unknown>;
  const open = Object.fromEntries(severities.map((severity) => [severity, numberOf(counts[severity])]));
  const shown = severities.filter((severity) => open[severity] !== 0).map((severity) => `${open[severity]} ${severity}`);
  const averages = Object.fromEntries(
    digestMeans.map(([, name]) => [name, typeof facts[name] === 'number' ? Math.round(facts[name] * 10) / 10 : null]),
  );
  return {
    stage: 'none',
    severity: null,
    title: `${eventLabel(event)}: seven days until ${until.slice(0, 10)}`,
    facts: [
      ['Open now', shown.length > 0 ? shown.join(', ') : 'none'],
      ...digestFigures.map(([label, name]): [string, string] => [label, String(numberOf(facts[name]))]),
      ...digestMeans.flatMap(([label, name]): Facts => {
        const minutes = averages[name];
        return typeof minutes === 'number' ? [[label, durationText(minutes)]] : [];
      }),
    ],
    url: `${origin}/apps/cases`,
    data: { id, until, open, ...Object.fromEntries(digestFigures.map(([, name]) => [name, numberOf(facts[name])])), ...averages },
  };
}

const maxNote = 8_000;

/** A note that the client may read, for a ticket. Without its text where it is only listed. */
function noteContent({ objectId: id, facts }: Subject, origin: string): Content {
  const note = typeof facts.text === 'string' ? facts.text.slice(0, maxNote).toWellFormed() : undefined;
  const author = text(facts.author, 200);
  return {
    stage: 'none',
    severity: null,
    title: `${author === '' ? 'Note' : `Note by ${author}`}: #${id} ${text(facts.title)}`,
    facts: note === undefined ? [] : [['Note', note]],
    url: `${origin}/apps/case/${id}?tab=notes`,
    data: { id },
  };
}

/** A file of a closed case, for its ticket. */
const fileContent = ({ objectId: id, facts }: Subject, origin: string): Content => ({
  stage: 'none',
  severity: null,
  title: `${facts.file === 'archive' ? 'Archive' : 'Report'}: #${id} ${text(facts.title)}`,
  facts: [],
  url: `${origin}/apps/case/${id}`,
  data: { id },
});

/** A quantity that a person confirmed for an agreement. */
function quantityContent({ facts, clientId }: Subject, origin: string): Content {
  const [month, measure, label] = [text(facts.month), text(facts.measure), text(facts.label)];
  const [expected, quantity] = [numberOf(facts.expected), numberOf(facts.quantity)];
  return {
    stage: 'none',
    severity: null,
    title: `${measureLabel(measure)} of ${month}: ${quantity}`,
    facts: [
      ['Item', label],
      ['Quantity', `${quantity} (was ${expected})`],
    ],
    url: `${origin}/apps/billing?client=${clientId}&month=${month}`,
    data: {
      month,
      measure,
      expected,
      quantity,
      company: text(facts.company),
      agreement: text(facts.agreement),
      item: text(facts.item),
    },
  };
}

const testContent = (origin: string): Content => ({
  stage: 'none',
  severity: 'informational',
  title: 'Test message',
  facts: [['Meaning', 'This target receives messages from the portal.']],
  url: origin,
  data: { text: 'This target receives messages from the portal.' },
});
