"use strict";
const { existsSync, statSync } = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");

/** The build that we have tested. The service does not depend on it; the operator installs it. */
const DEFAULT_PACKAGE = "@trufflesuite/uws-js-unofficial";
const TRIED_VERSION = "20.30.0-unofficial.0";

/**
 * @param {string} sentence
 * @param {unknown} [cause]
 */
function engineUnavailable(sentence, cause) {
  return Object.assign(new Error(sentence, { cause }), { code: "ENGINE_UNAVAILABLE" });
}

/**
 * Loads a native build of uWebSockets.js. It loads only the addon, never the package's own JavaScript: some packages
 * fall back to a slow imitation if their addon does not fit.
 *
 * @param {string | undefined} location the addon (`….node`), the directory that holds it (or its `binaries/`), or the
 *   name of an installed package; a known package if it is empty
 */
function loadNative(location) {
  const asked = location || DEFAULT_PACKAGE;
  const file = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const addon = findAddon(asked, file);
  if (addon === undefined)
    throw engineUnavailable(
      `SERVICE_HTTP_ENGINE=native: no ${file} was found in ${asked}; install one ` +
        `(npm install --ignore-scripts ${DEFAULT_PACKAGE}@${TRIED_VERSION}), name its place in ` +
        "SERVICE_HTTP_ENGINE_PATH, or leave SERVICE_HTTP_ENGINE unset to use the built-in engine.",
    );
  try {
    return createRequire(addon)(addon);
  } catch (error) {
    throw engineUnavailable(
      `SERVICE_HTTP_ENGINE=native: ${addon} was found and does not load on this machine; install a build for ` +
        "this system in SERVICE_HTTP_ENGINE_PATH, or leave SERVICE_HTTP_ENGINE unset to use the built-in engine.",
      error,
    );
  }
}

/**
 * @param {string} asked
 * @param {string} file
 * @returns {string | undefined}
 */
function findAddon(asked, file) {
  const asPath = path.resolve(asked);
  if (asked.endsWith(".node")) return existsSync(asPath) ? asPath : undefined;
  const directories =
    existsSync(asPath) && statSync(asPath).isDirectory() ? [asPath] : packageDirectories(asked);
  return directories
    .flatMap((directory) => [path.join(directory, "binaries", file), path.join(directory, file)])
    .find((candidate) => existsSync(candidate));
}

/**
 * Where a package of this name would be, seen from the working directory and from the program that runs.
 *
 * @param {string} name
 */
function packageDirectories(name) {
  const starts = [process.cwd(), ...(process.argv[1] ? [path.dirname(process.argv[1])] : [])];
  return starts
    .flatMap((start) => createRequire(path.join(start, "here.js")).resolve.paths(name) ?? [])
    .map((modules) => path.join(modules, name));
}

module.exports = { engineUnavailable, loadNative };
