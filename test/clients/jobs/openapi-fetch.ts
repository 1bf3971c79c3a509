// The main job through openapi-fetch and the types that openapi-typescript generates.
import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi-typescript.ts";

const {
  SERVICE_API_URL: baseUrl,
  SERVICE_API_KEY: key,
  SERVICE_TASK_ID: issueId,
  SERVICE_AGENT_ID: agentId,
} = process.env;
const client = createClient<paths>({ baseUrl: baseUrl!, headers: { authorization: `Bearer ${key}` } });

const must = <A>({ data, error }: { data?: A; error?: unknown }): A => {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
};

const board = async (): Promise<void> => {
  const company = must(await client.POST("/api/companies", { body: { name: "Typed" } }));
  const path = { companyId: company.id };
  const agent = must(
    await client.POST("/api/companies/{companyId}/agents", {
      params: { path },
      body: {
        name: "Ada",
        adapterType: "process",
        adapterConfig: { command: process.execPath, args: [process.argv[1]!, "agent"] },
      },
    }),
  );
  const issue = must(
    await client.POST("/api/companies/{companyId}/issues", {
      params: { path },
      body: { title: "By generated types", priority: "high", assigneeAgentId: agent.id },
    }),
  );
  console.log(JSON.stringify({ issueId: issue.id }));
};

const agent = async (): Promise<void> => {
  const path = { issueId: issueId! };
  const checkedOut = must(
    await client.POST("/api/issues/{issueId}/checkout", {
      params: { path },
      body: { agentId: agentId!, expectedStatuses: ["todo", "in_progress"] },
    }),
  );
  must(
    await client.POST("/api/issues/{issueId}/comments", {
      params: { path },
      body: { body: `Claimed ${checkedOut.identifier}.` },
    }),
  );
  must(await client.PATCH("/api/issues/{issueId}", { params: { path }, body: { status: "done" } }));
};

await (process.argv[2] === "agent" ? agent() : board());
