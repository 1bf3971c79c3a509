"use strict";
const { App } = require("./app.js");

module.exports = {
  App: (/** @type {import("./index.d.ts").EngineOptions} */ options) => new App(options),
  SSLApp: () => {
    throw new Error("This engine does not support TLS: terminate TLS in front of the service.");
  },
  us_listen_socket_close: (/** @type {import("./app.js").ListenSocket} */ socket) =>
    socket.app.stopListening(),
  us_socket_local_port: (/** @type {import("./app.js").ListenSocket} */ socket) => socket.port,
  LIBUS_LISTEN_EXCLUSIVE_PORT: 1,
  DISABLED: 0,
};
