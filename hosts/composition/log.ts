import { type DestinationStream, type Logger, pino } from "pino";
import { traceIds } from "../api/endpoint/trace-ids.ts";

export type Log = Logger;

/**
 * The service's own log: JSON lines on standard error. Standard output is for people. Of an error it writes name,
 * message and stack and no other field, because a database error holds the values of the refused row.
 */
export const openLog = (
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Log =>
  pino(
    {
      level,
      base: { pid: process.pid },
      serializers: { err: spare },
      // With the trace of the work that writes it.
      mixin: () => traceIds() ?? {},
    },
    destination,
  );

const spare = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, stack: error.stack }
    : { message: String(error) };
