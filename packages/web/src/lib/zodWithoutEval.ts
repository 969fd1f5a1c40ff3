/**
 * zod compiles its parsers with `new Function` where allowed; the page’s policy forbids it and reports the attempt. Imported first by main,
 * before any schema is created. Imports zod’s core alone, to keep the sign-in page small.
 */
import { config } from 'zod/v4/core';

config({ jitless: true });
