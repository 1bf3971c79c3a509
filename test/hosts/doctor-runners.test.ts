import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { defaultLeaseSec, leaseTimes } from "../../core/model/runs/lease.ts";
import { examine } from "../../hosts/cli/doctor/doctor.ts";
import { LoopbackApi } from "../support/kubernetes/loopback-api.ts";
import { startService, type TestService } from "../support/service.ts";

const api = new LoopbackApi();
const refusal = "pods is forbidden: violates PodSecurity";
let folder: string;
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "doctor-"));
  const { server, token } = await api.open();
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(
    kubeconfig,
    stringify({
      clusters: [{ name: "c", cluster: { server } }],
      users: [{ name: "u", user: { token: token() } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  service = await startService({
    env: { SERVICE_AGENT_URL: "http://service.example:3100" },
    templates: {
      broken: "kind: kubernetes\nnamespace: agents\n",
      cluster: stringify({
        kind: "kubernetes",
        kubeconfig,
        namespace: "agents",
        image: "agents:1",
        endingSec: 40,
      }),
    },
  });
});
afterAll(async () => {
  await service?.stop();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the doctor", () => {
  it("starts a pod for each template, and says what is wrong with it or with the template", async () => {
    api.fail("POST", /\/pods$/, { status: 422, reason: "Invalid", message: refusal });
    const checks = await examine({ url: service.url, token: service.token }, {});
    const about = (name: string) => checks.filter(({ check }) => check === `runner ${name}`);
    expect(about("cluster")).toEqual([
      { level: "fail", check: "runner cluster", message: `The cluster refuses its pod: ${refusal}` },
    ]);
    expect(about("broken")).toMatchObject([
      {
        level: "fail",
        message: expect.stringContaining("image"),
        hint: expect.stringContaining("runners/broken.yaml"),
      },
    ]);
    expect(about("local")).toEqual([]);
    expect(api.complaints).toEqual([]);
  });
});

describe("the runners", () => {
  it("show until when a run of a dead service has ended there", async () => {
    const { recoveryBoundSec } = leaseTimes(defaultLeaseSec);
    const bounds = (await service.admin.runners.list({})).map(({ name, recoveryBoundSec }) => [
      name,
      recoveryBoundSec,
    ]);
    expect(Object.fromEntries(bounds)).toEqual({
      local: recoveryBoundSec,
      broken: null,
      cluster: recoveryBoundSec + 40,
    });
  });

  it("on the service's machine are checked for how far agents are kept apart", async () => {
    const { checks, status } = await service.admin.runners.check({ runnerName: "local" });
    expect(status).toBe("fail");
    expect(checks[0]).toMatchObject({ level: "error", code: "agents_not_separated" });
    expect(checks[0]?.message).toMatch(/SERVICE_SANDBOX/);
  });
});
