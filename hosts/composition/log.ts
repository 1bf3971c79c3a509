import { type Logger, pino } from "pino";

export type Log = Logger;

/** The service's own log: JSON lines on standard error. Standard output is for people. */
export const openLog = (level: string): Log =>
  pino({ level, base: { pid: process.pid } }, pino.destination({ fd: 2, sync: true }));
