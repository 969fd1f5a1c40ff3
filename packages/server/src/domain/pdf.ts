/**
 * Reports as PDF files in a partner's brand. Callers hand over plain texts only, never a part of the document's own language, so user
 * input stays text. Rendering is slow and runs in a worker thread.
 */
import { Worker } from 'node:worker_threads';
import { problem } from '@parapet/contract/problem.ts';
import type { PdfChart } from './pdf.charts.ts';

export interface PdfBrand {
  name: string;
  /** #rrggbb */
  accent: string;
  footer: string;
  /** PNG. */
  logo: Uint8Array | undefined;
}

export interface PdfFigure {
  name: string;
  value: string;
  note: string;
  tone: 'plain' | 'good' | 'bad';
}

export interface PdfTable {
  head: readonly string[];
  /** In points; '*' shares what is left. Without them columns are as wide as what is in them. */
  widths?: readonly (number | '*')[];
  rows: readonly (readonly string[])[];
  /** Indices of numeric columns, aligned right. */
  numbers?: readonly boolean[];
}

export interface PdfSection {
  title: string;
  /** Label and value. */
  facts?: readonly (readonly [string, string])[];
  texts?: readonly string[];
  /** Numbers that are seen first; `note` is small beneath. */
  figures?: readonly PdfFigure[];
  chart?: PdfChart;
  /** Numbered; `note` is small beneath. */
  list?: readonly { text: string; note: string }[];
  table?: PdfTable;
}

export interface PdfReport {
  brand: PdfBrand;
  title: string;
  subtitle: string;
  /** When it was made, as shown. */
  madeAt: string;
  sections: readonly PdfSection[];
}

export const pdfType = 'application/pdf';

const maxWaiting = 20;
const longestMs = 20_000;
/** A thread that has nothing to do is kept for so long: it has read its fonts. */
const idleMs = 60_000;

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();
let drawer: Worker | undefined;
let idle: NodeJS.Timeout | undefined;

/** One after the other. Throws tooManyRequests while many wait. */
export async function makePdf(report: PdfReport): Promise<Buffer> {
  if (waiting >= maxWaiting) {
    throw problem.tooManyRequests('Many reports are being made at this moment. Please try again in a minute.', 30);
  }
  waiting++;
  const mine = last
    .then(() => draw(report))
    .finally(() => {
      waiting--;
    });
  last = mine.catch(() => undefined);
  return mine;
}

function draw(report: PdfReport): Promise<Buffer> {
  clearTimeout(idle);
  drawer ??= new Worker(new URL('./pdf.worker.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const worker = drawer;
  worker.ref();
  return new Promise<Buffer>((resolve, reject) => {
    const leave = () => {
      if (drawer === worker) drawer = undefined;
      void worker.terminate();
    };
    const fail = (error: Error) => {
      leave();
      reject(error);
    };
    const tooLong = setTimeout(() => fail(new Error(`A report was not drawn within ${longestMs / 1000} seconds.`)), longestMs);
    const broken = (error: Error) => {
      clearTimeout(tooLong);
      fail(error);
    };
    worker.once('error', broken);
    worker.once('message', (answer: { bytes: Uint8Array } | { fault: string }) => {
      clearTimeout(tooLong);
      worker.off('error', broken);
      // Only work keeps the process alive.
      worker.unref();
      idle = setTimeout(leave, idleMs).unref();
      if ('fault' in answer) reject(new Error(answer.fault));
      else resolve(Buffer.from(answer.bytes));
    });
    worker.postMessage(report);
  });
}
