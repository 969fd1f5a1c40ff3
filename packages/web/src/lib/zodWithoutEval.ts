/**
 * zod compiles its parsers with `new Function` where it may; the page's policy forbids that, and even trying is reported. Imported first by
 * main, before any shape is made. From zod's core alone, so that the sign-in page does not load the rest of it.
 */
import { config } from 'zod/v4/core';

config({ jitless: true });
