/**
 * The two kinds with the portal’s own format: the common settings of a client’s collectors, and the inputs of a host’s
 * rsyslog. Typed, because rsyslog’s language can start programs and this text must not.
 */
import { configKinds } from '@parapet/contract/collectors.ts';
import { z } from 'zod';

/** Paths and names are copied into files of other languages: no quotes, line ends or special characters. */
const filePath = z
  .string({ error: 'This must be a path.' })
  .regex(/^\/[\w./*?@:+,~ -]{0,499}$/, 'Write a path from the root, such as /var/log/nginx/access.log.');
const tag = z
  .string({ error: 'This must be a text.' })
  .regex(/^[\w.:/-]{1,60}$/, 'A tag has letters, digits and . : / _ -, at most 60 of them.');

/** An origin: https://portal.example or http://10.0.0.5:8080. */
const origin = (what: string) =>
  z
    .string({ error: 'This must be an address.' })
    .max(300, 'An address has at most 300 characters.')
    .refine((text) => text === '' || isOrigin(text), { message: `Write ${what}, or nothing.` })
    .transform((text) => (text === '' ? '' : new URL(text).origin));
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && /^[\w.[\]:-]+$/.test(url.host);
}
/** An empty setting (`tags:`) counts as unset. */
const or = <T extends z.ZodType>(schema: T, otherwise: z.output<T>) =>
  z.preprocess((value) => value ?? undefined, schema.default(otherwise as never));

const client = z.strictObject({
  address: or(origin('where collectors reach the portal, such as https://portal.example'), ''),
  collectors: or(
    z
      .array(z.enum(['agent', ...configKinds.slice(1)], { error: `Write some of agent, ${configKinds.slice(1).join(', ')}.` }))
      .max(20),
    [],
  ),
  tags: or(z.array(tag, { error: 'This must be a list: one tag a line, each after a dash.' }).max(20, 'At most 20 tags.'), []),
  certificate_authority: or(z.union([z.literal(''), filePath]), ''),
  proxy: or(origin('the proxy’s address, such as http://proxy.example:3128'), ''),
});
export type ClientSettings = z.output<typeof client>;

const port = z
  .number({ error: 'This must be a port.' })
  .int('This must be a port.')
  .min(1, 'Ports begin at 1.')
  .max(65_535, 'Ports end at 65535.');
const rsyslog = z.strictObject({
  local: or(
    z
      .string({ error: 'This must be a text.' })
      .regex(/^[a-z\d*,;.=!]{0,300}$/i, 'Write facilities and severities as rsyslog does, such as *.info;auth,authpriv.*'),
    '*.*',
  ),
  files: or(
    z
      .array(
        z.strictObject({
          path: filePath,
          program: z
            .string({ error: 'Say which program writes the file: "program: nginx".' })
            .regex(/^[\w./-]{1,48}$/, 'A program’s name has letters, digits and . / _ -, at most 48 of them.'),
        }),
        { error: 'This must be a list: each item with a path and a program.' },
      )
      .max(100, 'At most 100 files.'),
    [],
  ),
  listen: or(
    z
      .array(
        z.strictObject({
          protocol: z.enum(['udp', 'tcp'], { error: 'Write udp or tcp.' }),
          port,
          address: z
            .string()
            .regex(/^[\da-f.:]{2,45}$/i, 'Write an address of this host, such as 10.0.0.5, or leave it out.')
            .optional(),
        }),
        { error: 'This must be a list: each item with a protocol and a port.' },
      )
      .max(20, 'At most 20 ports.'),
    [],
  ),
  buffer_megabytes: or(
    z.number({ error: 'This must be a number.' }).int().min(10, 'At least 10.').max(100_000, 'At most 100000.'),
    1000,
  ),
});

export const ownSettings = { client, rsyslog };
