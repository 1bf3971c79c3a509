import { type Logger, pino } from "pino";

export type Log = Logger;

/**
 * The service's own log: JSON lines on standard error. Standard output is for people. Of an error it says kind, message
 * and place, and nothing else that hangs on it: a database names the values of a row that it refuses.
 */
export const openLog = (level: string): Log =>
  pino(
    { level, base: { pid: process.pid }, serializers: { err: spare } },
    pino.destination({ fd: 2, sync: true }),
  );

const spare = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, stack: error.stack }
    : { message: String(error) };
