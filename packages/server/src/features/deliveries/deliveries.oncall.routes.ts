import { onCallApi } from '@parapet/contract/onCall.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { OnCallService } from './deliveries.oncall.ts';

export function onCallRoutes(serving: Serving, onCall: OnCallService): void {
  serve(serving, onCallApi.get, ({ actor, params }) => onCall.get(actor, params.client));
  serve(serving, onCallApi.saveShifts, async ({ actor, params, body }) => {
    await onCall.saveShifts(actor, params.client, body.zone, body.shifts);
    return {};
  });
  serve(serving, onCallApi.addOverride, ({ actor, params, body }) => onCall.addOverride(actor, params.client, body));
  serve(serving, onCallApi.removeOverride, async ({ actor, params }) => {
    await onCall.removeOverride(actor, params.client, params.override);
    return {};
  });
  serve(serving, onCallApi.addNote, async ({ actor, params, body }) => {
    await onCall.addNote(actor, params.client, body.text);
    return {};
  });
}
