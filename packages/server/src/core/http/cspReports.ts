/** Receives content-security-policy reports. Unauthenticated: small, few, and only logged. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Log } from '../log.ts';
import { cspReportPath } from './headers.ts';

const maxBytes = 16 * 1024;
const maxReports = 10;

const text = z.string().transform((value) => value.slice(0, 300));
/** As the Reporting API sends it, and as `report-uri` does. */
const modern = z.object({
  type: z.literal('csp-violation'),
  body: z.object({
    effectiveDirective: text,
    blockedURL: text.default(''),
    documentURL: text.default(''),
    sourceFile: text.nullish(),
    lineNumber: z.number().nullish(),
  }),
});
const older = z.object({
  'csp-report': z.object({
    'effective-directive': text.optional(),
    'violated-directive': text.optional(),
    'blocked-uri': text.default(''),
    'document-uri': text.default(''),
    'source-file': text.nullish(),
    'line-number': z.number().nullish(),
  }),
});

export interface CspReportDeps {
  /** Counts a report of an address; throws tooManyRequests while it has to wait. */
  throttle: (what: string, address: string) => void;
  counted: (directive: string) => void;
  log: Log;
}

interface Violation {
  directive: string;
  blocked: string;
  page: string;
  source: string;
}

export async function cspReportRoute(app: FastifyInstance, { throttle, counted, log }: CspReportDeps): Promise<void> {
  await app.register(async (scope) => {
    scope.addContentTypeParser(
      ['application/csp-report', 'application/reports+json'],
      { parseAs: 'string', bodyLimit: maxBytes },
      scope.getDefaultJsonParser('error', 'error'),
    );
    scope.route({
      method: 'POST',
      url: cspReportPath,
      config: { operation: 'open' },
      bodyLimit: maxBytes,
      onRequest: async (request) => throttle('csp-report', request.ip),
      handler: async (request, reply) => {
        for (const violation of violationsIn(request.body)) {
          counted(knownDirective(violation.directive));
          log.warn({ ...violation }, 'a page broke its content-security policy');
        }
        return reply.code(204).header('cache-control', 'no-store').send();
      },
    });
  });
}

/** Skips invalid reports. */
function violationsIn(body: unknown): Violation[] {
  return [body]
    .flat()
    .slice(0, maxReports)
    .flatMap((each): Violation[] => {
      const now = modern.safeParse(each);
      if (now.success) {
        const { effectiveDirective, blockedURL, documentURL, sourceFile, lineNumber } = now.data.body;
        return [violationOf(effectiveDirective, blockedURL, documentURL, sourceFile, lineNumber)];
      }
      const then = older.safeParse(each);
      if (!then.success) return [];
      const report = then.data['csp-report'];
      const directive = report['effective-directive'] ?? report['violated-directive'] ?? '';
      return [
        violationOf(directive, report['blocked-uri'], report['document-uri'], report['source-file'], report['line-number']),
      ];
    });
}

const violationOf = (directive: string, blocked: string, page: string, source?: string | null, line?: number | null) => ({
  directive: withoutControls(directive.split(' ', 1)[0] ?? ''),
  blocked: withoutQuery(blocked),
  page: withoutQuery(page),
  source: source ? `${withoutQuery(source)}:${line ?? 0}` : '',
});

const withoutControls = (value: string) => value.replace(/\p{Cc}/gu, '');
/** An address may carry a one-time link. */
const withoutQuery = (address: string) => withoutControls(address.replace(/[?#].*$/s, '')).replace(/[\w-]{43,}/g, '(token)');

const directives =
  /^(?:default|script|style|img|font|connect|object|frame|worker|manifest|media|child|form|base|trusted|require)-[a-z-]+$/;
/** Metric label, from a fixed set whatever the input. */
const knownDirective = (directive: string): string =>
  directives.test(directive) && directive.length <= 30 ? directive : 'other';
