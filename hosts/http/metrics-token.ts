import { timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "./listener.ts";

/** Whether the request has the token that opens /metrics to scrapers. */
export const hasMetricsToken = (request: HttpRequest, token: string | null): boolean => {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  if (token === null || given === undefined) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
};
