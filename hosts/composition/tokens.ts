import type { ServiceIdentifier } from "inversify";
import type { KeyRing } from "../../adapters-infra/local/master-key.ts";
import type { VolumeHolders } from "../../adapters-infra/local/volume-holders.ts";
import type { Access } from "../../core/access/index.ts";
import type { ExplainAgents } from "../../core/agents/explain-agents.ts";
import type { Agents } from "../../core/agents/index.ts";
import type { Approvals } from "../../core/approvals/index.ts";
import type { Assets } from "../../core/assets/index.ts";
import type { BackupSchedule } from "../../core/backups/backup-schedule.ts";
import type { Backups } from "../../core/backups/index.ts";
import type { Companies } from "../../core/companies/index.ts";
import type { Costs } from "../../core/costs/index.ts";
import type { Goals } from "../../core/goals/index.ts";
import type { Inbox } from "../../core/inbox/index.ts";
import type { Issues } from "../../core/issues/index.ts";
import type { Labels } from "../../core/labels/index.ts";
import type { McpServers } from "../../core/mcp-servers/index.ts";
import type { Projects } from "../../core/projects/index.ts";
import type { Repositories } from "../../core/repositories/index.ts";
import type { Routines } from "../../core/routines/index.ts";
import type { Runs } from "../../core/runs/index.ts";
import type { RunNotes } from "../../core/runs/run-notes.ts";
import type { Conduct } from "../../core/runs/run-supervision.ts";
import type { Secrets } from "../../core/secrets/index.ts";
import type { VolumeId } from "../../core/shared/ids.ts";
import type { Templates } from "../../core/templates/index.ts";
import type { Trees } from "../../core/trees/index.ts";
import type { Vaults } from "../../core/vaults/index.ts";
import type { AdapterPackages } from "../../ports/adapter-packages.ts";
import type { AdapterProbe } from "../../ports/adapter-probe.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { AgentRunner } from "../../ports/agent-runner.ts";
import type { BackupTaker } from "../../ports/backup-taker.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CodeStores } from "../../ports/code-stores.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { GitHosts } from "../../ports/git-hosts.ts";
import type { Idempotency } from "../../ports/idempotency.ts";
import type { Ids } from "../../ports/ids.ts";
import type { McpProbe } from "../../ports/mcp-probe.ts";
import type { Handover, LocalProcessRunner } from "../../ports/process-runner.ts";
import type { RunLogs } from "../../ports/run-log.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Separation } from "../../ports/sandbox.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { MasterKeys, SecretProviders } from "../../ports/secret-provider.ts";
import type { ShippedTemplates } from "../../ports/shipped-templates.ts";
import type { SkillCatalogue } from "../../ports/skill-catalogue.ts";
import type { SvgInspector } from "../../ports/svg-inspector.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { UiParsers } from "../../ports/ui-parsers.ts";
import type { Views } from "../../ports/views.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import type { WorkSignals } from "../../ports/work-signals.ts";
import type { App } from "../api/endpoint/app.ts";
import type { ServiceStatus } from "../api/endpoint/service-status.ts";
import type { Background } from "./background.ts";
import type { Config } from "./config.ts";
import type { EventHub } from "./event-hub.ts";
import type { LastRound } from "./last-round.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { OpenWords } from "./open-words.ts";
import type { Replacement } from "./replacement.ts";
import type { ServiceAddress } from "./service-address.ts";
import type { Describe } from "./service-status.ts";

const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`boardroom.${name}`);

/** The identifiers of the container's bindings: ports, aggregates, parts of the service. */
export const T = {
  adapterProbe: token<AdapterProbe>("adapterProbe"),
  adapterPackages: token<AdapterPackages>("adapterPackages"),
  adapters: token<AdapterRegistry>("adapters"),
  agentRunner: token<AgentRunner>("agentRunner"),
  backupSchedule: token<BackupSchedule | null>("backupSchedule"),
  backupTaker: token<BackupTaker>("backupTaker"),
  blobs: token<BlobStore>("blobs"),
  mcpProbe: token<McpProbe>("mcpProbe"),
  codeStores: token<CodeStores>("codeStores"),
  gitHosts: token<GitHosts>("gitHosts"),
  calendar: token<Calendar>("calendar"),
  cipher: token<SecretCipher>("cipher"),
  clock: token<Clock>("clock"),
  credentials: token<Credentials>("credentials"),
  serviceStatus: token<ServiceStatus>("serviceStatus"),
  explainAgents: token<ExplainAgents>("explainAgents"),
  idempotency: token<Idempotency>("idempotency"),
  handover: token<Handover | null>("handover"),
  ids: token<Ids>("ids"),
  masterKeys: token<MasterKeys>("masterKeys"),
  processes: token<LocalProcessRunner>("processes"),
  runners: token<Runners>("runners"),
  runLogs: token<RunLogs>("runLogs"),
  runNotes: token<RunNotes>("runNotes"),
  secretProviders: token<SecretProviders>("secretProviders"),
  signals: token<WorkSignals>("signals"),
  skillCatalogue: token<SkillCatalogue>("skillCatalogue"),
  svgInspector: token<SvgInspector>("svgInspector"),
  transactor: token<Transactor>("transactor"),
  uiParsers: token<UiParsers>("uiParsers"),
  views: token<Views>("views"),
  volume: token<VolumeId>("volume"),
  volumeHolders: token<VolumeHolders>("volumeHolders"),
  webhookSigning: token<WebhookSigning>("webhookSigning"),

  access: token<Access>("access"),
  agents: token<Agents>("agents"),
  approvals: token<Approvals>("approvals"),
  assets: token<Assets>("assets"),
  backups: token<Backups>("backups"),
  companies: token<Companies>("companies"),
  costs: token<Costs>("costs"),
  goals: token<Goals>("goals"),
  inbox: token<Inbox>("inbox"),
  issues: token<Issues>("issues"),
  labels: token<Labels>("labels"),
  projects: token<Projects>("projects"),
  mcpServers: token<McpServers>("mcpServers"),
  repositories: token<Repositories>("repositories"),
  routines: token<Routines>("routines"),
  runs: token<Runs>("runs"),
  secrets: token<Secrets>("secrets"),
  templates: token<Templates>("templates"),
  shippedTemplates: token<ShippedTemplates>("shipped-templates"),
  trees: token<Trees>("trees"),
  vaults: token<Vaults>("vaults"),
  app: token<App>("app"),

  address: token<ServiceAddress>("address"),
  background: token<Background>("background"),
  conduct: token<Conduct>("conduct"),
  config: token<Config>("config"),
  eventHub: token<EventHub>("eventHub"),
  describe: token<Describe>("describe"),
  keyRing: token<KeyRing>("keyRing"),
  lastRound: token<LastRound>("lastRound"),
  openQuestions: token<OpenQuestions>("openQuestions"),
  openWords: token<OpenWords>("openWords"),
  replacement: token<Replacement>("replacement"),
  log: token<Log>("log"),
  separation: token<Separation>("separation"),
  metrics: token<Metrics>("metrics"),
};
