import type { ServiceIdentifier } from "inversify";
import type { EventHub } from "../../../adapters-infra/live-events/event-hub.ts";
import type { KeyRing } from "../../../adapters-infra/local/master-key.ts";
import type { VolumeHolders } from "../../../adapters-infra/local/volume-holders.ts";
import type { Metrics } from "../../../adapters-infra/prometheus/metrics.ts";
import type { UseCaseContext } from "../../../core/access/unit-of-work.ts";
import type { Backups } from "../../../core/backups/index.ts";
import type { IssueWorkspaceUseCases } from "../../../core/code/workspaces/index.ts";
import type { BackupPlan } from "../../../core/model/backups/without-backup.ts";
import type { VolumeId } from "../../../core/model/shared/ids.ts";
import type { RecordOfRun } from "../../../core/runs/run-records.ts";
import type { Conduct } from "../../../core/runs/run-supervision.ts";
import type { ShowRun } from "../../../core/runs/show-run.ts";
import type { ExplainAgents } from "../../../core/staff/agents/explain-agents.ts";
import type { LineComments } from "../../../core/work/issues/comments/line-comments.ts";
import type { AgentRunner } from "../../../ports/agent-runner.ts";
import type { BackupTaker } from "../../../ports/backup-taker.ts";
import type { BlobStore } from "../../../ports/blob-store.ts";
import type { Calendar } from "../../../ports/calendar.ts";
import type { ClientDocuments } from "../../../ports/client-documents.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { EventSigning } from "../../../ports/event-signing.ts";
import type { GitHosts } from "../../../ports/git-hosts.ts";
import type { IdentityProviders } from "../../../ports/identity-providers.ts";
import type { Mail } from "../../../ports/mail.ts";
import type { McpProbe } from "../../../ports/mcp-probe.ts";
import type { NoticeChannels } from "../../../ports/notice-channels.ts";
import type { OutboundPosts } from "../../../ports/outbound-posts.ts";
import type { Passkeys } from "../../../ports/passkeys.ts";
import type { Handover, LocalProcessRunner } from "../../../ports/process-runner.ts";
import type { Separation } from "../../../ports/sandbox.ts";
import type { SecretCipher } from "../../../ports/secret-cipher.ts";
import type { MasterKeys, SecretProviders } from "../../../ports/secret-provider.ts";
import type { ShippedTemplates } from "../../../ports/shipped-templates.ts";
import type { SkillCatalogue } from "../../../ports/skill-catalogue.ts";
import type { SvgInspector } from "../../../ports/svg-inspector.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { UiParsers } from "../../../ports/ui-parsers.ts";
import type { WebPush } from "../../../ports/web-push.ts";
import type { WebhookSigning } from "../../../ports/webhook-signing.ts";
import type { WorkSignals } from "../../../ports/work-signals.ts";
import type { App } from "../../api/endpoint/app.ts";
import type { RecentOutages } from "../../api/endpoint/outages.ts";
import type { Config } from "../config.ts";
import type { Background } from "../jobs/background.ts";
import type { LastRound } from "../jobs/last-round.ts";
import type { OpenQuestions } from "../jobs/open-questions.ts";
import type { OpenRunInbox } from "../jobs/open-run-inbox.ts";
import type { Log } from "../log.ts";
import type { Replacement } from "../replacement.ts";
import type { ServiceAddress } from "../service-address.ts";
import type { Describe } from "../service-status.ts";

const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`boardroom.${name}`);

/** Those of the parts of `App`, under its names. */
export const partsOfApp = {
  access: token<App["access"]>("access"),
  agents: token<App["agents"]>("agents"),
  approvals: token<App["approvals"]>("approvals"),
  assets: token<App["assets"]>("assets"),
  assistants: token<App["assistants"]>("assistants"),
  backups: token<Backups>("backups"),
  companies: token<App["companies"]>("companies"),
  costs: token<App["costs"]>("costs"),
  events: token<App["events"]>("events"),
  goals: token<App["goals"]>("goals"),
  inbox: token<App["inbox"]>("inbox"),
  issues: token<App["issues"]>("issues"),
  labels: token<App["labels"]>("labels"),
  mcpServers: token<App["mcpServers"]>("mcpServers"),
  notices: token<App["notices"]>("notices"),
  noticeChats: token<App["noticeChats"]>("noticeChats"),
  projects: token<App["projects"]>("projects"),
  pushSubscriptions: token<App["pushSubscriptions"]>("pushSubscriptions"),
  repositories: token<App["repositories"]>("repositories"),
  routines: token<App["routines"]>("routines"),
  runs: token<App["runs"]>("runs"),
  secrets: token<App["secrets"]>("secrets"),
  templates: token<App["templates"]>("templates"),
  issueWorkspaces: token<IssueWorkspaceUseCases>("issueWorkspaces"),
  vaults: token<App["vaults"]>("vaults"),
  views: token<App["views"]>("views"),
  runLogs: token<App["runLogs"]>("runLogs"),
  adapters: token<App["adapters"]>("adapters"),
  runners: token<App["runners"]>("runners"),
  adapterProbe: token<App["adapterProbe"]>("adapterProbe"),
  adapterPackages: token<App["adapterPackages"]>("adapterPackages"),
  credentials: token<App["credentials"]>("credentials"),
  idempotency: token<App["idempotency"]>("idempotency"),
  clock: token<App["clock"]>("clock"),
  ids: token<App["ids"]>("ids"),
  service: token<App["service"]>("service"),
} satisfies { readonly [Name in keyof App]: ServiceIdentifier<App[Name]> };

/** The identifiers of the container's bindings: ports, aggregates, parts of the service. */
export const T = {
  ...partsOfApp,

  agentRunner: token<AgentRunner>("agentRunner"),
  backupPlan: token<BackupPlan>("backupPlan"),
  backupTaker: token<BackupTaker>("backupTaker"),
  blobs: token<BlobStore>("blobs"),
  outages: token<RecentOutages>("outages"),
  /** null: nothing is traced. */
  telemetry: token<Telemetry | null>("telemetry"),
  mcpProbe: token<McpProbe>("mcpProbe"),
  codeStores: token<CodeStores>("codeStores"),
  eventSigning: token<EventSigning>("eventSigning"),
  gitHosts: token<GitHosts>("gitHosts"),
  /** null: the instance sends no email. */
  mail: token<Mail | null>("mail"),
  noticeChannels: token<NoticeChannels>("noticeChannels"),
  outboundPosts: token<OutboundPosts>("outboundPosts"),
  calendar: token<Calendar>("calendar"),
  cipher: token<SecretCipher>("cipher"),
  context: token<UseCaseContext>("context"),
  explainAgents: token<ExplainAgents>("explainAgents"),
  showRun: token<ShowRun>("showRun"),
  handover: token<Handover | null>("handover"),
  masterKeys: token<MasterKeys>("masterKeys"),
  processes: token<LocalProcessRunner>("processes"),
  runRecords: token<RecordOfRun>("runRecords"),
  secretProviders: token<SecretProviders>("secretProviders"),
  signals: token<WorkSignals>("signals"),
  skillCatalogue: token<SkillCatalogue>("skillCatalogue"),
  svgInspector: token<SvgInspector>("svgInspector"),
  transactor: token<Transactor>("transactor"),
  uiParsers: token<UiParsers>("uiParsers"),
  volume: token<VolumeId>("volume"),
  volumeHolders: token<VolumeHolders>("volumeHolders"),
  webPush: token<WebPush>("webPush"),
  webhookSigning: token<WebhookSigning>("webhookSigning"),

  shippedTemplates: token<ShippedTemplates>("shipped-templates"),
  app: token<App>("app"),

  address: token<ServiceAddress>("address"),
  background: token<Background>("background"),
  conduct: token<Conduct>("conduct"),
  config: token<Config>("config"),
  eventHub: token<EventHub>("eventHub"),
  describe: token<Describe>("describe"),
  clientDocuments: token<ClientDocuments>("clientDocuments"),
  passkeys: token<Passkeys>("passkeys"),
  identityProviders: token<IdentityProviders>("identityProviders"),
  keyRing: token<KeyRing>("keyRing"),
  lineComments: token<LineComments>("lineComments"),
  lastRound: token<LastRound>("lastRound"),
  openQuestions: token<OpenQuestions>("openQuestions"),
  runInbox: token<OpenRunInbox>("runInbox"),
  replacement: token<Replacement>("replacement"),
  log: token<Log>("log"),
  separation: token<Separation>("separation"),
  metrics: token<Metrics>("metrics"),
};
