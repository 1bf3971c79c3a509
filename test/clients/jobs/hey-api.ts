// The main job through the functions that @hey-api/openapi-ts generates.
import { client } from "../generated/hey-api/client.gen";
import {
  agentsCreate,
  companiesCreate,
  issuesCheckout,
  issuesComment,
  issuesCreate,
  issuesUpdate,
} from "../generated/hey-api/sdk.gen";

const {
  SERVICE_API_URL: baseUrl,
  SERVICE_API_KEY: key,
  SERVICE_TASK_ID: issueId,
  SERVICE_AGENT_ID: agentId,
} = process.env;
client.setConfig({ baseUrl: baseUrl!, headers: { authorization: `Bearer ${key}` }, throwOnError: true });

const must = <A>({ data, error }: { data?: A | undefined; error?: unknown }): A => {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
};

const board = async (): Promise<void> => {
  const company = must(await companiesCreate({ body: { name: "Generated" } }));
  const path = { companyId: company.id };
  const agent = must(
    await agentsCreate({
      path,
      body: {
        name: "Ada",
        adapterType: "process",
        adapterConfig: { command: process.execPath, args: [process.argv[1]!, "agent"] },
      },
    }),
  );
  const issue = must(
    await issuesCreate({
      path,
      body: { title: "By generated functions", priority: "high", assigneeAgentId: agent.id },
    }),
  );
  console.log(JSON.stringify({ issueId: issue.id }));
};

const agent = async (): Promise<void> => {
  const path = { issueId: issueId! };
  const checkedOut = must(
    await issuesCheckout({ path, body: { agentId: agentId!, expectedStatuses: ["todo", "in_progress"] } }),
  );
  must(await issuesComment({ path, body: { body: `Claimed ${checkedOut.identifier}.` } }));
  must(await issuesUpdate({ path, body: { status: "done" } }));
};

await (process.argv[2] === "agent" ? agent() : board());
