/** Detects a document’s shape with few property reads. Order matters: the most specific marks come first. */
import type { Document, Shape } from '../event.ts';
import { cloudShapeOf } from './cloud/cloud.ts';
import { isObject, read, text } from './doc.ts';
import { isEntra } from './entra.ts';
import { isM365 } from './m365.ts';
import { carriesSyslog, isSyslog } from './syslog.ts';
import { envelope, isFlat } from './windows/evtx.ts';
import { isWinEvent } from './windows/winEvent.ts';

/** Returns the document’s shape; `ecs` for ECS from an unrecognised shipper, `unknown` for the rest. */
export function shapeOf(document: Document): Shape {
  if (isWinlogbeat7(document)) return 'winlogbeat';
  if (document.Event !== undefined || document.System !== undefined) if (envelope(document) !== undefined) return 'evtx';
  if (isFlat(document) || isWinEvent(document)) return 'evtx';
  if (isWinlogbeat6(document)) return 'winlogbeat';
  if (isM365(document)) return 'm365';
  if (isEntra(document)) return 'entra';
  const cloud = cloudShapeOf(document);
  if (cloud !== undefined) return cloud;
  const shipper = shipperOf(document);
  if (shipper !== undefined) return shipper;
  if (isSyslog(document)) return 'syslog';
  const shape = byDataset(document);
  if (shape !== 'unknown' && (shape !== 'ecs' || isCategorised(document))) return shape;
  if (carriesSyslog(document)) return 'syslog';
  return isLineOfAgent(document) ? 'filebeat' : shape;
}

const isWinlogbeat7 = ({ winlog }: Document): boolean =>
  isObject(winlog) && (winlog.event_id !== undefined || winlog.channel !== undefined || winlog.provider_name !== undefined);

/** Winlogbeat 6 had the fields of `winlog` at the top level, the log or the provider in every event. */
const isWinlogbeat6 = (document: Document): boolean =>
  document.event_id !== undefined &&
  (isObject(document.event_data) ||
    (isObject(document.user_data) && (typeof document.log_name === 'string' || typeof document.source_name === 'string')));

export const isWinlogbeat = (document: Document): boolean => isWinlogbeat7(document) || isWinlogbeat6(document);

/** True for a line of a file that the product’s own agent reads; it has the fields of Filebeat. */
const isLineOfAgent = (document: Document): boolean =>
  read(document, 'agent.type') === 'mdr-agent' && typeof read(document, 'log.file.path') === 'string';

/** True for ECS that already categorises the event, so that no line needs parsing. */
const isCategorised = ({ event }: Document): boolean =>
  isObject(event) && (event.category !== undefined || event.action !== undefined);

function shipperOf(document: Document): Shape | undefined {
  const { agent } = document;
  const name = isObject(agent) ? agent.type : read(document, '@metadata.beat');
  switch (name) {
    case 'filebeat':
    case 'journalbeat':
      return 'filebeat';
    case 'auditbeat':
      return 'auditbeat';
    case 'packetbeat':
      return 'packetbeat';
    default:
      return undefined;
  }
}

function byDataset(document: Document): Shape {
  const { event } = document;
  if (isObject(event)) {
    const dataset = text(event.dataset) ?? '';
    if (event.module === 'auditd' || event.module === 'file_integrity' || isObject(document.auditd)) return 'auditbeat';
    if (dataset.startsWith('network_traffic.')) return 'packetbeat';
    if (dataset === 'system.auth' || dataset === 'system.syslog' || dataset.endsWith('.access')) return 'filebeat';
    if (event.category !== undefined || event.action !== undefined || event.kind !== undefined || isObject(document.ecs))
      return 'ecs';
  }
  if (isObject(document.fileset)) return 'filebeat';
  return isObject(document.ecs) ? 'ecs' : 'unknown';
}
