/** Listeners of syslog in a process of the role `ingest`. */
import type { FeatureDeps, Features } from './application.features.ts';
import { entriesOf, importEntries } from './features/connections/connections.register.ts';
import { openListeners, type SyslogListeners } from './features/ingest/ingest.register.ts';

export async function startSyslog(
  { db, keys, bus, clock, config, metrics, log }: FeatureDeps,
  { syslog, ingest, organisations }: Pick<Features, 'syslog' | 'ingest' | 'organisations'>,
): Promise<SyslogListeners> {
  let waiting = entriesOf(config.syslog, config.syslogUdp);
  return openListeners({
    sources: {
      ...syslog,
      // An organisation of SYSLOG may be added later.
      async list() {
        if (waiting.length > 0) waiting = await importEntries({ db, keys, log }, waiting);
        return syslog.list();
      },
    },
    bus,
    ingest,
    clock,
    host: config.syslogHost,
    tls: config.syslogTls,
    isTakingIn: organisations.isTakingIn,
    counted: metrics.counted,
    log,
  });
}
