import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import {
  brokenRunStatuses,
  failedRunStatuses,
  liveRunStatuses,
} from "../../../core/model/runs/run-status.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { CountedRuns, RecentRun, RunPulse, RunView } from "../../../ports/views/run-views.ts";
import { runView } from "../columns.ts";
import type { Database } from "../database.ts";
import { setOf } from "../facts.ts";
import { waitsForMoreThanSlot } from "../queue-waits.ts";

/** The live runs of a company, and those that failed since. */
export const runPulse = (
  database: Database,
  companyId: CompanyId,
  since: Instant,
  at: Instant,
): Effect.Effect<RunPulse> =>
  Effect.map(
    Effect.all(
      [
        database.read((sql) =>
          firstOfEachKind(sql, {
            kind: sql`
              case
                when run.status = 'running' then 'running'
                when ${waitsForMoreThanSlot(sql, at, sql`issue.assignee_agent_id = run.agent_id`)} then 'waiting'
                else 'queued'
              end
            `,
            of: sql`run.company_id = ${companyId} and run.status in ${setOf(sql, liveRunStatuses)}`,
            order: sql`coalesce(run.started_at, run.created_at), run.id`,
          }),
        ),
        database.read((sql) =>
          firstOfEachKind(sql, {
            kind: sql`case when run.status in ${setOf(sql, brokenRunStatuses)} then 'failed' else 'interrupted' end`,
            of: sql`
              run.company_id = ${companyId}
              and run.status in ${setOf(sql, failedRunStatuses)}
              and run.finished_at >= ${since}
            `,
            order: sql`run.finished_at desc, run.id desc`,
          }),
        ),
      ],
      { concurrency: "unbounded" },
    ),
    (found) => {
      const rows = found.flat();
      const of = (kind: keyof RunPulse): CountedRuns => {
        const ofKind = rows.filter((row) => row.kind === kind);
        return { count: ofKind[0]?.count ?? 0, runs: ofKind.map(({ kind: _, count: __, ...run }) => run) };
      };
      return {
        running: of("running"),
        queued: of("queued"),
        waiting: of("waiting"),
        failed: of("failed"),
        interrupted: of("interrupted"),
      };
    },
  );

/** As many of a kind as a person looks at. */
const shownOfKind = 50;

type RunOfKind = RunView & { readonly kind: keyof RunPulse; readonly count: number };

/** `kind`, `of` and `order` are of `runs run` of `agents agent`, with `issues issue` and `volumes volume`. */
const firstOfEachKind = (
  sql: Sql,
  { kind, of, order }: { readonly kind: Fragment; readonly of: Fragment; readonly order: Fragment },
) => sql<RunOfKind[]>`
  select    ${runView(sql)}, found.kind, found.count
  from      (
    select  run.id, run.kind, count(*) over (partition by run.kind) as count,
            row_number() over (partition by run.kind order by ${order}) as position
    from    (
      select  run.id, run.created_at, run.started_at, run.finished_at, ${kind} as kind
      from    runs run
      join    agents agent on agent.id = run.agent_id
      left join issues issue on issue.id = run.issue_id
      left join volumes volume on volume.id = agent.volume
      where   ${of}
    ) as run
  ) as found
  join      runs r on r.id = found.id
  join      agents a on a.id = r.agent_id
  left join issues i on i.id = r.issue_id
  where     found.position <= ${shownOfKind}
  order by  found.kind, found.position
`;

/** As many as a picture of some hours shows apart. */
const mostRecent = 1_000;

/** Few runs take longer than this: an index has runs by their start, and the live ones by their status. */
const longestRun = "24 hours";

/** The runs of a company that ended since, and those that run, the last started first. */
export const recentRuns = (
  database: Database,
  companyId: CompanyId,
  since: Instant,
): Effect.Effect<readonly RecentRun[]> =>
  database.read<RecentRun>(
    (sql) => sql`
      select    run.id, run.agent_id, issue.identifier as issue_identifier, run.status, run.started_at, run.finished_at
      from      (
        select  id, agent_id, issue_id, status, started_at, finished_at
        from    runs
        where   company_id = ${companyId}
        and     started_at >= ${since}::timestamptz - ${longestRun}::interval
        and     finished_at >= ${since}
        union all
        select  id, agent_id, issue_id, status, started_at, finished_at
        from    runs
        where   company_id = ${companyId}
        and     status = 'running'
      ) as run
      left join issues issue on issue.id = run.issue_id
      order by  run.started_at desc, run.id desc
      limit     ${mostRecent}
    `,
  );
