import { randomBytes } from "node:crypto";
import { pause } from "../bench/measure.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import type { GitHost } from "../support/git-host.ts";
import type { Ground } from "./ground.ts";

/**
 * The program of an agent: it works some seconds, says its secret, commits to a repository where it has one, and ends its
 * issue, hands it over, crashes, or ignores SIGTERM.
 */
const agent = nodeAgent(`
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const whim = Math.random();
if (whim < 0.15) process.on("SIGTERM", () => console.log("not yet"));
if (task === undefined) process.exit(0);
await call("POST", "/api/issues/" + task + "/checkout", { agentId: me, expectedStatuses: ["todo", "in_progress"] });
console.log("the key of the lamp is " + process.env.LAMP_KEY);
for (let n = 0; n < 1 + whim * 4; n++) { console.log("step " + n); await wait(700); }
if (existsSync(".git")) {
  appendFileSync("log.txt", run + "\\n");
  for (const args of [["add", "log.txt"], ["commit", "-qm", "Log " + run], ["push", "-q"]]) execFileSync("git", args, { stdio: "inherit" });
}
await call("POST", "/api/companies/" + process.env.SERVICE_COMPANY_ID + "/cost-events", { agentId: me, provider: "soak", model: "m", costCents: 1 });
await call("POST", "/api/issues/" + task + "/comments", { body: "Looked into it." });
if (whim > 0.9) process.exit(3);
await call("PATCH", "/api/issues/" + task, { status: whim > 0.8 ? "in_review" : "done" });
`);

export interface Company {
  readonly id: string;
  readonly agents: readonly string[];
  readonly routines: readonly string[];
  /** The project with a repository. */
  readonly projectId: string;
  readonly secretId: string;
  readonly webhook: { readonly path: string; readonly secret: string };
}

/** Values that no answer, no row and no log may have in clear. */
export interface Confidential {
  readonly values: string[];
  next(): string;
}

export const confidential = (): Confidential => {
  const values: string[] = [];
  return {
    values,
    next: () => {
      const value = `soak-${randomBytes(24).toString("hex")}`;
      values.push(value);
      return value;
    },
  };
};

/**
 * Makes two companies of agents with a secret. Each has a project with a repository, a webhook, and a routine for each tenth
 * agent. The agents of a company report to its first.
 */
export const furnish = async (
  { service }: Ground,
  host: GitHost,
  secrets: Confidential,
  count: number,
): Promise<readonly Company[]> => {
  const board = await service.board();
  const companies: Company[] = [];
  for (const share of [Math.ceil(count / 2), Math.floor(count / 2)]) {
    const { id } = await board.companies.create({ name: `Soak ${companies.length + 1}` });
    const secret = (name: string, value: string) => board.secrets.create({ companyId: id, name, value });
    const { id: secretId } = await secret("lamp", secrets.next());
    const { id: credentialSecretId } = await secret("host", host.token!);
    const agents: string[] = [];
    const routines: string[] = [];
    for (let n = 0; n < share; n++) {
      const made = await board.agents.create({
        companyId: id,
        name: `Agent ${n}`,
        adapterType: "process",
        reportsTo: agents[0] ?? null,
        adapterConfig: {
          ...agent,
          env: { LAMP_KEY: { type: "secret_ref", secretId, version: "latest" } },
          timeoutSec: 60,
          graceSec: 2,
        },
      });
      agents.push(made.id);
    }
    const { id: projectId } = await board.projects.create({ companyId: id, name: "Harbour" });
    await board.repositories.create({
      projectId,
      url: host.url,
      credentialSecretId,
      allowPrivateHost: true,
      directory: null,
    });
    for (let n = 0; n < Math.ceil(share / 10); n++) {
      const routine = await board.routines.create({
        companyId: id,
        projectId,
        title: `Round ${n}`,
        assigneeAgentId: agents[n]!,
      });
      await board.routines.addTrigger({
        routineId: routine.id,
        kind: "schedule",
        cronExpression: "* * * * *",
        timezone: "UTC",
      });
      routines.push(routine.id);
    }
    const hook = await board.routines.addTrigger({ routineId: routines[0]!, kind: "webhook" });
    secrets.values.push(hook.secret!);
    const webhook = { path: new URL(hook.webhookUrl!).pathname, secret: hook.secret! };
    companies.push({ id, agents, routines, projectId, secretId, webhook });
  }
  return companies;
};

/** Counts of answers by status; `none` where the connection broke. */
export type Answers = Map<string, number>;

/**
 * The callers, until they are stopped: people who create, read, block, comment and move issues, set budgets, hold agents and
 * companies, and rotate secrets, and a host that calls webhooks.
 */
export const callers = (
  ground: Ground,
  token: string,
  companies: readonly Company[],
  secrets: Confidential,
  random: () => number,
) => {
  const answers: Answers = new Map();
  /** Answers that had a confidential value. */
  const leaks: string[] = [];
  const recent: string[] = [];
  const comments: (readonly [issueId: string, commentId: string])[] = [];
  let stopped = false;
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const call = async (method: string, path: string, body?: object, bearer = token): Promise<unknown> => {
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    try {
      const signal = AbortSignal.timeout(30_000);
      const answer = await fetch(ground.url + path, { ...sent, signal });
      const text = await answer.text();
      answers.set(String(answer.status), (answers.get(String(answer.status)) ?? 0) + 1);
      if (secrets.values.some((value) => text.includes(value))) leaks.push(`${method} ${path}`);
      return answer.ok && text !== "" ? JSON.parse(text) : null;
    } catch {
      answers.set("none", (answers.get("none") ?? 0) + 1);
      await pause(100);
      return null;
    }
  };
  const act = async (): Promise<void> => {
    const company = any(companies);
    const issue = recent.length === 0 ? null : any(recent);
    const dice = random();
    if (dice < 0.25 || issue === null) {
      const given = {
        title: "Trim the lamp",
        status: "todo",
        assigneeAgentId: any(company.agents),
        projectId: random() < 0.5 ? company.projectId : null,
      };
      const made = await call("POST", `/api/companies/${company.id}/issues`, given);
      if (made !== null) recent.push((made as { id: string }).id);
      if (recent.length > 200) recent.shift();
    } else if (dice < 0.37) {
      const made = await call("POST", `/api/issues/${issue}/comments`, { body: "How is it going?" });
      if (made !== null) comments.push([issue, (made as { id: string }).id]);
    } else if (dice < 0.4 && comments.length > 0) {
      const [of, comment] = any(comments);
      await call("DELETE", `/api/issues/${of}/comments/${comment}`);
    } else if (dice < 0.46)
      await call("PATCH", `/api/issues/${issue}`, { status: any(["todo", "cancelled"]) });
    else if (dice < 0.5) await call("POST", `/api/issues/${issue}/release`);
    else if (dice < 0.56)
      await call("PATCH", `/api/issues/${issue}`, { assigneeAgentId: any(company.agents) });
    else if (dice < 0.6) await call("PATCH", `/api/issues/${issue}`, { blockedByIssueIds: [any(recent)] });
    else if (dice < 0.65) await fireWebhook(company);
    else if (dice < 0.68)
      await call("POST", `/api/agents/${any(company.agents)}/${any(["pause", "resume", "resume"])}`);
    else if (dice < 0.71)
      await call("PATCH", `/api/agents/${any(company.agents)}`, { budgetMonthlyCents: any([0, 0, 5, 20]) });
    else if (dice < 0.72)
      await call("PATCH", `/api/companies/${company.id}`, { budgetMonthlyCents: any([0, 0, 0, 50]) });
    else if (dice < 0.73) {
      await call("POST", `/api/companies/${company.id}/pause`);
      await pause(1_000 + random() * 4_000);
      await call("POST", `/api/companies/${company.id}/resume`);
    } else if (dice < 0.74)
      await call("POST", `/api/secrets/${company.secretId}/rotate`, { value: secrets.next() });
    else if (dice < 0.86) await call("GET", `/api/issues/${issue}`);
    else await call("GET", `/api/companies/${company.id}/issues`);
  };
  const fireWebhook = ({ webhook }: Company) => call("POST", webhook.path, { lamp: "out" }, webhook.secret);
  const worker = async (): Promise<void> => {
    while (!stopped) {
      await act();
      await pause(400 + random() * 800);
    }
  };
  const working = Array.from({ length: 8 }, worker);
  return {
    answers,
    leaks,
    stop: async (): Promise<void> => {
      stopped = true;
      await Promise.all(working);
    },
    /** Lifts every hold and ends the routines, so that what was kept back is done. Asks until it is answered. */
    liftHolds: async (): Promise<void> => {
      const requestOk = async (method: string, path: string, body?: object): Promise<void> => {
        const done = () => (answers.get("200") ?? 0) + (answers.get("409") ?? 0);
        for (let tries = 0; tries < 300; tries++) {
          const before = done();
          await call(method, path, body);
          if (done() > before) return;
          await pause(200);
        }
      };
      for (const { id, agents, routines } of companies) {
        for (const routine of routines)
          await requestOk("PATCH", `/api/routines/${routine}`, { status: "paused" });
        await requestOk("PATCH", `/api/companies/${id}`, { budgetMonthlyCents: 0 });
        await requestOk("POST", `/api/companies/${id}/resume`);
        for (const one of agents) {
          await requestOk("PATCH", `/api/agents/${one}`, { budgetMonthlyCents: 0 });
          await requestOk("POST", `/api/agents/${one}/resume`);
        }
      }
    },
  };
};
