import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SpawnerLost, spawner } from "../../adapters-infra/local/spawner.ts";
import { readySpawner } from "../support/ready-spawner.ts";

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
    const start = started.start({
      command: "sleep",
      args: ["3"],
      cwd: "/",
      env: { PATH: process.env.PATH ?? "" },
      user: {},
      hasInput: false,
      entrance: null,
    })!;
    const answered = start.catch((error: unknown) => error);
    // Long enough for the spawner to have said that the program runs.
    await sleep(1_000);
    await started.end();
    expect(await Promise.race([answered, sleep(5_000, "waits")])).toBeInstanceOf(SpawnerLost);
  });
});
