import type { ContainerModuleLoadOptions } from "inversify";
import type { KeyRing, KeySource } from "../../../adapters-infra/local/master-key.ts";
import type { ProgramSupervisor } from "../../../adapters-infra/local/program-supervisor.ts";
import type { OpenedGroups } from "../../../adapters-infra/local/run-groups.ts";
import type { Spawner } from "../../../adapters-infra/local/spawner.ts";
import type { VolumeHolders } from "../../../adapters-infra/local/volume-holders.ts";
import type { PostgresAdapters } from "../../../adapters-infra/postgres/index.ts";
import type { HandoverFiles } from "../../../adapters-infra/runner-helper/handover-files.ts";
import type { PathRules } from "../../../adapters-infra/sandbox/path-rules.ts";
import type { InstallationId, VolumeId } from "../../../core/model/shared/ids.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { Detach, ProgramViews, Sandbox, Separation } from "../../../ports/sandbox.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { OperatorRunners } from "./open-runners.ts";
import type { ReservedUsers } from "./sandbox.ts";

export type Bind = ContainerModuleLoadOptions["bind"];

/** The parts that the service opens in order, because each needs those before it. The wiring binds all else. */
export interface Foundations {
  readonly config: Config;
  readonly installation: InstallationId;
  readonly log: Log;
  /** null: nothing is traced. */
  readonly telemetry: Telemetry | null;
  readonly clock: Clock;
  readonly codeStores: CodeStores;
  /** Of the database server, also of the embedded one. */
  readonly databaseUrl: string;
  /** The ports of storage. */
  readonly storage: PostgresAdapters;
  readonly keyRing: KeyRing;
  /** The master keys, which encrypt the service's own keys. */
  readonly serviceKeys: KeySource;
  readonly pathRules: PathRules;
  readonly views: ProgramViews;
  /** null: agents' programs run without a sandbox, as children of the service. */
  readonly sandbox: Sandbox | null;
  /** null: programs without a sandbox inherit what the service has. */
  readonly detach: Detach | null;
  readonly reservedUsers: ReservedUsers;
  /** Sentences, by adapter. */
  readonly unseenSignIns: ReadonlyMap<string, string>;
  /** null: it starts programs as its children. */
  readonly spawner: Spawner | null;
  /** null: programs end with the service. */
  readonly supervisor: ProgramSupervisor | null;
  /** The same for programs on engines. */
  readonly handoverFiles: HandoverFiles | null;
  /** The control groups of runs. */
  readonly groups: OpenedGroups;
  readonly separation: Separation;
  /** Where agents' workspaces and homes are. */
  readonly volume: VolumeId;
  readonly volumeHolders: VolumeHolders;
  /** Those of the operator, in addition to this machine. */
  readonly runners: OperatorRunners;
}
