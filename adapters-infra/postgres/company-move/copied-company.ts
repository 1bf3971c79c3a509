import type { Sql } from "postgres";
import type { AgentConfig } from "../../../core/model/agents/agent-config.ts";
import type { McpServer } from "../../../core/model/mcp-servers/mcp-server.ts";
import type { IssueBranch } from "../../../core/model/repositories/issue-branch.ts";
import type { Repository } from "../../../core/model/repositories/repository.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import { issueBranchColumns, mcpServerColumns, repositoryColumns } from "../columns.ts";
import { folded } from "../folded.ts";

/** A version of a secret whose value the service stores. */
export interface CopiedVersion {
  readonly id: string;
  readonly secretId: string;
  readonly version: number;
  /** The name of the secret. */
  readonly name: string;
  readonly isLatest: boolean;
}

/** The rows of a copy within the transaction that makes it. `moving_…` has those of the file. */
export interface CopiedCompany {
  readonly sql: Sql;
  readonly id: string;
  versions(): PromiseLike<readonly CopiedVersion[]>;
  /** Stores a value; the version is enabled if it was in the original. Without one it stays disabled. */
  seal(versionId: string, sealed: Uint8Array, hasValue: boolean): Promise<void>;
  /** Schedules that had a next tick. */
  schedules(): PromiseLike<
    readonly {
      readonly id: string;
      readonly cronExpression: string | null;
      readonly timezone: string | null;
    }[]
  >;
  setTick(triggerId: string, next: Instant | null, at: Instant): Promise<void>;
  agents(): PromiseLike<readonly CopiedAgent[]>;
  /** The runner that the company chooses. */
  runner(): Promise<string | null>;
  /** Objects without a schema of their own: payloads of approvals and interactions, and settings of earlier revisions. */
  freeForms(): PromiseLike<readonly { readonly value: unknown }[]>;
  setTimer(agentId: string, next: Instant | null): Promise<void>;
  repositories(): PromiseLike<readonly Repository[]>;
  branches(): PromiseLike<readonly IssueBranch[]>;
  /** Commits of works and merges that are none. */
  wrongCommits(): PromiseLike<readonly { readonly text: string }[]>;
  mcpServers(): PromiseLike<readonly McpServer[]>;
  /** Types and names of files, each once for all files that have it. */
  fileNames(): PromiseLike<readonly { readonly contentType: string; readonly filename: string | null }[]>;
  /** A file whose bytes are others than its record says. Bytes that the original had lost are none. */
  hasWrongBytes(): Promise<boolean>;
  logImport(
    activityId: string,
    details: { readonly name: string; readonly exportedAt: string },
    at: Instant,
  ): Promise<void>;
  /** Companies that have the same name. */
  sameName(): Promise<number>;
  wanted(): Promise<CopyWants>;
}

export interface CopiedAgent
  extends Pick<
    AgentConfig,
    | "name"
    | "role"
    | "title"
    | "capabilities"
    | "adapterType"
    | "adapterConfig"
    | "runtimeConfig"
    | "metadata"
  > {
  readonly id: string;
  readonly urlKey: string;
  /** Whether its timer was set in the original. */
  readonly hadTimer: boolean;
}

/** Needs of the rows that the file does not bring, each list sorted. */
export interface CopyWants {
  readonly adapterTypes: readonly string[];
  readonly runners: readonly string[];
  readonly vaults: readonly string[];
  readonly webhooks: readonly string[];
  readonly paths: readonly string[];
}

export const copiedCompany = (sql: Sql, id: string): CopiedCompany => ({
  sql,
  id,
  versions: () => sql<CopiedVersion[]>`
    select    v.id, v.secret_id, v.version, s.name, v.version = s.latest_version as is_latest
    from      secret_versions v
    join      secrets s on s.id = v.secret_id
    where     v.company_id = ${id}
    order by  s.name, v.version
  `,
  seal: async (versionId, sealed, hasValue) => {
    await sql`
      update  secret_versions
      set     sealed      = ${sealed},
              disabled_at = case when ${hasValue} then moved.disabled_at else secret_versions.disabled_at end
      from    moving_secret_versions moved
      where   secret_versions.id = ${versionId}
      and     moved.id = secret_versions.id
    `;
  },
  schedules: () => sql`
    select  t.id, t.cron_expression, t.timezone
    from    routine_triggers t
    join    moving_routine_triggers moved on moved.id = t.id
    where   moved.next_fire_at is not null
    and     t.company_id = ${id}
  `,
  setTick: async (triggerId, next, at) => {
    await sql`update routine_triggers set next_fire_at = ${next}, scheduled_at = ${at} where id = ${triggerId}`;
  },
  agents: () => sql<CopiedAgent[]>`
    select  a.id, a.url_key, a.name, a.role, a.title, a.capabilities, a.adapter_type, a.adapter_config, a.runtime_config,
            a.metadata, moved.next_timer_at is not null as had_timer
    from    agents a
    join    moving_agents moved on moved.id = a.id
    where   a.company_id = ${id}
  `,
  runner: async () => {
    const [company] = await sql<{ runner: string | null }[]>`select runner from companies where id = ${id}`;
    return company!.runner;
  },
  freeForms: () => sql`
    select payload as value from approvals where company_id = ${id}
    union all
    select round.payload from approval_rounds round join approvals on approvals.id = round.approval_id
    where  approvals.company_id = ${id}
    union all
    select payload from interactions where company_id = ${id}
    union all
    select result from interactions where company_id = ${id} and result is not null
  `,
  setTimer: async (agentId, next) => {
    await sql`update agents set next_timer_at = ${next} where id = ${agentId}`;
  },
  repositories: () =>
    sql<Repository[]>`select ${repositoryColumns(sql)} from repositories where company_id = ${id}`,
  branches: () =>
    sql<IssueBranch[]>`select ${issueBranchColumns(sql)} from issue_branches where company_id = ${id}`,
  wrongCommits: () => sql<{ text: string }[]>`
    select  text
    from    (
              select unnest(array[base_commit, head, merge_commit]) as text from issue_branches where company_id = ${id}
              union all
              select unnest(array[head, files]) from run_works where company_id = ${id}
              union all
              select unnest(array[from_commit, onto_commit, commit]) from merges where company_id = ${id}
              union all
              select unnest(array[head, base_commit, checks_commit]) from pull_requests where company_id = ${id}
            ) as given
    where   text !~ '^[0-9a-f]{40}$'
    limit   1
  `,
  mcpServers: () =>
    sql<McpServer[]>`select ${mcpServerColumns(sql)} from mcp_servers where company_id = ${id}`,
  fileNames: () => sql`
    select distinct content_type, original_filename as filename from assets where company_id = ${id}
  `,
  hasWrongBytes: async () => {
    const wrong = await sql`
      select
      from    assets a
      join    moving_blobs given on given.blob_key = a.blob_key
      where   a.company_id = ${id}
      and     (given.bytes <> a.byte_size or given.sha256 <> a.sha256)
      limit   1
    `;
    return wrong.length > 0;
  },
  logImport: async (activityId, details, at) => {
    await sql`
      insert into activity (id, company_id, actor_kind, action, entity_type, entity_id, details, created_at)
      values (${activityId}, ${id}, 'system', 'company.imported', 'company', ${id}, ${sql.json(details)}, ${at})
    `;
  },
  sameName: async () => {
    const [same] = await sql<{ count: number }[]>`
      select  count(*)::int as count
      from    companies one
      join    companies other on ${folded(sql, "other.name")} = ${folded(sql, "one.name")} and other.id <> one.id
      where   one.id = ${id}
    `;
    return same!.count;
  },
  wanted: () => wantedBy(sql, id),
});

const wantedBy = async (sql: Sql, id: string): Promise<CopyWants> => {
  const texts = async (query: PromiseLike<readonly { readonly text: string }[]>) =>
    (await query).map(({ text }) => text);
  return {
    adapterTypes: await texts(sql`
      select distinct adapter_type as text from agents
      where company_id = ${id} and lifecycle_state <> 'terminated' order by 1
    `),
    runners: await texts(sql`
      select runtime_config ->> 'runner' as text from agents
      where company_id = ${id} and lifecycle_state <> 'terminated' and runtime_config ->> 'runner' is not null
      union
      select runner from companies where id = ${id} and runner is not null
      order by 1
    `),
    vaults: await texts(sql`
      select display_name as text from vaults
      where company_id = ${id} and provider <> 'local_encrypted' order by 1
    `),
    webhooks: await texts(sql`
      select distinct r.title as text from routine_triggers t join routines r on r.id = t.routine_id
      where t.company_id = ${id} and t.kind = 'webhook' and t.deleted_at is null order by 1
    `),
    paths: await texts(sql`
      select name as text from moving_agents
      where lifecycle_state <> 'terminated' and granted_paths <> '[]' order by 1
    `),
  };
};
