import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/external-adapter.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { serveProgram } from "../support/service-program.ts";

/** Of Node's pool. */
const threads = 4;

/**
 * Starts a service that reads so many pipes, in which nobody writes, on request. Where that takes all threads, a tenth of
 * the time that its stop may take is enough.
 */
const serviceWithPipes = async (pipes: number) => {
  const folder = temporaryFolder();
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const preload = join(folder, "read-pipes.mjs");
  writeFileSync(
    preload,
    `import { readFile } from "node:fs/promises";
     process.on("SIGUSR2", () => {
       for (let n = 0; n < ${pipes}; n += 1) readFile(${JSON.stringify(join(folder, "pipe"))}).catch(() => {});
       process.stdout.write("reads pipes\\n");
     });
     const { setTimeout } = globalThis;
     if (${pipes === threads}) process.on("SIGTERM", () => {
       globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms > 40_000 ? ms / 10 : ms, ...rest);
     });`,
  );
  const dataDir = join(folder, "data");
  await preparedDataDirectory(dataDir);
  const service = await serveProgram(dataDir, { NODE_OPTIONS: `--import=file://${preload}` });
  service.child.kill("SIGUSR2");
  await eventually(
    async () => service.output(),
    (output) => output.includes("reads pipes"),
  );
  return { service, dataDir };
};

describe("SIGTERM ends a service", () => {
  it.concurrent.each([
    [1, /exits immediately: its threads are waiting for a file/],
    [threads, /exits immediately: its stop has taken too long/],
  ])("in which %i of the threads wait without end", async (pipes, why) => {
    const { service, dataDir } = await serviceWithPipes(pipes);
    await service.stop();
    expect(service.child.signalCode).toBe("SIGKILL");
    expect(service.output()).toMatch(why);
    // It starts again on the same data.
    const next = await serveProgram(dataDir);
    expect(await next.stop()).toBe(0);
  });
});
