/** Ports for servers that another process opens. */
import { createServer } from 'node:net';

/** A free port below those that the system gives to outgoing connections: until the process listens, one of these may take any port above. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 10_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer()
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
