import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Terminal } from "../terminal.ts";

/** The time that a starting browser needs to read the file. */
const readWithinMs = 5_000;

/**
 * Opens the browser with a file that redirects to the link, because every user of the machine can read argument vectors.
 * False if no browser can be opened.
 */
export const openInBrowser = async (url: string, env: Terminal["env"]): Promise<boolean> => {
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const hasScreen = process.platform === "darwin" || Boolean(env.DISPLAY ?? env.WAYLAND_DISPLAY);
  if (!hasScreen) return false;
  const folder = await mkdtemp(join(tmpdir(), "boardroom-open-"));
  try {
    const file = join(folder, "open.html");
    const address = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    await writeFile(
      file,
      `<!doctype html><meta charset="utf-8"><title>Boardroom</title><meta http-equiv="refresh" content="0;url=${address}">`,
      { mode: 0o600 },
    );
    const opened = await new Promise<boolean>((resolve) => {
      const child = spawn(opener, [pathToFileURL(file).href], {
        stdio: "ignore",
        detached: true,
        env: { ...process.env, ...env },
      });
      child.once("error", () => resolve(false));
      child.once("exit", (code) => resolve(code === 0));
    });
    if (opened) await sleep(readWithinMs);
    return opened;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
