/** Reads the configuration, starts the application, listens. The only module with side effects on import. */

import { startApplication } from './application.ts';
import { readConfig } from './core/config.ts';
import { createLog } from './core/log.ts';
import { greeting } from './greeting.ts';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(`This needs Node 24, but runs on ${process.version}. Start it by "npm start", which brings its own.`);
  process.exit(1);
}

try {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  let stop: () => void = () => process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop());
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'));

  const application = await startApplication(config, log);
  stop = () => {
    log.info('stopping');
    application.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  await application.app.listen({ port: config.port, host: config.host }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${config.port} is in use. Stop what listens there, or name another port by PORT.`);
  });
  const [address] = application.app.addresses();
  const port = typeof address === 'object' ? address.port : config.port;
  const url = `http://${config.host === '0.0.0.0' ? 'localhost' : config.host}:${port}`;
  log.info({ url, roles: config.roles, syslog: application.syslogPorts }, 'listening');
  await application.ready;
  log.info('ready');
  console.log(greeting(url, config.isDemo, application.warnings));
} catch (error) {
  console.error(String((error as Error)?.message ?? error));
  process.exit(1);
}
