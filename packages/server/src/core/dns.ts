/** DNS lookups of TXT records. A port: services take `Resolver`, tests bring their own server. */
import { Resolver as NodeResolver } from 'node:dns/promises';

/** The values of a name, each joined from its strings; or why there are none, in words. */
export type TxtAnswer = { values: string[] } | { fault: string };

export interface Resolver {
  txt(name: string): Promise<TxtAnswer>;
}

const tries = 2;
/** Of what one name may hold; no zone that sets our record needs more. */
const maxValues = 500;

/** `servers` are addresses with or without a port; empty for those of the machine. Each question ends within `timeoutMs`. */
export function createResolver({ servers, timeoutMs = 5_000 }: { servers: readonly string[]; timeoutMs?: number }): Resolver {
  return {
    async txt(name) {
      // One for each question, so that ending one leaves the others alone.
      const resolver = new NodeResolver({ timeout: Math.ceil(timeoutMs / tries), tries });
      if (servers.length > 0) resolver.setServers(servers);
      const timer = setTimeout(() => resolver.cancel(), timeoutMs);
      try {
        const records = await resolver.resolveTxt(name);
        // An alias alone.
        if (records.length === 0) return { fault: textOf('ENODATA', name, timeoutMs) };
        return { values: records.slice(0, maxValues).map((strings) => strings.join('')) };
      } catch (error) {
        return { fault: textOf((error as { code?: string }).code ?? '', name, timeoutMs) };
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function textOf(code: string, name: string, timeoutMs: number): string {
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return `No TXT record was found at ${name}.`;
    case 'ETIMEOUT':
    case 'ECANCELLED':
      return `The DNS lookup of ${name} got no answer within ${timeoutMs / 1000} seconds.`;
    case 'ESERVFAIL':
      return `The name servers of ${name} could not answer (SERVFAIL).`;
    case 'EREFUSED':
      return `The name servers of ${name} refused to answer (REFUSED).`;
    case 'ECONNREFUSED':
      return 'The DNS server of this portal cannot be reached.';
    default:
      return `The DNS answer for ${name} could not be read (${code || 'unknown'}).`;
  }
}
