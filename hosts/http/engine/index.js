"use strict";

/**
 * Exports the HTTP engine for `require("uWebSockets.js")`: ours over node:http, or the native one if the operator
 * chose it. There is no silent fallback: if the chosen engine cannot load, the service reports an error.
 *
 * - `SERVICE_HTTP_ENGINE`: `node` (default) or `native`.
 * - `SERVICE_HTTP_ENGINE_PATH`: with `native`, the path of the build; see native.js.
 */
const { engineUnavailable, loadNative } = require("./native.js");

const wanted = process.env.SERVICE_HTTP_ENGINE || "node";

if (wanted === "native") {
  module.exports = loadNative(process.env.SERVICE_HTTP_ENGINE_PATH);
} else if (wanted === "node") {
  module.exports = require("./over-node.js");
} else {
  throw engineUnavailable(`SERVICE_HTTP_ENGINE is "${wanted}"; it can be "node" (the default) or "native".`);
}
