import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/service.ts";
import { program } from "../support/service-program.ts";

const run = promisify(execFile);

let service: TestService;
let company: { id: string };
let agent: { id: string };
let approval: { id: string };

beforeAll(async () => {
  service = await startService({ role: "api" });
  const { admin } = service;
  company = await admin.companies.create({ name: "Harbour", budgetMonthlyCents: 10_000 });
  agent = await admin.agents.create({ companyId: company.id, name: "Ada", adapterType: "process" });
  const idle = await admin.agents.create({ companyId: company.id, name: "Bob", adapterType: "process" });
  const event = {
    companyId: company.id,
    provider: "acme",
    model: "m-1",
    inputTokens: 1000,
    outputTokens: 234,
  };
  await admin.costs.report({ ...event, agentId: agent.id, costCents: 8_000 });
  await admin.costs.report({ ...event, agentId: idle.id, costCents: 1_000 });
  await admin.costs.report({ ...event, agentId: idle.id });
  approval = await admin.approvals.create({
    companyId: company.id,
    type: "ownership_decision",
    payload: { subject: "Who owns the \u001b[31mlinter?", candidateOwners: ["Ada"], class: "tooling" },
    requestedByAgentId: agent.id,
  });
});
afterAll(() => service?.stop());

/** Runs the program in a process, as people do. */
const boardroom = async (...args: string[]) => {
  const env = {
    PATH: process.env.PATH,
    HOME: service.dataDir,
    SERVICE_API_URL: service.url,
    SERVICE_API_KEY: service.token,
  };
  try {
    const { stdout, stderr } = await run(process.execPath, [program, ...args], { env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
};

describe("boardroom costs", () => {
  it("shows costs, budget, unknown costs and the forecast", async () => {
    const { stdout } = await boardroom("costs", "summary", "-C", company.id);
    expect(stdout).toContain("$90.00 of $100.00");
    expect(stdout).toMatch(/█{21,22}.?░+ 90 %/);
    expect(stdout).toContain("1 events, 1,234 tokens: not included in the amount spent");
    expect(stdout).toMatch(/forecast +\$\d+\.\d\d by the end of the month/);
  });

  it("draws costs by agent as bars of one scale", async () => {
    const { stdout } = await boardroom("costs", "by-agent", "-C", company.id);
    const [head, ada, bob] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/AGENT +BUDGET +RUNS +COST +TOKENS +UNKNOWN COST/);
    expect(ada).toMatch(/^Ada .*\$80\.00 +█{24} +1,234/);
    expect(bob).toMatch(/^Bob .*\$10\.00 +█{3} +2,468 +1 events/);
  });

  it.each(["by-project", "by-provider", "by-day", "by-agent-and-day", "events"])(
    "prints %s",
    async (action) => {
      const { code, stdout } = await boardroom("costs", action, "-C", company.id);
      expect(code).toBe(0);
      expect(stdout).toMatch(/\$(?:90|80)\.00/);
    },
  );
});

describe("boardroom approvals", () => {
  it("lists open requests, and keeps their escape sequences from the terminal", async () => {
    const { stdout } = await boardroom("approvals", "list", "-C", company.id, "--status", "pending");
    expect(stdout).toMatch(/APPROVAL +TYPE +STATUS +ABOUT +REQUESTED BY +CREATED/);
    expect(stdout).toContain(approval.id);
    expect(stdout).toMatch(/ownership_decision +pending +Who owns the .*linter\? +Ada/);
    expect(stdout).not.toContain("\u001b[31m");
  });

  it("shows the checks of authority", async () => {
    const { stdout } = await boardroom("approvals", "authority", approval.id);
    expect(stdout).toContain("You may decide it, as instance admin.");
    expect(stdout).toContain("✓ approval pending");
    expect(stdout).toContain("– not requester");
  });

  it("approves with an owner, and reports a missing one plainly", async () => {
    const missing = await boardroom("approvals", "approve", approval.id);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("--chosen-owner");
    const done = await boardroom("approvals", "approve", approval.id, "--chosen-owner", "Ada");
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain("approved");
  });
});

describe("boardroom routines", () => {
  it("reminds people to keep the secret of a trigger that has one, and of no other", async () => {
    const project = await service.admin.projects.create({ companyId: company.id, name: "Upkeep" });
    const routine = await service.admin.routines.create({
      companyId: company.id,
      title: "Tidy",
      assigneeAgentId: agent.id,
      projectId: project.id,
    });
    const add = (...args: string[]) => boardroom("routines", "add-trigger", routine.id, ...args);
    const webhook = await add("--kind", "webhook");
    expect(webhook.stderr).toContain("Copy the secret now. It won't be shown again.");
    const rotated = await boardroom("routines", "rotate-secret", (await idOfTrigger(routine.id, "webhook"))!);
    expect(rotated.stderr).toContain("Copy the secret now");
    const schedule = await add("--kind", "schedule", "--cron-expression", "0 9 * * *");
    expect(schedule).toMatchObject({ code: 0, stderr: "" });
    const key = await boardroom("agents", "create-key", agent.id, "--name", "laptop");
    expect(key.stderr).toContain("Copy the token now. It won't be shown again.");
  });

  const idOfTrigger = async (routineId: string, kind: string) =>
    (await service.admin.routines.get({ routineId })).triggers.find((each) => each.kind === kind)?.id;
});
