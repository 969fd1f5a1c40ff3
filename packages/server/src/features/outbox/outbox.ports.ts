import type { MailContent } from '../../core/mail/render.ts';

export interface NewMail extends MailContent {
  /** Organisation concerned; determines the brand. */
  organisationId: number;
  /** Kind of email, such as user.invited or password.reset. */
  kind: string;
  to: string[];
  cc?: string[];
  /** User whose account a one-time link in the email opens. */
  linkOf?: number;
  /**
   * Bearer links in content and headers: whole addresses with their tokens. Encrypted until delivery, then removed; never stored without
   * a mail server.
   */
  links?: readonly string[];
  /** Case, sender and time of a case email. */
  ofCase?: { id: number; sentBy?: { id: number; name: string }; at: Date };
  /** Message-ID of the thread’s first email; starts a thread when absent. */
  thread?: string | null;
  /** Sole recipient of this copy among the listed addresses. */
  envelopeTo?: string[];
  headers?: Record<string, string>;
  /** Idempotency key: a second email of the same name is not queued. */
  name?: string;
  /** Attachments by storage key; removed once the email is sent. */
  attachments?: readonly { key: string; name: string; type: string }[];
}
