import type { Sql } from "postgres";
import type { Client } from "../../hosts/library/client.ts";
import { sumCosts } from "../support/cost-sums.ts";
import type { Bench } from "./bench.ts";

/**
 * The company for the rows: issues made by SQL, of which 70 % contain the word "lamp" and the oldest third "wick", 300 agents, and as much history
 * as such a company has; with 19 small companies.
 */
export interface Furniture {
  readonly companyId: string;
  readonly projectId: string;
  readonly agents: readonly string[];
  /** An issue with four ancestors. */
  readonly leaf: string;
}

const made = new WeakMap<Bench, Promise<Furniture>>();

/** Created once for all rows that need it. */
export const furnish = (bench: Bench): Promise<Furniture> => {
  const furniture = made.get(bench) ?? make(bench);
  made.set(bench, furniture);
  return furniture;
};

/** The company of a row that measures runs: one of its own, or in growth the one whose size is compared. */
export const companyOfRow = async (bench: Bench, name: string): Promise<string> =>
  bench.options.growth === null
    ? (await bench.board.companies.create({ name })).id
    : (await furnish(bench)).companyId;

const agentCount = 300;
const neighbours = 19;
/** Issues of each neighbour. */
const fewIssues = 50;

const make = async ({ board, sql, options }: Bench): Promise<Furniture> => {
  const { id: companyId, issuePrefix } = await board.companies.create({ name: "Bench" });
  const { id: projectId } = await board.projects.create({ companyId, name: "Harbour" });
  const agents = await makeAgents(board, companyId, agentCount, { command: "/bin/true" });
  await makeIssues(sql, { companyId, issuePrefix, projectId, count: options.issues });
  // Each agent has a run and its cost, so that reports by agent are of the same length at all sizes.
  await makeHistory(sql, companyId, Math.max(agentCount, Math.ceil(options.issues / 10)));
  for (let n = 0; n < neighbours; n++) {
    const { id, issuePrefix: prefix } = await board.companies.create({ name: `Neighbour ${n}` });
    await makeAgents(board, id, 1, { command: "/bin/true" });
    await makeIssues(sql, { companyId: id, issuePrefix: prefix, projectId: null, count: fewIssues });
    await makeHistory(sql, id, fewIssues / 10);
  }
  await sumCosts(sql);
  await sql`vacuum analyze`;
  const chain = async (depth: number, parentId: string | null): Promise<string> => {
    const { id } = await board.issues.create({ companyId, title: `Level ${depth}`, projectId, parentId });
    return depth === 4 ? id : chain(depth + 1, id);
  };
  return { companyId, projectId, agents, leaf: await chain(0, null) };
};

interface Issues {
  readonly companyId: string;
  readonly issuePrefix: string;
  readonly projectId: string | null;
  readonly count: number;
}

/** Makes issues with numbers that the company's counter does not reach. */
export const makeIssues = (sql: Sql, { companyId, issuePrefix, projectId, count }: Issues) => sql`
  insert into issues (
    id, company_id, identifier, title, description, status, priority, project_id, last_activity_at, created_at,
    updated_at
  )
  select uuidv7(), ${companyId}, ${issuePrefix} || '-' || (10000000 + n), 'Issue ' || n || ' of the harbour',
         repeat('What there is to say of it. ', 20) || case when n % 10 < 7 then 'The lamp wants oil.' else '' end
           || case when n * 3 < ${count}::integer then ' Its wick is short.' else '' end,
         (array['backlog', 'todo', 'in_review', 'blocked', 'done', 'cancelled'])[1 + n % 6],
         (array['critical', 'high', 'medium', 'low'])[1 + n % 4],
         ${projectId}, at, at, at
  from   generate_series(1, ${count}::integer) n,
         lateral (select now() - n * interval '10 seconds' as at) moment`;

/** For each issue an activity entry, for each second a comment, and so many ended runs of five events and a cost. */
const makeHistory = async (sql: Sql, companyId: string, runs: number): Promise<void> => {
  await sql`
    insert into activity (id, company_id, actor_kind, action, entity_type, entity_id, details, created_at)
    select uuidv7(), company_id, 'system', 'issue.created', 'issue', id,
           jsonb_build_object('identifier', identifier, 'title', title), created_at
    from   issues
    where  company_id = ${companyId}`;
  await sql`
    insert into comments (id, company_id, issue_id, body, created_at, updated_at)
    select uuidv7(), company_id, id, 'It is as we thought: the oil wants ordering.', created_at, created_at
    from   (select *, row_number() over () as n from issues where company_id = ${companyId}) i
    where  n % 2 = 0`;
  await sql`
    insert into runs (
      id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source, started_at, finished_at,
      created_at, updated_at
    )
    select uuidv7(), ${companyId}, a.id, i.id, 'process', 'succeeded', 'issue_assigned', 'assignment', i.created_at,
           i.created_at + interval '1 minute', i.created_at, i.created_at
    from   (
             select *, row_number() over () as n from issues where company_id = ${companyId} limit ${runs}
           ) i
    join   (
             select id, row_number() over () as n, count(*) over () as agents from agents where company_id = ${companyId}
           ) a on a.n = 1 + i.n % a.agents`;
  await sql`
    insert into run_events (company_id, run_id, seq, type, payload, created_at)
    select company_id, id, seq, 'run.note', '{}', created_at
    from   runs, generate_series(1, 5) seq
    where  company_id = ${companyId}`;
  await sql`
    insert into cost_events (
      id, company_id, agent_id, issue_id, run_id, source, provider, model, cost_status, input_tokens,
      cached_input_tokens, output_tokens, cost_cents, occurred_at, created_at
    )
    select uuidv7(), company_id, agent_id, issue_id, id, 'adapter', 'lamp', 'oil', 'reported', 1, 1, 1, 1, created_at,
           created_at
    from   runs
    where  company_id = ${companyId}`;
};

/** Creates agents of the process adapter and returns their ids. */
export const makeAgents = async (
  board: Client,
  companyId: string,
  count: number,
  adapterConfig: Readonly<Record<string, unknown>>,
  name = "Agent",
): Promise<readonly string[]> => {
  const ids: string[] = [];
  while (ids.length < count) {
    const batch = Array.from({ length: Math.min(10, count - ids.length) }, (_, n) =>
      board.agents.create({
        companyId,
        name: `${name} ${ids.length + n}`,
        adapterType: "process",
        adapterConfig,
      }),
    );
    ids.push(...(await Promise.all(batch)).map(({ id }) => id));
  }
  return ids;
};
