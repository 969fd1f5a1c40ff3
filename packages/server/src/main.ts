/** Reads the configuration, starts the application, listens. The only module with side effects on import. */

import { once } from 'node:events';
import { noteAddress } from './core/addressNote.ts';
import { type Config, readConfig } from './core/config.ts';
import { createLog } from './core/log.ts';
import { watchMemory } from './core/memory.ts';
import { listenWhileStarting } from './starting.ts';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(`This needs Node 24, but runs on ${process.version}. Start it by "npm start", which brings its own.`);
  process.exit(1);
}

/** Throws a text for the operator when the port is taken. */
async function onPort<T>({ port }: Config, listening: Promise<T>): Promise<T> {
  return listening.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} is in use. Stop what listens there, or name another port by PORT.`);
  });
}

/** `npm start` builds the pages beside this process and sends a message when they are done. */
async function pagesBuilt(): Promise<void> {
  if (!process.argv.includes('--await-pages')) return;
  await Promise.race([once(process, 'message'), once(process, 'disconnect')]);
  process.channel?.unref();
}

try {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  let stop: () => void = () => process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop());
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'));

  const built = pagesBuilt();
  // A port that the system chooses is not known to anyone yet.
  const starting = config.port === 0 ? undefined : await onPort(config, listenWhileStarting(config));
  starting?.setStage('Starting the database and building the pages');
  // The database starts while the application’s modules load.
  const { beginDatabase } = await import('./core/db/open.ts');
  const database = beginDatabase(config, log);
  const { startApplication } = await import('./application.ts');
  const { greeting } = await import('./greeting.ts');
  const application = await startApplication(config, log, { pagesBuilt: built, database });
  let removeNote = async () => {};
  stop = () => {
    log.info('stopping');
    Promise.all([application.close(), removeNote()]).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  await starting?.close();
  await onPort(config, application.app.listen({ port: config.port, host: config.host }));
  const [address] = application.app.addresses();
  const port = typeof address === 'object' ? address.port : config.port;
  const url = `http://${config.host === '0.0.0.0' ? 'localhost' : config.host}:${port}`;
  removeNote = await noteAddress(config.dataDir, config.hasPublicUrl ? config.publicUrl : url);
  log.info({ url, roles: config.roles, syslog: application.syslogPorts, syslogUdp: application.syslogUdpPorts }, 'listening');
  if (config.roles.includes('ingest')) application.prepare();
  await application.ready;
  log.info('ready');
  watchMemory(log);
  console.log(
    greeting({
      url,
      isDemo: config.isDemo,
      hasHost: await application.hasHost(),
      dataDir: process.env.DATA_DIR,
      warnings: application.warnings,
    }),
  );
} catch (error) {
  console.error(String((error as Error)?.message ?? error));
  process.exit(1);
}
