import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";
import { writeSkill } from "../support/skills.ts";

let service: TestService;
let companyId: string;
let home: string;
let catalogue: string;

/** Replaces claude: prints the skills that it was given, as a result. */
const program = `#!/bin/sh
for word in "$@"; do case "$word" in --add-dir=*) names=$(ls "\${word#--add-dir=}/.claude/skills");; esac; done
read -r _
echo '{"type":"result","subtype":"success","is_error":false,"result":"skills:'$names'"}'
`;

beforeAll(async () => {
  service = await startService();
  home = mkdtempSync(join(tmpdir(), "skills-home-"));
  catalogue = join(service.dataDir, "skills");
  writeFileSync(join(home, "claude"), program);
  chmodSync(join(home, "claude"), 0o755);
  companyId = (await service.admin.companies.create({ name: "Lighthouse" })).id;
});
afterAll(async () => {
  await service?.stop();
  rmSync(home, { recursive: true, force: true });
});

let number = 0;
const anAgent = async (adapterType = "adapter_a_local") => {
  number += 1;
  const adapterConfig = { command: join(home, "claude"), env: { HOME: home } };
  return (
    await service.admin.agents.create({ companyId, name: `Agent ${number}`, adapterType, adapterConfig })
  ).id;
};
const sync = (agentId: string, ...desiredSkills: string[]) =>
  service.request("POST", `/api/agents/${agentId}/skills/sync`, { body: { desiredSkills } });
const list = async (agentId: string) => (await service.request("GET", `/api/agents/${agentId}/skills`)).body;
const states = (snapshot: { entries: { key: string; state: string }[] }) =>
  Object.fromEntries(snapshot.entries.map(({ key, state }) => [key, state]));

/** Gives the skills of the agent's program in one run. */
const givenTo = async (agentId: string) => {
  const runId = (await service.admin.agents.invoke({ agentId })).id!;
  const { status, summary, error } = await eventually(
    () => service.admin.runs.get({ runId }),
    (run) => run.status !== "queued" && run.status !== "running",
  );
  expect({ status, error }).toEqual({ status: "succeeded", error: null });
  return summary;
};

describe("an agent's skills", () => {
  it("are the service's own, those of its catalogue, and those that its program finds by itself", async () => {
    writeSkill(catalogue, "harbour", "Knows the harbour.");
    writeSkill(join(home, ".claude", "skills"), "mine");
    const snapshot = await list(await anAgent());
    expect(snapshot).toMatchObject({ supported: true, mode: "ephemeral", desiredSkills: [] });
    expect(states(snapshot)).toEqual({
      boardroom: "available",
      harbour: "available",
      "~/.claude/skills/mine": "external",
    });
    expect(snapshot.entries.find(({ key }: { key: string }) => key === "harbour")).toMatchObject({
      managed: true,
      desired: false,
      origin: "company_managed",
      detail: "Knows the harbour.",
    });
    expect(snapshot.entries.at(-1)).toMatchObject({
      managed: false,
      readOnly: true,
      origin: "user_installed",
      runtimeName: "mine",
    });
    expect(readFileSync(join(catalogue, "boardroom", "SKILL.md"), "utf8")).toContain("/checkout");
  });

  it("reach the next run when they are synchronised, and leave it when they are removed", async () => {
    writeSkill(catalogue, "harbour");
    const agentId = await anAgent();
    expect(await givenTo(agentId)).toBe("skills:");
    const synced = await sync(agentId, "harbour", "boardroom", "harbour");
    expect(synced).toMatchObject({ status: 200, body: { desiredSkills: ["harbour", "boardroom"] } });
    expect(states(synced.body)).toMatchObject({ harbour: "configured", boardroom: "configured" });
    expect(await givenTo(agentId)).toBe("skills:boardroom harbour");
    await sync(agentId, "boardroom");
    expect(await givenTo(agentId)).toBe("skills:boardroom");
    expect(states(await list(agentId))).toMatchObject({ harbour: "available", boardroom: "configured" });
    await sync(agentId);
    expect(await givenTo(agentId)).toBe("skills:");
  });

  it("are part of its configuration: a revision, rolled back like any other, and logged", async () => {
    writeSkill(catalogue, "harbour");
    const agentId = await anAgent();
    await sync(agentId, "harbour");
    await sync(agentId, "harbour");
    const revisions = (await service.request("GET", `/api/agents/${agentId}/config-revisions`)).body;
    expect(revisions).toHaveLength(2);
    const first = revisions.find(({ source }: { source: string }) => source === "create");
    await service.request("POST", `/api/agents/${agentId}/config-revisions/${first.id}/rollback`);
    expect(await list(agentId)).toMatchObject({ desiredSkills: [] });
    const { body } = await service.request("GET", `/api/companies/${companyId}/activity`);
    expect(
      body.filter((entry: { action: string; entityId: string }) => entry.entityId === agentId),
    ).toContainEqual(
      expect.objectContaining({ action: "agent.skills_synced", details: { desiredSkills: ["harbour"] } }),
    );
  });

  it("that have left the catalogue are missing, and prevent no run", async () => {
    writeSkill(catalogue, "passing");
    const agentId = await anAgent();
    await sync(agentId, "passing", "boardroom");
    rmSync(join(catalogue, "passing"), { recursive: true });
    expect(states(await list(agentId))).toMatchObject({ passing: "missing" });
    expect(await givenTo(agentId)).toBe("skills:boardroom");
    const runs = (
      await service.request("GET", `/api/companies/${companyId}/heartbeat-runs?agentId=${agentId}`)
    ).body;
    const events = (await service.request("GET", `/api/heartbeat-runs/${runs[0].id}/events`)).body;
    expect(events.map(({ message }: { message: string }) => message)).toContain(
      "Not available, so the run starts without it: skill passing.",
    );
  });

  it("that are not in the catalogue are refused by name", async () => {
    const { status, body } = await sync(
      await anAgent(),
      "boardroom",
      "nobody-has-it",
      "~/.claude/skills/mine",
    );
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: "skill_unknown",
      details: { unknown: ["nobody-has-it", "~/.claude/skills/mine"] },
    });
    expect(body.error).toContain("nobody-has-it");
  });

  it("are unsupported if the adapter has none", async () => {
    const agentId = await anAgent("process");
    expect(await list(agentId)).toEqual({
      adapterType: "process",
      supported: false,
      mode: "unsupported",
      desiredSkills: [],
      entries: [],
      warnings: [],
    });
    expect(await sync(agentId, "boardroom")).toMatchObject({
      status: 422,
      body: { code: "skills_unsupported" },
    });
    expect((await sync(agentId)).status).toBe(200);
  });

  it("of an external adapter are those that it reports, as far as valid, and reach its runs", async () => {
    writeSkill(catalogue, "harbour");
    const folder = join(home, "external");
    mkdirSync(folder);
    const exports = { ".": "./index.js", "./server": "./index.js" };
    const manifest = { name: "external", version: "1.0.0", type: "module", exports, files: ["index.js"] };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(
      join(folder, "index.js"),
      `
const entries = (offered, desired) => [
  ...offered.map(({ key }) => ({ key, runtimeName: key, desired: desired.includes(key), managed: true,
    state: desired.includes(key) ? "installed" : "available", detail: "pid\\u0007 " + (process.pid === ${process.pid}) })),
  { key: "nonsense", state: "beautiful" }, 7, null];
const snapshot = (desired, { offeredSkills }) => ({ adapterType: "a lie", supported: true, mode: "persistent",
  desiredSkills: ["a lie"], entries: entries(offeredSkills, desired), warnings: ["mind the gap", 7] });
export const type = "external_with_skills", label = "S", models = [], agentConfigurationDoc = "";
export const createServerAdapter = () => ({ type, models, agentConfigurationDoc,
  testEnvironment: async ({ adapterType }) => ({ adapterType, status: "pass", checks: [], testedAt: new Date().toISOString() }),
  execute: async ({ skills }) => ({ exitCode: 0, timedOut: false, summary: "skills:" + (skills?.wanted ?? []).map(({ key }) => key) }),
  listSkills: async (context) => snapshot(context.config.desiredSkills ?? [], context),
  syncSkills: async (context, desired) => snapshot(desired, context),
  detectModel: async () => ({ model: "m1", provider: "p", source: "s", candidates: ["m2", 7] }),
});`,
    );
    await service.request("POST", "/api/adapters", { body: { localPath: folder } });
    const agentId = await anAgent("external_with_skills");
    const { body } = await sync(agentId, "harbour");
    expect(body).toMatchObject({
      adapterType: "external_with_skills",
      mode: "persistent",
      desiredSkills: ["harbour"],
    });
    expect(states(body)).toMatchObject({ harbour: "installed", boardroom: "available" });
    expect(Object.keys(states(body))).not.toContain("nonsense");
    expect(body.entries[0].detail).toBe("pid false");
    expect(body.warnings.at(-1)).toBe("mind the gap");
    expect(await givenTo(agentId)).toBe("skills:harbour");
    const path = `/api/companies/${companyId}/adapters/external_with_skills/detect-model`;
    expect((await service.request("GET", path)).body).toEqual({
      model: "m1",
      provider: "p",
      source: "s",
      candidates: ["m1", "m2"],
    });
  });

  it("in the catalogue are folders: other files there are reported, and not offered", async () => {
    const elsewhere = join(service.dataDir, "elsewhere");
    writeSkill(elsewhere, "linked");
    symlinkSync(join(elsewhere, "linked"), join(catalogue, "linked"));
    mkdirSync(join(catalogue, "empty"));
    mkdirSync(join(catalogue, "Not A Name"));
    writeSkill(catalogue, "renamed");
    writeFileSync(join(catalogue, "renamed", "SKILL.md"), "---\nname: other\ndescription: x\n---\n");
    mkdirSync(join(catalogue, "silent"));
    writeFileSync(join(catalogue, "silent", "SKILL.md"), "---\nname: silent\n---\n");
    mkdirSync(join(catalogue, "pointing"));
    symlinkSync("/etc/passwd", join(catalogue, "pointing", "SKILL.md"));
    const { entries, warnings } = await list(await anAgent());
    const keys = entries.map(({ key }: { key: string }) => key);
    for (const name of ["linked", "empty", "Not A Name", "renamed", "silent", "pointing"]) {
      expect(keys).not.toContain(name);
      expect(warnings.join("\n")).toContain(`skills/${name} is not on offer`);
      rmSync(join(catalogue, name), { recursive: true });
    }
  });
});

describe("the detected model of an adapter", () => {
  it("is null if the adapter cannot tell, and refused for an unknown adapter", async () => {
    const path = (type: string) => `/api/companies/${companyId}/adapters/${type}/detect-model`;
    const { status, body } = await service.request("GET", path("process"));
    expect({ status, body }).toEqual({ status: 200, body: null });
    expect(await service.request("GET", path("nobody"))).toMatchObject({
      status: 422,
      body: { code: "adapter_unknown" },
    });
  });
});
