"use strict";

/**
 * The answers the engine gives by itself, where a request never becomes one that could be handed over. They have the
 * one error body of the service and hold nothing the client or the parser said.
 *
 * @typedef {{ status: number, body: string }} Refusal
 */

/** @returns {Refusal} */
const refusal = (status, code, error) => ({ status, body: JSON.stringify({ error, code }) });

const malformed = refusal(400, "malformed_request", "The request is not valid HTTP.");
const expectationFailed = refusal(417, "expectation_failed", "The only expectation met is 100-continue.");
const timedOut = refusal(408, "request_timeout", "The request took too long to arrive.");
const headersTooLarge = refusal(431, "headers_too_large", "The request's headers are too large.");
const extensionsTooLarge = refusal(413, "payload_too_large", "The request's chunk extensions are too large.");
const tooManyConnections = refusal(
  429,
  "too_many_connections",
  "Too many connections from this address are open; close some, or use them for more than one request.",
);

/**
 * @param {string | undefined} code of the error node:http reports
 * @returns {Refusal}
 */
function refusalFor(code) {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return timedOut;
    case "HPE_HEADER_OVERFLOW":
      return headersTooLarge;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return extensionsTooLarge;
    default:
      return malformed;
  }
}

module.exports = { expectationFailed, malformed, refusalFor, timedOut, tooManyConnections };
