"use strict";

/** The request as uWebSockets.js shows it: method in lower case, path and query as sent. */
class EngineRequest {
  /** @param {import("node:http").IncomingMessage} message */
  constructor(message) {
    this.message = message;
    const target = originForm(message.url ?? "/");
    const mark = target.indexOf("?");
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? "" : target.slice(mark + 1);
  }

  getMethod() {
    return (this.message.method ?? "GET").toLowerCase();
  }

  getUrl() {
    return this.path;
  }

  getQuery() {
    return this.query;
  }

  /** @param {string} name in lower case */
  getHeader(name) {
    return headerText(this.message.headers[name]) ?? "";
  }

  /** @param {(name: string, value: string) => void} visit */
  forEach(visit) {
    const { headers } = this.message;
    for (const name in headers) {
      const value = headerText(headers[name]);
      if (value === undefined) continue;
      // hyper-express recognises the coding in lower case only, and would take the body for absent.
      visit(name, name === "transfer-encoding" ? value.toLowerCase() : value);
    }
  }
}

/** @param {string | string[] | undefined} value */
function headerText(value) {
  return Array.isArray(value) ? value.join(", ") : value;
}

/**
 * A target may name the whole address (RFC 9112, 3.2.2); its authority says nothing that the connection does not.
 *
 * @param {string} target
 */
function originForm(target) {
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target);
  if (absolute === null) return target;
  const rest = target.slice(absolute[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Faults that node:http lets through and RFC 9112 wants refused: no Host header, or several, of which it silently keeps the
 * first (3.2), and versions other than 1.x (2.3).
 *
 * @param {import("node:http").IncomingMessage} message
 */
function isMalformed({ httpVersionMajor, httpVersionMinor, rawHeaders }) {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at].length === 4 && rawHeaders[at].toLowerCase() === "host") hosts += 1;
  return hosts > 1 || (hosts === 0 && httpVersionMinor > 0) || httpVersionMajor !== 1;
}

module.exports = { EngineRequest, isMalformed };
