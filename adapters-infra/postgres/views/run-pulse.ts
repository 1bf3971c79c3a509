import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import { brokenRunStatuses } from "../../../core/runs/run-status.ts";
import type { CompanyId } from "../../../core/shared/ids.ts";
import type { Instant } from "../../../core/shared/instant.ts";
import type { CountedRuns, RunPulse, RunView } from "../../../ports/views/run-views.ts";
import { runView } from "../columns.ts";
import type { Database } from "../database.ts";
import { setOf } from "../facts.ts";
import { isHeldAsRestored } from "../holds.ts";
import { isReleased } from "../run-histories.ts";

/** The live runs of a company, and those that failed since. */
export const runPulse = (
  database: Database,
  companyId: CompanyId,
  since: Instant,
  at: Instant,
): Effect.Effect<RunPulse> =>
  Effect.all(
    {
      running: countedRuns(database, (sql) => ({
        of: sql`r.company_id = ${companyId} and r.status = 'running'`,
        order: sql`r.started_at, r.id`,
      })),
      queued: countedRuns(database, (sql) => ({
        of: sql`r.company_id = ${companyId} and r.status = 'queued' and not ${waits(sql, at)}`,
        order: sql`r.created_at, r.id`,
      })),
      waiting: countedRuns(database, (sql) => ({
        of: sql`r.company_id = ${companyId} and r.status = 'queued' and ${waits(sql, at)}`,
        order: sql`r.created_at, r.id`,
      })),
      failed: countedRuns(database, (sql) => ({
        of: sql`
            r.company_id = ${companyId}
            and r.status in ${setOf(sql, brokenRunStatuses)}
            and r.finished_at >= ${since}
          `,
        order: sql`r.finished_at desc, r.id desc`,
      })),
      interrupted: countedRuns(database, (sql) => ({
        of: sql`r.company_id = ${companyId} and r.status = 'interrupted' and r.finished_at >= ${since}`,
        order: sql`r.finished_at desc, r.id desc`,
      })),
    },
    { concurrency: "unbounded" },
  );

/** Whether the queued run `runs r` waits for something else than a slot; the search for runs to start skips the same. */
const waits = (sql: Sql, at: Instant) => sql`
  (
    ${isHeldAsRestored(sql)}
    or exists (
      select
      from   runs run
      join   agents agent on agent.id = run.agent_id
      where  run.id = r.id
      and    (
               (run.held_since is not null and not (${isReleased(sql, at)}))
               or exists (
                 select
                 from   account_holds hold
                 where  hold.adapter_type = run.adapter_type
                 and    hold.account_key = agent.account_key
                 and    hold.not_before > ${at}
               )
             )
    )
  )
`;

/** As many of a kind as a person looks at. */
const shownOfKind = 50;

const countedRuns = (
  database: Database,
  kind: (sql: Sql) => { readonly of: Fragment; readonly order: Fragment },
): Effect.Effect<CountedRuns> =>
  Effect.gen(function* () {
    const runs = yield* database.read((sql) => {
      const { of, order } = kind(sql);
      return sql<RunView[]>`
  select    ${runView(sql)}
  from      runs r
  join      agents a on a.id = r.agent_id
  left join issues i on i.id = r.issue_id
  where     ${of}
  order by  ${order}
  limit     ${shownOfKind}
`;
    });
    if (runs.length < shownOfKind) return { runs, count: runs.length };
    const row = yield* database.first(
      (sql) => sql<{ count: number }[]>`
  select  count(*) as count
  from    runs r
  where   ${kind(sql).of}
`,
    );
    return { runs, count: row?.count ?? 0 };
  });
