// A Boardroom inside a program of yours: its API next to your own routes, its client without a socket.
//
//   node examples/embed.mjs [data directory]
//
// starts one, lets an agent finish an issue, prints what it said, and leaves.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBoardroom } from "boardroom";

const given = process.argv[2];
const dataDir = given ?? (await mkdtemp(join(tmpdir(), "boardroom-embed-")));

// Your server comes first, because agents must know where to call.
let boardroom = null;
const server = createServer((request, response) => {
  if (request.url === "/") response.end("This is our own page.\n");
  else if (boardroom !== null && request.url?.startsWith("/api/")) boardroom.handler(request, response);
  else response.writeHead(404).end();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}`;

boardroom = await createBoardroom({ dataDir, url });
const { client } = boardroom;

const company = await client.companies.create({ name: "Harbour Works" });
const agent = await client.agents.create({
  companyId: company.id,
  name: "Ada",
  adapterType: "process",
  adapterConfig: {
    command: "sh",
    args: [
      "-c",
      `curl -fsS -X PATCH "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" -o /dev/null \\
         -H "Authorization: Bearer $SERVICE_API_KEY" -H "Content-Type: application/json" \\
         -d '{"status":"done","comment":"The harbour is open from six to ten."}'`,
    ],
  },
});
const issue = await client.issues.create({
  companyId: company.id,
  title: "When is the harbour open?",
  assigneeAgentId: agent.id,
});

// The events of the company, as they happen; `lastEventId: "0-0"` is from the beginning.
for await (const { event, data } of client.system.events({ companyId: company.id }, { lastEventId: "0-0" }))
  if (event === "activity.logged" && data.action === "heartbeat.finished") break;

const { items } = await client.issues.comments({ issueId: issue.id });
console.log(`${issue.identifier} is ${(await client.issues.get({ issueId: issue.id })).status}`);
for (const { body } of items) console.log(`${agent.name}: ${body}`);
console.log((await (await fetch(`${url}/`)).text()).trim());

await boardroom.close();
server.close();
server.closeAllConnections();
if (given === undefined) await rm(dataDir, { recursive: true, force: true });
