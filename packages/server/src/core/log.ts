/** One JSON line per thing worth knowing; text from outside is a field, never part of the message, and escaped by pino. */
import { pino } from 'pino';

export type Log = Pick<ReturnType<typeof pino>, 'info' | 'warn' | 'error' | 'debug'>;

export const createLog = (level: string): Log => pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });

export const silentLog: Log = pino({ level: 'silent' });
