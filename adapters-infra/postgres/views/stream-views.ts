import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  StreamEvent,
  StreamPart,
  StreamPosition,
  StreamViews,
} from "../../../ports/views/stream-views.ts";
import type { Database } from "../database.ts";
import { fromJsonRow, type JsonRow } from "../json-rows.ts";

/**
 * Transactions end in another order than they began, so a reader of numbers alone would skip smaller numbers that
 * become visible later. The stream is ordered by transaction first and read only up to the oldest open one.
 */
export const streamViews = (database: Database): StreamViews => ({
  end: () => database.read(streamEnd).pipe(Effect.map((rows) => rows[0]!.position)),
  after: (position, companyIds, limit) => {
    const parsed = parsePosition(position);
    return parsed === null || companyIds.length === 0
      ? Effect.succeed({ events: [], upTo: position, more: false, hasGap: false })
      : Effect.map(database.read(streamAfter(parsed, companyIds, limit)), (rows) => partOf(rows, limit));
  },
  isPosition: (text) => parsePosition(text) !== null,
});

interface ParsedPosition {
  readonly xid: string;
  readonly number: string;
}

/** Parses `<transaction>-<number>`, both without leading zeros and of 64 bits at most. */
const parsePosition = (position: string): ParsedPosition | null => {
  const parts = /^(0|[1-9]\d{0,18})-(0|[1-9]\d{0,17})$/.exec(position);
  return parts === null ? null : { xid: parts[1]!, number: parts[2]! };
};

/** The first row may hold only the snapshot. */
interface StreamRow {
  readonly readTo: StreamPosition;
  readonly isHeldBack: boolean;
  readonly hasGap: boolean;
  readonly position: StreamPosition | null;
  readonly companyId: CompanyId;
  readonly createdAt: string;
  readonly type: StreamEvent["type"];
  readonly fields: JsonRow;
}

/** Of every type of event. */
const payloadOf = fromJsonRow<{ readonly createdAt?: Instant }>({ createdAt: true });

const partOf = (rows: readonly StreamRow[], limit: number): StreamPart => {
  const events = rows.flatMap(({ position, companyId, createdAt, type, fields }): readonly StreamEvent[] =>
    position === null ? [] : [{ position, companyId, at: createdAt, type, payload: payloadOf(fields) }],
  );
  const { readTo, isHeldBack, hasGap } = rows[0]!;
  const isFull = events.length === limit;
  return { events, upTo: isFull ? events.at(-1)!.position : readTo, more: isFull || isHeldBack, hasGap };
};

const streamEnd = (sql: Sql) => sql<{ position: StreamPosition }[]>`
  select pg_snapshot_xmin(pg_current_snapshot()) || '-0' as position
`;

/** Whether a row comes after the position, and no open transaction can still put one before it. */
const isNext = (sql: Sql, { xid, number }: ParsedPosition) => sql`
  (xid, position) > (${xid}::text::xid8, ${number}::bigint)
  and xid < pg_snapshot_xmin(pg_current_snapshot())
`;

const streamAfter =
  (position: ParsedPosition, companyIds: readonly CompanyId[], limit: number) => (sql: Sql) =>
    sql<StreamRow[]>`
  with news as (
  select      entry.xid, entry.position, entry.company_id, entry.created_at, entry.type, entry.fields
  from        unnest(${companyIds}::uuid[]) as company (id)
  cross join lateral (
    (
      select    xid, position, company_id, created_at, 'activity.logged' as type,
                jsonb_build_object(
                  'id', id, 'company_id', company_id, 'actor_type', actor_kind, 'actor_id', actor_id,
                  'assistant', assistant, 'run_id', run_id, 'request_id', request_id, 'action', action, 'entity_type', entity_type,
                  'entity_id', entity_id, 'details', details, 'created_at', created_at
                ) as fields
      from      activity
      where     company_id = company.id
      and       ${isNext(sql, position)}
      order by  xid, position
      limit     ${limit}
    )
    union all
    (
      select    xid, position, company_id, created_at, 'heartbeat.run.event',
                jsonb_build_object(
                  'run_id', run_id, 'seq', seq, 'type', type, 'level', level, 'message', message,
                  'payload', payload, 'created_at', created_at
                )
      from      run_events
      where     company_id = company.id
      and       ${isNext(sql, position)}
      order by  xid, position
      limit     ${limit}
    )
    union all
    (
      select    xid, position, company_id, created_at, 'heartbeat.run.log',
                jsonb_build_object('run_id', run_id, 'byte_offset', byte_offset, 'bytes', bytes, 'blob_key', blob_key)
      from      run_log_segments
      where     company_id = company.id
      and       ${isNext(sql, position)}
      order by  xid, position
      limit     ${limit}
    )
  ) as entry
  order by    entry.xid, entry.position
  limit       ${limit}
  )
  select      greatest(pg_snapshot_xmin(snapshot.now), ${position.xid}::text::xid8) || '-0' as read_to,
              pg_snapshot_xmin(snapshot.now) < pg_snapshot_xmax(snapshot.now) as is_held_back,
              exists (
                select
                from    deleted_events
                where   company_id = any(${companyIds}::uuid[])
                and     ${isNext(sql, position)}
              )
              -- The position is of the original of a restored database.
              or ${position.xid}::text::xid8 > pg_snapshot_xmax(snapshot.now) as has_gap,
              news.xid || '-' || news.position as position, news.company_id, news.created_at, news.type, news.fields
  from        pg_current_snapshot() as snapshot (now)
  left join   news on true
  order by    news.xid, news.position
`;
