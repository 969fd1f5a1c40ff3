/** Windows events as PowerShell writes them: `Get-WinEvent … | ConvertTo-Json`. Values of the event have no names there (`Properties`). */
import type { Document } from '../../event.ts';
import { fill, isObject, known, section, text } from '../doc.ts';
import { eventId } from './evtx.ts';
import { namedValues } from './values.ts';

/** True for an event of `Get-WinEvent`, whose `Id` and `LogName` no other converter has together. */
export const isWinEvent = (document: Document): boolean =>
  typeof document.LogName === 'string' && document.Id !== undefined && typeof document.ProviderName === 'string';

/** Builds `winlog` and returns the event’s own time, unparsed. */
export function fillFromWinEvent(document: Document): unknown {
  const winlog = section(document, 'winlog');
  const provider = known(document.ProviderName);
  const id = eventId(document.Id);
  fill(winlog, 'channel', known(document.LogName));
  fill(winlog, 'event_id', id);
  fill(winlog, 'provider_name', provider);
  fill(winlog, 'computer_name', known(document.MachineName));
  fill(winlog, 'record_id', text(document.RecordId));
  fill(winlog, 'event_data', namedValues(provider, id, document.Properties, document.Message));
  if (typeof document.Message === 'string') fill(document, 'message', document.Message);
  const time = document.TimeCreated;
  return isObject(time) ? (time.value ?? time.DateTime) : time;
}
