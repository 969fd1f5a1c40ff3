import { syslogApi } from '@parapet/contract/syslog.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { SyslogService } from './syslog.service.ts';

export function syslogRoutes(serving: Serving, syslog: SyslogService): void {
  serve(serving, syslogApi.get, ({ actor }) => syslog.get(actor));
  serve(serving, syslogApi.addNetwork, ({ actor, body }) => syslog.addNetwork(actor, body));
  serve(serving, syslogApi.removeNetwork, ({ actor, params }) => syslog.removeNetwork(actor, params.network));
}
