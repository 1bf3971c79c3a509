// Loads a deployment while it is upgraded. Arguments: its address, a board token, "repeat" or "once", and the runner of its agents.
// Prints "loaded" once programs of agents work, ends at SIGTERM but not before a hundred comments, and prints what became of each request and run as JSON.
import { randomUUID } from "node:crypto";

const [url, token, mode, runner] = process.argv.slice(2);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Attempts without an answer, and answers that a service which stops gives. */
const failures = [];

const exchange = async (method, path, body) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  if (method === "POST") headers["idempotency-key"] = randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    const failure = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then(
      async (answer) => {
        const text = await answer.text();
        const next = answer.headers.get("x-next-cursor");
        if (answer.status < 400) return { body: text === "" ? null : JSON.parse(text), next };
        return `${method} ${path}: ${answer.status} ${text.slice(0, 200)}`;
      },
      (error) => `${method} ${path}: ${error.cause?.code ?? error.message}`,
    );
    if (typeof failure !== "string") return failure;
    failures.push(failure);
    if (mode !== "repeat" || attempt === 600) return null;
    await pause(200);
  }
};

const send = async (...request) => (await exchange(...request))?.body ?? null;

/** Works for a while at its issue, and says in which run. Repeats requests while the service is away, as coding CLIs do. */
const worker = `
const { SERVICE_API_URL: api, SERVICE_API_KEY: token, SERVICE_TASK_ID: task, SERVICE_AGENT_ID: me, SERVICE_RUN_ID: run } = process.env;
const call = async (method, path, body) => {
  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await fetch(api + path, {
      method,
      headers: { authorization: "Bearer " + token, "content-type": "application/json" },
      body: JSON.stringify(body),
    }).catch(() => null);
    if (answer !== null && answer.status < 500) return answer.status;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
await call("POST", "/api/issues/" + task + "/checkout", { agentId: me, expectedStatuses: ["todo", "in_progress"] });
await call("POST", "/api/issues/" + task + "/comments", { body: "began in " + run });
for (let second = 1; second <= 40; second += 1) {
  console.log("second " + second);
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
const status = await call("PATCH", "/api/issues/" + task, { status: "done", comment: "finished in " + run });
process.exit(status === 200 ? 0 : 3);
`;

const { id: companyId } = await send("POST", "/api/companies", { name: `Under load ${Date.now()}` });
const issues = [];
for (const name of ["Ada", "Grace"]) {
  const agent = await send("POST", `/api/companies/${companyId}/agents`, {
    name,
    role: "engineer",
    adapterType: "process",
    adapterConfig: { command: "node", args: ["--input-type=module", "-e", worker], timeoutSec: 300 },
    ...(runner ? { runtimeConfig: { runner } } : {}),
  });
  issues.push(
    await send("POST", `/api/companies/${companyId}/issues`, {
      title: `Work of ${name}`,
      status: "todo",
      assigneeAgentId: agent.id,
    }),
  );
}
const thread = await send("POST", `/api/companies/${companyId}/issues`, {
  title: "Thread",
  status: "backlog",
});
const comments = async (issueId) => (await send("GET", `/api/issues/${issueId}/comments?limit=200`)) ?? [];
for (const { id } of issues)
  while (!(await comments(id)).some(({ body }) => body.startsWith("began in "))) await pause(500);

const bodies = [];
let ends = false;
process.on("SIGTERM", () => {
  ends = true;
});
const caller = async (n) => {
  // A slow machine has as many requests, too.
  for (let at = 0; !ends || bodies.length < 100; at += 1) {
    const body = `${n}-${at}`;
    if ((await send("POST", `/api/issues/${thread.id}/comments`, { body })) !== null) bodies.push(body);
    await send("GET", `/api/issues/${thread.id}`);
    await pause(100);
  }
};
failures.length = 0;
const callers = [1, 2, 3, 4].map(caller);
console.log("loaded");
await Promise.all(callers);

const stored = new Map();
for (let cursor = ""; cursor !== null; ) {
  const path = `/api/issues/${thread.id}/comments?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
  const { body: page, next } = await exchange("GET", path);
  for (const { body } of page) stored.set(body, (stored.get(body) ?? 0) + 1);
  cursor = next;
}
const during = [...failures];
const states = [];
for (const { id } of issues) {
  let issue;
  for (let tries = 0; tries < 240; tries += 1) {
    issue = await send("GET", `/api/issues/${id}`);
    if (issue?.status === "done") break;
    await pause(500);
  }
  states.push(issue.status);
}
/** An issue is done a moment before the run that has done it. */
const allRuns = async () => (await send("GET", `/api/companies/${companyId}/heartbeat-runs`)) ?? [];
const isLive = ({ status }) => status === "queued" || status === "running";
let runs = await allRuns();
for (let tries = 0; tries < 240 && runs.some(isLive); tries += 1) {
  await pause(500);
  runs = await allRuns();
}
console.log(
  JSON.stringify({
    requests: bodies.length * 2,
    failures: during.length,
    kinds: Object.fromEntries(
      [...new Set(during)].slice(0, 6).map((each) => [each, during.filter((one) => one === each).length]),
    ),
    lost: bodies.filter((body) => !stored.has(body)),
    twice: bodies.filter((body) => stored.get(body) > 1),
    issues: states,
    runs: runs.map(({ status }) => status),
  }),
);
