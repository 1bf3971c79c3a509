import { join } from "node:path";
import * as Effect from "effect/Effect";
import { ContainerModule } from "inversify";
import { checkedAddress } from "../../adapters-infra/git/addresses.ts";
import { gitHosts } from "../../adapters-infra/git-hosts/git-hosts.ts";
import { aesCipher } from "../../adapters-infra/local/aes-cipher.ts";
import { agentUsers, companyHomes, serviceUser } from "../../adapters-infra/local/agent-users.ts";
import { agentWorkspaces } from "../../adapters-infra/local/agent-workspaces.ts";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { cronerCalendar } from "../../adapters-infra/local/croner-calendar.ts";
import { freeDisk } from "../../adapters-infra/local/free-disk.ts";
import { issueTrees } from "../../adapters-infra/local/issue-trees.ts";
import type { KeyRing, KeySource } from "../../adapters-infra/local/master-key.ts";
import type { ProgramHolder } from "../../adapters-infra/local/program-holder.ts";
import { rotatingMasterKey } from "../../adapters-infra/local/rotating-master-key.ts";
import type { OpenedGroups } from "../../adapters-infra/local/run-groups.ts";
import { skillCatalogue } from "../../adapters-infra/local/skill-catalogue.ts";
import type { Spawner } from "../../adapters-infra/local/spawner.ts";
import { svgProblem } from "../../adapters-infra/local/svg-inspector.ts";
import { tokenCredentials } from "../../adapters-infra/local/token-credentials.ts";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import type { VolumeHolders } from "../../adapters-infra/local/volume-holders.ts";
import { webhookSigning } from "../../adapters-infra/local/webhook-signing.ts";
import { mcpProbe } from "../../adapters-infra/mcp/mcp-probe.ts";
import { adapterFolder } from "../../adapters-infra/plugins/adapter-folder.ts";
import { adapterPackages } from "../../adapters-infra/plugins/adapter-packages.ts";
import { adapterProbe } from "../../adapters-infra/plugins/adapter-probe.ts";
import { agentRunner } from "../../adapters-infra/plugins/agent-runner.ts";
import { companyTurns } from "../../adapters-infra/plugins/company-turns.ts";
import { hostMarks } from "../../adapters-infra/plugins/host-marks.ts";
import { builtinPlugins, pluginLoader } from "../../adapters-infra/plugins/plugin-loader.ts";
import { uiParsers } from "../../adapters-infra/plugins/ui-parsers.ts";
import type { PostgresAdapters } from "../../adapters-infra/postgres/index.ts";
import type { KeptRuns } from "../../adapters-infra/runner-helper/kept-runs.ts";
import { hostPaths } from "../../adapters-infra/sandbox/host-paths.ts";
import type { PathRules } from "../../adapters-infra/sandbox/path-rules.ts";
import { secretProviders } from "../../adapters-infra/secret-providers/index.ts";
import type { CompanyId, InstallationId, VolumeId } from "../../core/model/shared/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CodeStores } from "../../ports/code-stores.ts";
import type { Detach, ProgramViews, Sandbox, Separation } from "../../ports/sandbox.ts";
import type { Views } from "../../ports/views.ts";
import { guideSkill } from "../api/system/agent-guide.ts";
import { backupTaker } from "./backup/backup-taker.ts";
import type { Config } from "./config.ts";
import { joinedHandover } from "./joined-handover.ts";
import type { TakenUsers } from "./keep-apart.ts";
import type { Log } from "./log.ts";
import { openBlobs } from "./open-blobs.ts";
import type { OperatorRunners } from "./open-runners.ts";
import { shippedTemplates } from "./template-folder/shipped-templates.ts";
import { T } from "./tokens.ts";

export interface Foundations {
  readonly config: Config;
  readonly installation: InstallationId;
  readonly log: Log;
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
  readonly taken: TakenUsers;
  /** Sentences, by adapter. */
  readonly unseenSignIns: ReadonlyMap<string, string>;
  /** null: it starts programs as its children. */
  readonly spawner: Spawner | null;
  /** null: programs end with the service. */
  readonly holder: ProgramHolder | null;
  /** The same for programs on engines. */
  readonly kept: KeptRuns | null;
  /** The control groups of runs. */
  readonly groups: OpenedGroups;
  readonly separation: Separation;
  /** Where agents' workspaces and homes are. */
  readonly volume: VolumeId;
  readonly volumeHolders: VolumeHolders;
  /** Those of the operator, in addition to this machine. */
  readonly runners: OperatorRunners;
}

/** Binds every port to its adapter. The parts were opened before, in the order that they need. */
export const infraModule = ({
  config,
  installation,
  log,
  clock,
  codeStores,
  databaseUrl,
  storage,
  keyRing,
  serviceKeys,
  pathRules,
  views,
  sandbox,
  detach,
  taken,
  unseenSignIns,
  spawner,
  holder,
  kept,
  groups,
  separation,
  volume,
  volumeHolders,
  runners,
}: Foundations) =>
  new ContainerModule(({ bind }) => {
    bind(T.transactor).toConstantValue(storage.transactor);
    bind(T.views).toConstantValue(storage.views);
    bind(T.idempotency).toConstantValue(storage.idempotency);
    bind(T.signals).toConstantValue(storage.signals);
    bind(T.config).toConstantValue(config);
    bind(T.log).toConstantValue(log);
    bind(T.separation).toConstantValue(separation);
    bind(T.keyRing).toConstantValue(keyRing);
    bind(T.clock).toConstantValue(clock);
    bind(T.codeStores).toConstantValue(codeStores);
    bind(T.gitHosts).toConstantValue(gitHosts(checkedAddress));
    bind(T.ids).toConstantValue(uuidIds);
    bind(T.credentials).toConstantValue(tokenCredentials(serviceKeys));
    bind(T.backupTaker).toConstantValue(backupTaker({ ...config, databaseUrl }));
    bind(T.backupSchedule).toConstantValue(config.backup);
    const cipher = aesCipher(keyRing);
    bind(T.cipher).toConstantValue(cipher);
    bind(T.masterKeys).toResolvedValue(rotatingMasterKey, [T.keyRing, T.transactor]);
    bind(T.secretProviders).toResolvedValue(
      (masterKeys) =>
        secretProviders({
          usual: config.secretProvider,
          local: {
            transactor: storage.transactor,
            cipher,
            keyFile: config.masterKey === null ? join(config.dataDir, "master.key") : null,
            masterKeys,
          },
          cloudA: config.cloudA,
        }),
      [T.masterKeys],
    );
    bind(T.calendar).toConstantValue(cronerCalendar());
    bind(T.webhookSigning).toConstantValue(webhookSigning);
    bind(T.volume).toConstantValue(volume);
    bind(T.volumeHolders).toConstantValue(volumeHolders);
    const homes = join(config.dataDir, "homes");
    const users =
      config.agentUsers === null
        ? sandbox === null
          ? serviceUser
          : companyHomes(homes)
        : agentUsers(
            config.agentUsers,
            { installation, homes, serviceHome: config.agentEnv.HOME, ...taken },
            (companyId) => Effect.orDie(storage.views.companies.numberOf(companyId)),
          );
    const folder = join(config.dataDir, "workspaces");
    const paths = hostPaths(pathRules, { workspaces: folder, homes });
    const workspaces = agentWorkspaces(
      {
        folder,
        files: join(config.dataDir, "agent-skills"),
        homes,
        views,
        env: config.agentEnv,
      },
      users,
    );
    bind(T.skillCatalogue).toConstantValue(
      skillCatalogue({
        catalogue: join(config.dataDir, "skills"),
        own: guideSkill,
      }),
    );
    bind(T.shippedTemplates).toConstantValue(shippedTemplates);
    bind(T.svgInspector).toConstantValue(svgProblem);
    const onBlobFailure = (err: unknown) => log.error({ err }, "files cannot be stored or read");
    bind(T.blobs).toConstantValue(openBlobs(config, onBlobFailure));
    bind(T.runLogs).toResolvedValue((blobs) => storage.runLogs(blobs, config.runLogMaxBytes), [T.blobs]);
    const processes = childProcessRunner({
      installation,
      groups,
      sandbox,
      detach,
      views,
      maxMemoryBytes: config.runMaxMemoryBytes,
      maxDiskBytes: config.runMaxDiskBytes,
      spawner,
      holder: holder === null ? null : { programs: holder, sec: config.handoverSec },
    });
    bind(T.processes).toConstantValue(processes);
    bind(T.handover).toConstantValue(joinedHandover([processes.handover, kept?.handover]));
    const local = { processes, workspaces };
    const isDiskFull = freeDisk(config.dataDir, config.runMinFreeBytes);
    const trees = issueTrees(
      {
        volume,
        folder: join(config.dataDir, "trees"),
        workspaces: folder,
        homes,
        files: join(config.dataDir, "agent-skills"),
        env: config.agentEnv,
        processes,
      },
      users,
    );
    bind(T.runners).toConstantValue(runners({ ...local, trees, paths, volume, isDiskFull }));
    const installed = adapterFolder(
      join(config.dataDir, "adapters"),
      users.packages === null ? {} : { readers: users.packages },
    );
    const marks = hostMarks(processes);
    const packagesUser = users.packages === null ? {} : { user: users.packages };
    const hosts = { ...local, mark: marks.mark };
    const sweep = () => installed.sweep(adapters.inUse());
    const adapters = pluginLoader({
      plugins: async () => [...(await builtinPlugins()), ...(await installed.plugins())],
      hosts,
      clock,
      clearAway: () => marks.endLeftovers().then(sweep),
      onUnused: () => void sweep().catch((error) => log.warn({ error: String(error) }, "adapter folder")),
      onProblem: ({ directory, level, message }) => log[level]({ directory }, `adapter package: ${message}`),
    });
    bind(T.adapters).toConstantValue(adapters);
    bind(T.adapterPackages).toConstantValue(adapterPackages(adapters, installed, hosts));
    const runnerOf = (views: Views) => (companyId: CompanyId) =>
      Effect.map(Effect.orDie(views.companies.get(companyId)), ({ runner }) => runner);
    bind(T.adapterProbe).toResolvedValue(
      (runners, views) =>
        adapterProbe(runners, local, { mark: marks.mark, unseenSignIns, companyRunner: runnerOf(views) }),
      [T.runners, T.views],
    );
    bind(T.mcpProbe).toResolvedValue(
      (runners, views) =>
        mcpProbe(runners, { mark: marks.mark, inTurn: companyTurns(), companyRunner: runnerOf(views) }),
      [T.runners, T.views],
    );
    bind(T.uiParsers).toConstantValue(uiParsers(packagesUser));
    bind(T.agentRunner).toResolvedValue((adapters) => agentRunner(adapters, local), [T.adapters]);
  });
