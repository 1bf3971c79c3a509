import { pause } from "../bench/measure.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import type { Ground } from "./ground.ts";

/** The program of an agent: it works some seconds, and ends its issue, hands it over, crashes, or ignores SIGTERM. */
const agent = nodeAgent(`
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const whim = Math.random();
if (whim < 0.15) process.on("SIGTERM", () => console.log("not yet"));
if (task === undefined) process.exit(0);
await call("POST", "/api/issues/" + task + "/checkout", { agentId: me, expectedStatuses: ["todo", "in_progress"] });
for (let n = 0; n < 1 + whim * 4; n++) { console.log("step " + n); await wait(700); }
await call("POST", "/api/companies/" + process.env.SERVICE_COMPANY_ID + "/cost-events", { agentId: me, provider: "soak", model: "m", costCents: 1 });
await call("POST", "/api/issues/" + task + "/comments", { body: "Looked into it." });
if (whim > 0.9) process.exit(3);
await call("PATCH", "/api/issues/" + task, { status: whim > 0.8 ? "in_review" : "done" });
`);

export interface Company {
  readonly id: string;
  readonly agents: readonly string[];
  readonly routines: readonly string[];
}

/** Makes two companies, whose agents report to one another in no way, with a routine for each tenth agent. */
export const furnish = async ({ service }: Ground, count: number): Promise<readonly Company[]> => {
  const board = await service.board();
  const companies: Company[] = [];
  for (const share of [Math.ceil(count / 2), Math.floor(count / 2)]) {
    const { id } = await board.companies.create({ name: `Soak ${companies.length + 1}` });
    const agents: string[] = [];
    const routines: string[] = [];
    for (let n = 0; n < share; n++) {
      const made = await board.agents.create({
        companyId: id,
        name: `Agent ${n}`,
        adapterType: "process",
        adapterConfig: { ...agent, timeoutSec: 60, graceSec: 2 },
      });
      agents.push(made.id);
    }
    const { id: projectId } = await board.projects.create({ companyId: id, name: "Harbour" });
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
    companies.push({ id, agents, routines });
  }
  return companies;
};

/** Counts of answers by status; `none` where the connection broke. */
export type Answers = Map<string, number>;

/** The callers: people who create, read, comment and move issues, until they are stopped. */
export const callers = (
  ground: Ground,
  token: string,
  companies: readonly Company[],
  random: () => number,
) => {
  const answers: Answers = new Map();
  const recent: string[] = [];
  let stopped = false;
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    try {
      const signal = AbortSignal.timeout(30_000);
      const answer = await fetch(ground.url + path, { ...sent, signal });
      const text = await answer.text();
      answers.set(String(answer.status), (answers.get(String(answer.status)) ?? 0) + 1);
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
      const given = { title: "Trim the lamp", status: "todo", assigneeAgentId: any(company.agents) };
      const made = await call("POST", `/api/companies/${company.id}/issues`, given);
      if (made !== null) recent.push((made as { id: string }).id);
      if (recent.length > 200) recent.shift();
    } else if (dice < 0.4) await call("POST", `/api/issues/${issue}/comments`, { body: "How is it going?" });
    else if (dice < 0.47) await call("PATCH", `/api/issues/${issue}`, { status: any(["todo", "cancelled"]) });
    else if (dice < 0.52) await call("POST", `/api/issues/${issue}/release`);
    else if (dice < 0.6)
      await call("PATCH", `/api/issues/${issue}`, { assigneeAgentId: any(company.agents) });
    else if (dice < 0.8) await call("GET", `/api/issues/${issue}`);
    else await call("GET", `/api/companies/${company.id}/issues`);
  };
  const worker = async (): Promise<void> => {
    while (!stopped) {
      await act();
      await pause(400 + random() * 800);
    }
  };
  const working = Array.from({ length: 8 }, worker);
  return {
    answers,
    call,
    stop: async (): Promise<void> => {
      stopped = true;
      await Promise.all(working);
    },
  };
};
