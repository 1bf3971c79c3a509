import type { PendingQuery, Row, Sql } from "postgres";
import { pictureTypes } from "../../../core/model/assets/picture-types.ts";
import { openPullRequestStates } from "../../../core/model/repositories/pull-request.ts";
import { openMessageStates } from "../../../core/model/runs/messages/run-message.ts";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import { setOf } from "../facts.ts";

/** The fields that the copy of a company gets from its new service. */
export interface CopyFacts {
  readonly companyId: string;
  readonly name: string;
  readonly issuePrefix: string;
  /** An instant as ISO 8601. */
  readonly at: string;
  /** Of the store that holds the blobs now. */
  readonly blobProvider: string;
}

type Fields = Readonly<Record<string, PendingQuery<Row[]>>>;

/**
 * Fields of the copy that differ from the original's, as expressions over its rows. Nothing of the copy is live: it is
 * paused, its runs and wakes are cut off as by a pause, and it has no right to anything of this machine.
 */
export const copiedFields = (sql: Sql, facts: CopyFacts): Readonly<Record<string, Fields>> => {
  const at = sql`${facts.at}::timestamptz`;
  const none = sql`null`;
  const isLive = sql`status in ${setOf(sql, liveRunStatuses)}`;
  return {
    companies: {
      id: sql`${facts.companyId}::uuid`,
      name: sql`${facts.name}::text`,
      issue_prefix: sql`${facts.issuePrefix}::text`,
      status: sql`'paused'`,
      logo_asset_id: none,
      updated_at: at,
    },
    // A name in the history, who can never sign in.
    board_users: {
      name: sql`left(name, 200)`,
      is_admin: sql`false`,
      disabled_at: sql`coalesce(disabled_at, ${at})`,
    },
    agents: {
      granted_paths: sql`'[]'::jsonb`,
      volume: none,
      volume_since: none,
      next_timer_at: none,
    },
    approvals: { granted_paths: sql`'[]'::jsonb` },
    // A logo of text has been looked into by the original's service alone: it is a file like any other.
    assets: {
      provider: sql`${facts.blobProvider}::text`,
      purpose: sql`case when content_type = any(${[...pictureTypes]}::text[]) then purpose else 'attachment' end`,
    },
    interactions: {
      status: sql`case when status = 'pending' and kind = 'request_permission' then 'cancelled' else status end`,
      resolved_at: sql`case when status = 'pending' and kind = 'request_permission' then ${at} else resolved_at end`,
    },
    issues: { checkout_run_id: none, held_since: none },
    merges: { state: sql`case when state = 'running' then 'failed' else state end` },
    // The service that they come from looks at them still; opening one again finds it at the host.
    pull_requests: {
      state: sql`case when state in ${setOf(sql, openPullRequestStates)} then 'closed' else state end`,
    },
    // A program is given to no agent until a person of this service has looked at it.
    mcp_servers: {
      allow_private_host: sql`false`,
      all_agents: sql`all_agents and command is null`,
      agent_ids: sql`case when command is null then agent_ids else '{}' end`,
      roles: sql`case when command is null then roles else '{}' end`,
    },
    repositories: { allow_private_host: sql`false` },
    routine_triggers: {
      public_id: sql`case when public_id is not null then replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') end`,
      sealed_secret: sql`null::bytea`,
      next_fire_at: none,
      scheduled_at: none,
    },
    routines: { parent_issue_id: none },
    run_messages: {
      state: sql`case when state in ${setOf(sql, openMessageStates)} and delivered_at is null then 'new_run' else state end`,
    },
    runs: {
      status: sql`case when ${isLive} then 'cancelled' else status end`,
      stop_requested_at: sql`case when ${isLive} then ${at} else stop_requested_at end`,
      stop_reason: sql`case when ${isLive} then 'company_paused' else stop_reason end`,
      finished_at: sql`case when ${isLive} then ${at} else finished_at end`,
      quarantined_since: none,
      quarantined_for: none,
      not_before: none,
      waits_for: none,
      service_id: none,
      process: none,
      scope: none,
      volume: none,
    },
    // A reference at a provider may lead to what another company has in the same account, and a disabled vault still
    // reads: each secret is one of this service, that waits for its value.
    secrets: {
      provider: sql`'local_encrypted'`,
      vault_id: none,
      managed_mode: sql`'service_managed'`,
      external_ref: none,
      canonical_ref: none,
      provider_metadata: none,
    },
    secret_versions: {
      vault_id: none,
      sealed: sql`coalesce(sealed, '\\x00')`,
      external_ref: none,
      provider_version_ref: none,
      fingerprint: none,
      // No run gets a version without its value.
      disabled_at: sql`coalesce(disabled_at, ${at})`,
    },
    vaults: {
      status: sql`case when provider = 'local_encrypted' then status else 'disabled' end`,
      is_default: sql`is_default and provider = 'local_encrypted'`,
      disabled_at: sql`case when provider = 'local_encrypted' then disabled_at else ${at} end`,
    },
    wakes: {
      status: sql`case when status = 'pending' then 'cancelled' else status end`,
      end_reason: sql`case when status = 'pending' then 'company_paused' else end_reason end`,
      ended_at: sql`case when status = 'pending' then ${at} else ended_at end`,
    },
  };
};
