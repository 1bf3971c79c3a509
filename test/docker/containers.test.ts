import { createHash, randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { volumeNameOf } from "../../adapters-infra/runner-helper/labels.ts";
import { remoteRunnerContract, supervise } from "../contracts/remote-runner.ts";
import { installation } from "../support/installation.ts";
import { cuttingProxy } from "./cutting-proxy.ts";
import { ask, dockerOf, engineKinds, isInstalled, runnerOn, startEngine, type TestEngine } from "./engine.ts";
import { objectsOf, processesOf, remoteOf, runOn, workspaces } from "./remote.ts";

// `npm run test:docker`: on engines of Debian's packages podman and docker.io, as root.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Prints 5 MB in pieces: an engine reads its whole log for each connection. */
const lines = `
const line = (n) => n + " " + String(n * 7919 % 104729).repeat(20) + "\\n";
(async () => {
  for (let n = 0; n < 60_000; n += 1) {
    if (n % 1000 === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    if (!process.stdout.write(line(n))) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
})();
`;
const expected = (): string => {
  const hash = createHash("sha256");
  for (let n = 0; n < 60_000; n += 1) hash.update(`${n} ${String((n * 7919) % 104729).repeat(20)}\n`);
  return hash.digest("hex");
};

describe.each(engineKinds.filter(isInstalled))("containers of %s", (kind) => {
  let started: TestEngine | undefined;
  const engine = () => started!;
  beforeAll(async () => {
    started = await startEngine(kind);
  });
  afterAll(() => started?.close());

  remoteRunnerContract(() => remoteOf(engine()));

  it("have one user, no capability, a read-only system, and no way to more", async () => {
    const { out } = await runOn(runnerOn(engine()), {
      command: "sh",
      args: [
        "-c",
        "id -u; touch /x 2>&1; ls /boardroom/start/input; grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status",
      ],
    });
    expect(out().toString()).toMatch(/^1000\n/);
    expect(out().toString()).toMatch(/Read-only file system\nCapEff/);
    expect(out().toString()).toMatch(/CapEff:\s+0{16}\nNoNewPrivs:\s+1\nSeccomp:\s+2/);
  });

  it("keep an agent's workspace and home on its volume from one container to the next", async () => {
    const agent = randomUUID();
    const say = (script: string, cwd?: string) =>
      runOn(
        runnerOn(engine()),
        { command: "sh", args: ["-c", script], ...(cwd === undefined ? {} : { cwd }) },
        undefined,
        agent,
      );
    await say("echo kept > file; echo session > $HOME/session");
    expect((await say("cat file $HOME/session")).out().toString()).toBe("kept\nsession\n");
    // At the start of each program, whatever one before has made of them.
    await say("node -e 'for (const path of [process.cwd(), process.env.HOME]) fs.chmodSync(path, 0o777)'");
    const modes = (await say("ls -ldn . $HOME")).out().toString();
    expect(modes).toMatch(/^drwx------ \d+ 1000 1000 .* \.\ndrwx------ \d+ 1000 1000 .*home\n$/);
    const elsewhere = await say("echo x > y; cat y ../../workspace/file", "/boardroom/work/other/folder");
    expect(elsewhere.out().toString()).toBe("x\nkept\n");
    expect(await dockerOf(engine().socket).removeVolume(volumeNameOf(installation, agent))).toBe(true);
  });

  it("say that they took too much memory", async () => {
    const { outcome } = await runOn(runnerOn(engine(), { memoryBytes: 128 * 1024 ** 2 }), {
      command: "node",
      args: ["-e", "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"],
    });
    expect(outcome).toMatchObject({ overMemory: true });
  });

  it("say so too where the kernel ends process 1, the largest next to files in memory", async () => {
    const { outcome } = await runOn(runnerOn(engine(), { memoryBytes: 128 * 1024 ** 2 }), {
      command: "sh",
      args: ["-c", "cat /dev/zero > /tmp/file"],
    });
    expect(outcome).toMatchObject({ overMemory: true });
  });

  it("say that they were killed from outside, also with a limit of memory", async () => {
    const one = await supervise(workspaces);
    const running = runOn(
      runnerOn(engine(), { memoryBytes: 128 * 1024 ** 2 }),
      { command: "sh", args: ["-c", "echo up; sleep 50"] },
      one,
    );
    await expect.poll(() => one.out().toString(), { timeout: 30_000 }).toBe("up\n");
    ask(engine().socket, "POST", `/containers/${one.identity()!.uid}/kill?signal=SIGKILL`);
    const { outcome } = await running;
    expect(outcome.overMemory).toBeUndefined();
    expect(outcome.startError).toMatch(/killed from outside/);
  });

  it("say that they started too many processes", async () => {
    const { outcome } = await runOn(runnerOn(engine(), { pids: 40 }), {
      command: "sh",
      args: [
        "-c",
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do sleep 5 & done; wait; exit 1",
      ],
    });
    expect(outcome).toMatchObject({ overProcesses: true });
  });

  it.each([
    ["no image", { image: "localhost/none:1" }, /Its image localhost\/none:1 is not on the engine/],
    ["no network", { network: "nowhere" }, /nowhere/],
  ])("say why they do not start: %s", async (_, more, sentence) => {
    const { outcome, runId } = await runOn(runnerOn(engine(), more), { command: "true", args: [] });
    expect(outcome.startError).toMatch(sentence);
    expect(await objectsOf(engine(), runId)).toEqual([]);
  });

  it("are ended without a service, once it has not answered for the time of the fence", async () => {
    const service = { SERVICE_API_URL: "http://127.0.0.1:9", SERVICE_API_KEY: "x" };
    const { outcome } = await runOn(
      runnerOn(engine(), {}, 4),
      {
        command: "sleep",
        args: ["50"],
        env: {},
      },
      await supervise(workspaces, { variables: service }),
    );
    expect(outcome.startError).toMatch(/the service did not answer/);
  });

  it("send output byte for byte over a connection that breaks all the time", async () => {
    const proxy = await cuttingProxy(engine().socket, 700);
    const { outcome, out, system } = await runOn(runnerOn({ socket: proxy.socket }), {
      command: "node",
      args: ["-e", lines],
    });
    await proxy.close();
    expect(outcome).toMatchObject({ exitCode: 0 });
    expect(system()).toBe("");
    expect(proxy.cuts()).toBeGreaterThan(3);
    expect(createHash("sha256").update(out()).digest("hex")).toBe(expected());
  });

  it("are found and ended though they are paused", async () => {
    const { runner, other } = remoteOf(engine());
    const one = await supervise(workspaces);
    const running = runOn(runner, { command: "sh", args: ["-c", "echo up; sleep 50"] }, one);
    await expect.poll(() => one.out().toString(), { timeout: 30_000 }).toBe("up\n");
    ask(engine().socket, "POST", `/containers/${one.identity()!.uid}/pause`);
    await Effect.runPromise(other.endOrphans(one.runId, null, 1));
    expect((await running).outcome.startError).toMatch(/removed by somebody else|without a result|ended it/);
    expect(processesOf(one.runId)).toEqual([]);
    expect(await objectsOf(engine(), one.runId)).toEqual([]);
  });
});
