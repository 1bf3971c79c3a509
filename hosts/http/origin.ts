import { isIP } from "node:net";
import { refusal } from "../../core/model/shared/failure.ts";
import type { HttpRequest } from "./listener.ts";

export class HostNotAllowed extends refusal(
  "host_not_allowed",
  "forbidden",
  "The service doesn't accept this host name. Add it to SERVICE_ALLOWED_HOSTNAMES.",
) {}

export class OriginNotAllowed extends refusal(
  "origin_not_allowed",
  "forbidden",
  "Requests from other origins aren't allowed.",
) {}

const hostnameOf = (authority: string): string =>
  authority
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();

/** The paths that balancers ask to learn whether the service lives. Their answers tell no more than its status. */
const livenessPaths = new Set(["/", "/api/health"]);

/** HTTP/1.0, in which balancers check, needs no Host. Every browser sends one, so no page can rebind a name this way. */
const isLivenessCheck = ({ method, path }: HttpRequest): boolean =>
  livenessPaths.has(path) && (method === "GET" || method === "HEAD" || method === "OPTIONS");

/**
 * Refuses unknown host names (DNS rebinding) and pages of other origins. IP addresses are allowed: a page cannot rebind
 * one.
 */
export const checkOrigin = (
  request: HttpRequest,
  allowedHostnames: ReadonlySet<string>,
): HostNotAllowed | OriginNotAllowed | null => {
  const { host, origin } = request.headers;
  const isOurs = (name: string) => name === "localhost" || isIP(name) !== 0 || allowedHostnames.has(name);
  if (host === undefined)
    return origin === undefined && isLivenessCheck(request) ? null : new HostNotAllowed();
  if (!isOurs(hostnameOf(host))) return new HostNotAllowed();
  if (origin === undefined) return null;
  const authority = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())?.[1];
  return authority !== undefined &&
    (authority === host.toLowerCase() || allowedHostnames.has(hostnameOf(authority)))
    ? null
    : new OriginNotAllowed();
};
