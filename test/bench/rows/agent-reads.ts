import type { Bench } from "../bench.ts";
import { furnish } from "../furnish.ts";
import { rate } from "../measure.ts";
import type { Prepared, Row } from "../row.ts";

const callers = 32;

/** The records that the paths of a read name, for one of the agents. */
interface Reader {
  readonly companyId: string;
  readonly agentId: string;
  /** An issue in its thread: comments, a document and a question. */
  readonly issueId: string;
}

interface Readers {
  readonly keys: readonly string[];
  readonly of: readonly Reader[];
}

const made = new WeakMap<Bench, Promise<Readers>>();

const readersOf = (bench: Bench): Promise<Readers> => {
  const readers = made.get(bench) ?? makeReaders(bench);
  made.set(bench, readers);
  return readers;
};

/** Each caller is another agent, with a key of its own and an issue with four ancestors and a thread. */
const makeReaders = async (bench: Bench): Promise<Readers> => {
  const { board } = bench;
  const { companyId, agents, leaf } = await furnish(bench);
  await board.companies.setHouseRules({ companyId, body: "Say what you did.", baseRevisionNumber: 0 });
  await board.documents.put({
    issueId: leaf,
    key: "plan",
    title: "Plan",
    body: "Order oil.",
    format: "markdown",
  });
  for (let n = 0; n < 20; n++)
    await board.issues.comment({ issueId: leaf, body: `It is as we thought, ${n}.` });
  const readers: Reader[] = [];
  const keys: string[] = [];
  for (const agentId of agents.slice(0, callers)) {
    keys.push((await board.agents.createKey({ agentId })).token);
    await board.issues.create({ companyId, title: "Its own", assigneeAgentId: agentId, status: "backlog" });
    readers.push({ companyId, agentId, issueId: leaf });
  }
  await bench.idle();
  return { keys, of: readers };
};

/** 32 agents read with their own keys. */
const reading =
  (path: (reader: Reader) => string) =>
  async (bench: Bench): Promise<Prepared> => {
    const { keys, of } = await readersOf(bench);
    const paths = of.map(path);
    return {
      round: () =>
        rate(callers, bench.options.seconds, async (worker) => {
          const { status, body } = await bench.connection(worker).call("GET", paths[worker]!, keys[worker]!);
          if (status !== 200) throw new Error(`${paths[worker]}: ${status} ${body}`);
        }),
    };
  };

const row = (
  name: string,
  what: string,
  path: (reader: Reader) => string,
  aim: number | null = null,
): Row => ({
  name: `agent-${name}`,
  what: `as an agent: ${what}`,
  unit: "/s",
  aim,
  reference: "select",
  prepare: reading(path),
});

/** The reads of `GET /api/agent-guide`, in its order. A record costs what an issue does: what explains it is a read of its own. */
export const agentReads: readonly Row[] = [
  row("guide", "the guide", () => "/api/agent-guide"),
  row("issue", "its task, with 4 ancestors", ({ issueId }) => `/api/issues/${issueId}`),
  row("comments", "20 comments", ({ issueId }) => `/api/issues/${issueId}/comments?order=asc`),
  row(
    "own-issues",
    "its open issues",
    ({ companyId, agentId }) =>
      `/api/companies/${companyId}/issues?assigneeAgentId=${agentId}&status=backlog,todo,in_progress`,
  ),
  row("gates", "the gates of an issue", ({ issueId }) => `/api/issues/${issueId}/gates`),
  row("me", "its own record", () => "/api/agents/me", 1200),
  row("record", "an agent's record", ({ agentId }) => `/api/agents/${agentId}`, 1200),
  row("explanation", "what an agent does and why", ({ agentId }) => `/api/agents/${agentId}/explanation`),
  row("colleagues", "300 colleagues", ({ companyId }) => `/api/companies/${companyId}/agents`),
  row("people", "the people of its company", ({ companyId }) => `/api/companies/${companyId}/people`),
  row("rules", "the rules of its company", ({ companyId }) => `/api/companies/${companyId}/house-rules`),
  row("documents", "the documents of an issue", ({ issueId }) => `/api/issues/${issueId}/documents`),
  row("document", "a document", ({ issueId }) => `/api/issues/${issueId}/documents/plan`),
  row("interactions", "the questions of an issue", ({ issueId }) => `/api/issues/${issueId}/interactions`),
  row("search", "search for a word", ({ companyId }) => `/api/companies/${companyId}/issues/search?q=lamp`),
  row("skills", "its skills", ({ agentId }) => `/api/agents/${agentId}/skills`),
  row("openapi", "the description of the interface", () => "/api/openapi.json"),
];
