/** Events of deliveries and their words. This file does not import zod. */

export const deliveryEvents = [
  { value: 'case.opened', label: 'Case opened' },
  { value: 'case.verdict', label: 'Verdict reached' },
  { value: 'case.acknowledged', label: 'Case acknowledged' },
  { value: 'case.statusChanged', label: 'Case status changed' },
  { value: 'case.slaWarning', label: 'SLA warning' },
  { value: 'alert.raised', label: 'Alert raised' },
  { value: 'response.approvalNeeded', label: 'Response needs approval' },
  { value: 'source.silent', label: 'Source silent' },
  { value: 'vulnerability.found', label: 'Vulnerabilities found' },
  { value: 'vulnerability.fixed', label: 'Vulnerabilities fixed' },
  { value: 'report.ready', label: 'Report ready' },
  { value: 'digest.weekly', label: 'Weekly digest' },
] as const;
export type DeliveryEvent = (typeof deliveryEvents)[number]['value'];
export const deliveryEventValues = deliveryEvents.map(({ value }) => value) as [DeliveryEvent, ...DeliveryEvent[]];

/** Events that an acknowledgement stops from being escalated. */
export const escalatedEvents: readonly DeliveryEvent[] = ['case.opened', 'case.verdict'];
export const maxEscalations = 5;

/** Minutes between two digests; 0 for each event at once. */
export const digestMinutes = [0, 15, 60, 240, 1440] as const;

/** Events in such numbers that only systems take them: webhooks and SIEM targets. */
export const systemEvents: readonly DeliveryEvent[] = ['alert.raised'];

const otherLabels: Record<string, string> = {
  test: 'Test',
  'digest.events': 'Digest',
  'billing.quantity': 'Quantity confirmed',
  'case.note': 'Note for a ticket',
  'case.file': 'File for a ticket',
};
export const eventLabel = (event: string): string =>
  otherLabels[event] ?? deliveryEvents.find(({ value }) => value === event)?.label ?? event;

export const deliveryStates = [
  { value: 'queued', label: 'Queued' },
  { value: 'sent', label: 'Sent, not confirmed' },
  { value: 'accepted', label: 'Accepted' },
  { value: 'failed', label: 'Failed, retrying' },
  { value: 'givenUp', label: 'Given up' },
  { value: 'notNeeded', label: 'Not needed' },
] as const;
export type DeliveryState = (typeof deliveryStates)[number]['value'];
export const deliveryStateValues = deliveryStates.map(({ value }) => value) as [DeliveryState, ...DeliveryState[]];

/** Hours after which an unaccepted delivery is given up, and in which a rotated signing secret stays valid. */
export const deliveryHours = 72;
export const rotationHours = 24;
/** Days over which the preview of a rule counts, and for which deliveries are kept. */
export const previewDays = 30;
export const deliveryDays = 90;
/** Browsers with notifications, of one person. */
export const maxBrowsers = 20;
