import type { Client } from "../../hosts/library/client.ts";
import type { Bench } from "./bench.ts";

/** The company for the rows: issues made by SQL, of which 70 % contain the word "lamp", and 300 agents. */
export interface Furniture {
  readonly companyId: string;
  readonly projectId: string;
  readonly agents: readonly string[];
  /** An issue with four ancestors. */
  readonly leaf: string;
}

let made: Promise<Furniture> | null = null;

/** Created once for all rows that need it. */
export const furnish = (bench: Bench): Promise<Furniture> => {
  made ??= make(bench);
  return made;
};

const make = async ({ board, sql, options }: Bench): Promise<Furniture> => {
  const { id: companyId, issuePrefix } = await board.companies.create({ name: "Bench" });
  const { id: projectId } = await board.projects.create({ companyId, name: "Harbour" });
  const agents = await makeAgents(board, companyId, 300, { command: "/bin/true" });
  // Issue numbers that the company's counter does not reach.
  await sql`
    insert into issues (
      id, company_id, identifier, title, description, status, priority, project_id, last_activity_at, created_at,
      updated_at
    )
    select uuidv7(), ${companyId}, ${issuePrefix} || '-' || (10000000 + n), 'Issue ' || n || ' of the harbour',
           repeat('What there is to say of it. ', 20) || case when n % 10 < 7 then 'The lamp wants oil.' else '' end,
           (array['backlog', 'todo', 'in_review', 'blocked', 'done', 'cancelled'])[1 + n % 6],
           (array['critical', 'high', 'medium', 'low'])[1 + n % 4],
           ${projectId}, at, at, at
    from   generate_series(1, ${options.issues}::integer) n,
           lateral (select now() - n * interval '10 seconds' as at) moment`;
  await sql`vacuum analyze`;
  const chain = async (depth: number, parentId: string | null): Promise<string> => {
    const { id } = await board.issues.create({ companyId, title: `Level ${depth}`, projectId, parentId });
    return depth === 4 ? id : chain(depth + 1, id);
  };
  return { companyId, projectId, agents, leaf: await chain(0, null) };
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
