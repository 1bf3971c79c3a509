import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SpawnerLost, spawner } from "../../adapters-infra/local/spawner.ts";
import { readySpawner } from "../support/ready-spawner.ts";
import { eventually } from "../support/service.ts";

const connections = vi.hoisted(() => ({ arrive: true }));

vi.mock("node:net", async (original) => {
  const net = await original<typeof import("node:net")>();
  return {
    ...net,
    createServer: (receive: (socket: Socket) => void) =>
      net.createServer((socket) => {
        if (connections.arrive) receive(socket);
      }),
  };
});

const started = spawner();

afterEach(() => started.end());

describe.skipIf(process.platform !== "linux")("the streams of a spawner", () => {
  it("that do not come before it ends fail the start, which would wait for them forever", async () => {
    await readySpawner(started);
    connections.arrive = false;
    const folder = await mkdtemp(join(tmpdir(), "spawner-streams-"));
    const mark = join(folder, "runs");
    const start = started.start({
      command: "sh",
      args: ["-c", `: > ${mark}; sleep 3`],
      cwd: "/",
      env: { PATH: process.env.PATH ?? "" },
      user: {},
      hasInput: false,
      entrance: null,
    })!;
    const answered = start.catch((error: unknown) => error);
    await eventually(
      async () => existsSync(mark),
      (runs) => runs,
    );
    // The spawner has said so before the program ran: its message is read by now.
    await setImmediate();
    await started.end();
    expect(await answered).toBeInstanceOf(SpawnerLost);
    await rm(folder, { recursive: true });
  });
});
