import type { Access } from "../../core/access/index.ts";
import type { Agents } from "../../core/agents/index.ts";
import type { Approvals } from "../../core/approvals/index.ts";
import type { Assets } from "../../core/assets/index.ts";
import type { Companies } from "../../core/companies/index.ts";
import type { Costs } from "../../core/costs/index.ts";
import type { Goals } from "../../core/goals/index.ts";
import type { Issues } from "../../core/issues/index.ts";
import type { Labels } from "../../core/labels/index.ts";
import type { Projects } from "../../core/projects/index.ts";
import type { Routines } from "../../core/routines/index.ts";
import type { Runs } from "../../core/runs/index.ts";
import type { Secrets } from "../../core/secrets/index.ts";
import type { Vaults } from "../../core/vaults/index.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Idempotency } from "../../ports/idempotency.ts";
import type { Ids } from "../../ports/ids.ts";
import type { RunLogs } from "../../ports/run-log.ts";
import type { Views } from "../../ports/views.ts";
import type { Engine } from "./engine.ts";

/** What endpoints are run with: the front door of every aggregate, the views, and what the host itself knows. */
export interface App {
  readonly access: Access;
  readonly agents: Agents;
  readonly approvals: Approvals;
  readonly assets: Assets;
  readonly companies: Companies;
  readonly costs: Costs;
  readonly goals: Goals;
  readonly issues: Issues;
  readonly labels: Labels;
  readonly projects: Projects;
  readonly routines: Routines;
  readonly runs: Runs;
  readonly secrets: Secrets;
  readonly vaults: Vaults;
  readonly views: Views;
  readonly runLogs: RunLogs;
  readonly adapters: AdapterRegistry;
  readonly credentials: Credentials;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly engine: Engine;
}
