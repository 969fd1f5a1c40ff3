/** Names within a link from a chat, for the page that confirms it; the server verifies the whole. */
import { z } from 'zod';

const link = z.object({ kind: z.string().max(40), workspace: z.string().max(40), name: z.string().max(100) });
export type ChatLink = z.infer<typeof link>;

/** Undefined for a token that is none. */
export function chatLinkIn(token: string): ChatLink | undefined {
  try {
    const text = (token.split('.', 1)[0] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    return link.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}
