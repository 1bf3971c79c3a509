import { existsSync } from "node:fs";

const path = "/usr/bin/chromium";
const headlessPath = "/usr/bin/chromium-headless-shell";

/** Debian's Chromium; null: the tests of the page are skipped, which the set-up of the suite says. */
export const chromiumPath = existsSync(path) ? path : null;

/** The same engine without the parts of a desktop, for pages that need none: a third less processor time. */
export const headlessChromiumPath = existsSync(headlessPath) ? headlessPath : chromiumPath;
