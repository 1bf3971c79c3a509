"use strict";

/**
 * What `require("uWebSockets.js")` answers in this service: our engine over node:http, or the native one where the
 * operator asked for it. Nothing falls back in silence: an engine that was asked for and cannot load is an error.
 *
 * - `SERVICE_HTTP_ENGINE`: `node` (default) or `native`.
 * - `SERVICE_HTTP_ENGINE_PATH`: with `native`, where the build is; see native.js.
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
