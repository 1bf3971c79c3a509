import { resolve } from "node:path";
import { cronerCalendar } from "../../adapters-infra/local/croner-calendar.ts";
import type { SmtpSettings } from "../../adapters-infra/mail/smtp-mail.ts";
import type { OpenIdSettings } from "../../adapters-infra/oidc/openid-providers.ts";
import type { SandboxMode } from "../../adapters-infra/sandbox/detect.ts";
import type { CloudADeployment } from "../../adapters-infra/secret-providers/cloud-a-settings.ts";
import {
  readVaultDeployment,
  type VaultDeployment,
} from "../../adapters-infra/secret-providers/vault-settings.ts";
import type { TelemetrySettings } from "../../adapters-infra/telemetry/settings.ts";
import type { BoardTokenPolicy } from "../../core/model/access/board-token-policy.ts";
import type { HostPath } from "../../core/model/agents/named-paths.ts";
import { isServiceVariable } from "../../core/model/agents/service-variables.ts";
import type { BackupSchedule } from "../../core/model/backups/backup-schedule.ts";
import type { Caps } from "../../core/model/runs/gate.ts";
import type { HistoryRetention } from "../../core/runs/delete-old-history.ts";
import type { RunLimits, UserRange } from "../../ports/sandbox.ts";
import { defaultDataDir } from "./data-dir.ts";
import { databaseUrlOf } from "./database-setting.ts";
import { mailOf } from "./mail-settings.ts";
import { oidcOf } from "./oidc-settings.ts";
import { publicSettings } from "./public-settings.ts";
import { readSecret } from "./secret-setting.ts";
import { SettingInvalid } from "./setting-invalid.ts";
import { type Settings, secretSettings, settings } from "./settings.ts";
import { readTelemetry } from "./telemetry-settings.ts";

/** The parsed settings of an operator, read once at the start. */
export interface Config {
  readonly dataDir: string;
  /** Complete by itself; null: the embedded database server, with its files below dataDir. */
  readonly databaseUrl: string | null;
  readonly databasePool: number;
  /** false: the embedded server does not wait for the disk, which tests use. */
  readonly durable: boolean;
  /** The folder with an older engine, which reads a database that it made; null: none. */
  readonly formerPostgres: string | null;
  readonly host: string;
  readonly port: number;
  readonly role: Role;
  /** The address for people; null: the one on which it listens. */
  readonly publicUrl: string | null;
  /** The address for agents' programs; null: the one on which it listens. */
  readonly agentUrl: string | null;
  readonly allowedHostnames: ReadonlySet<string>;
  /** How long the service continues to answer after a stop was requested, while its health says that it stops. */
  readonly drainSec: number;
  /** How long programs live without a service, so that the next one continues their runs; 0: they end with theirs. */
  readonly handoverSec: number;
  readonly metricsToken: string | null;
  /** null: nothing is traced. */
  readonly telemetry: TelemetrySettings | null;
  readonly signInProviders: readonly OpenIdSettings[];
  readonly boardTokens: BoardTokenPolicy;
  /** The server for email; null: none is sent. */
  readonly mail: SmtpSettings | null;
  readonly masterKey: string | null;
  /** The next master key, for a rotation. */
  readonly nextMasterKey: string | null;
  /** The default provider of secret values. */
  readonly secretProvider: "local_encrypted" | "cloud_a_secrets_manager";
  readonly cloudA: CloudADeployment;
  /** null: the provider is not turned on. */
  readonly externalVault: VaultDeployment | null;
  /** The users of agents' programs; null: the service's own user. */
  readonly agentUsers: UserRange | null;
  /**
   * Says whether agents' programs are sandboxed: as far as the machine allows, always (else the start fails), or not.
   */
  readonly sandbox: SandboxMode;
  /** The files and folders that all agents' programs see in addition to the system, their workspace and their home. */
  readonly agentPaths: readonly HostPath[];
  /** The memory limit of all programs of a run. */
  readonly runMaxMemoryBytes: number;
  /** The limit of what a run adds to its workspace and home. */
  readonly runMaxDiskBytes: number;
  readonly runMinFreeBytes: number;
  /** The resource limits of a sandboxed run. */
  readonly runLimits: RunLimits & { readonly processes: number };
  /** The variables of the service's environment that agents' programs get. */
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly caps: Caps;
  /** The limit of open connections from one address, loopback left aside; null: none. */
  readonly maxConnectionsPerAddress: number | null;
  /** The limits of requests, of this service process. */
  readonly requestLimits: {
    /** Further requests are refused at once, so that the accepted ones are answered soon. */
    readonly inProgress: number;
    /** The longest expected wait for an answer in milliseconds; 0: no limit. */
    readonly waitMs: number;
    /** Per second, as a mean over ten seconds; 0: no limit. */
    readonly perCaller: number;
    /** As perCaller, for all callers of a company together. */
    readonly perCompany: number;
  };
  /** How long this service counts as alive without renewing its lease. */
  readonly leaseSec: number;
  /** How long agents wait for this machine after the lease of its last service has ended. */
  readonly hostTermSec: number;
  /** The limit of the output of one run. */
  readonly runLogMaxBytes: number;
  readonly retention: HistoryRetention;
  /** Hosts on this machine or in private networks to which events and a Vault may lead. */
  readonly outboundPrivateHosts: ReadonlySet<string>;
  /** The limit of one attachment or logo. */
  readonly attachmentMaxBytes: number;
  /** The store of files and logs; null: below dataDir. */
  readonly s3: {
    readonly bucket: string;
    readonly region: string;
    readonly endpoint: string | null;
    readonly prefix: string;
  } | null;
  /** Where backups in S3 are; the address names the bucket. */
  readonly backupS3: { readonly region: string; readonly endpoint: string | null };
  /** Scheduled backups, where they are put, and the file with the passphrase that encrypts them; null: none. */
  readonly backup: ({ readonly to: string; readonly passphraseFile: string | null } & BackupSchedule) | null;
  /** Whether the embedded database is backed up before it is migrated. */
  readonly backupBeforeMigration: boolean;
  /** Whether the inbox of admins says that there are no backups. */
  readonly backupReminder: boolean;
  /** The settings that are set, without secrets. */
  readonly publicSettings: Readonly<Record<string, string>>;
  /** The runner of agents that, with their company, name none. */
  readonly runner: string;
  readonly logLevel: string;
}

export type Role = "api" | "worker" | "all";

type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as one that is not set. */
export const readConfig = (env: Environment, role: Role = "all"): Config => {
  const set = withSecrets(nonEmpty(env));
  const at = parse(set);
  const publicUrl = at.SERVICE_PUBLIC_URL?.replace(/(?<!\/)\/+$/, "") ?? null;
  const agentUrl = at.SERVICE_AGENT_URL?.replace(/(?<!\/)\/+$/, "") ?? null;
  return {
    dataDir: resolve(at.SERVICE_DATA_DIR ?? defaultDataDir()),
    databaseUrl: at.DATABASE_URL === undefined ? null : databaseUrlOf(at.DATABASE_URL, set),
    databasePool: at.SERVICE_DATABASE_POOL,
    durable: at.SERVICE_DATABASE_DURABLE === "true",
    formerPostgres: at.SERVICE_FORMER_POSTGRES === undefined ? null : resolve(at.SERVICE_FORMER_POSTGRES),
    host: at.HOST,
    port: at.PORT,
    role,
    publicUrl,
    agentUrl,
    allowedHostnames: hostnamesOf(at, [publicUrl, agentUrl]),
    outboundPrivateHosts: new Set(at.SERVICE_OUTBOUND_PRIVATE_HOSTS),
    drainSec: at.SERVICE_DRAIN_SEC,
    handoverSec: at.SERVICE_HANDOVER_SEC,
    metricsToken: at.SERVICE_METRICS_TOKEN ?? null,
    telemetry: readTelemetry(set),
    signInProviders: oidcOf(set),
    boardTokens: at.SERVICE_BOARD_TOKENS,
    mail: mailOf(at),
    masterKey: at.SERVICE_SECRETS_MASTER_KEY ?? null,
    nextMasterKey: at.SERVICE_SECRETS_MASTER_KEY_NEXT ?? null,
    secretProvider: at.SERVICE_SECRETS_PROVIDER,
    cloudA: {
      region: at.SERVICE_CLOUD_A_REGION ?? set.AWS_REGION ?? set.AWS_DEFAULT_REGION ?? null,
      deploymentId: at.SERVICE_CLOUD_A_DEPLOYMENT_ID ?? null,
      kmsKeyId: at.SERVICE_CLOUD_A_KMS_KEY_ID ?? null,
      prefix: at.SERVICE_CLOUD_A_PREFIX,
      endpoint: at.SERVICE_CLOUD_A_ENDPOINT ?? null,
    },
    externalVault: externalVaultOf(at, set),
    agentUsers: agentUsersOf(at),
    sandbox: at.SERVICE_SANDBOX,
    agentPaths: [
      ...at.SERVICE_AGENT_PATHS,
      ...at.SERVICE_SANDBOX_PATHS.map((path) => ({ path, access: "read" as const })),
    ],
    runMaxMemoryBytes: at.SERVICE_RUN_MAX_MEMORY_MB * 2 ** 20,
    runMaxDiskBytes: at.SERVICE_RUN_MAX_DISK_MB * 2 ** 20,
    runMinFreeBytes: at.SERVICE_RUN_MIN_FREE_MB * 2 ** 20,
    runLimits: {
      processes: at.SERVICE_RUN_MAX_PROCESSES,
      openFiles: at.SERVICE_RUN_MAX_OPEN_FILES,
      fileBytes: at.SERVICE_RUN_MAX_FILE_BYTES,
      // Of two such folders, so that they do not take more than the memory of a run.
      tmpBytes: (at.SERVICE_RUN_MAX_MEMORY_MB * 2 ** 20) / 2,
    },
    agentEnv: agentEnv(set, at.SERVICE_AGENT_ENV_PASSTHROUGH.split(",")),
    caps: {
      instance: at.SERVICE_MAX_RUNS,
      company: at.SERVICE_MAX_RUNS_PER_COMPANY,
      adapterType: at.SERVICE_MAX_RUNS_PER_ADAPTER,
    },
    requestLimits: requestLimitsOf(at),
    // With https a proxy stands before the service, and all connections may be from its address.
    maxConnectionsPerAddress:
      (at.SERVICE_MAX_CONNECTIONS_PER_ADDRESS ?? (publicUrl?.startsWith("https:") ? 0 : 512)) || null,
    runner: at.SERVICE_RUNNER,
    leaseSec: at.SERVICE_LEASE_SEC,
    hostTermSec: at.SERVICE_HOST_TERM_SEC,
    runLogMaxBytes: at.SERVICE_RUN_LOG_MAX_BYTES,
    retention: retentionOf(at),
    attachmentMaxBytes: at.SERVICE_ATTACHMENT_MAX_BYTES,
    s3: s3Of(at),
    backupS3: { region: at.SERVICE_S3_REGION, endpoint: at.SERVICE_S3_ENDPOINT ?? null },
    backup: backupOf(at),
    backupBeforeMigration: at.SERVICE_BACKUP_BEFORE_MIGRATION === "true",
    backupReminder: at.SERVICE_BACKUP_REMINDER === "true",
    publicSettings: publicSettings(set),
    logLevel: at.SERVICE_LOG_LEVEL,
  };
};

/** Blanks around a setting come from the file or the form in which it was written. */
const nonEmpty = (env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env)
      .map(([name, value]) => [name, name in settings.shape ? value?.trim() : value])
      .filter(([, value]) => value !== undefined && value !== ""),
  );

const withSecrets = (set: Environment): Environment => ({
  ...set,
  ...Object.fromEntries(
    secretSettings.flatMap((name) => {
      const value = readSecret(set, name);
      return value === undefined ? [] : [[name, value]];
    }),
  ),
});

const parse = (set: Environment): Settings => {
  const parsed = settings.safeParse(set);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SettingInvalid(`${issue!.path.join(".")}: ${issue!.message}`);
};

const requestLimitsOf = (at: Settings): Config["requestLimits"] => ({
  inProgress: at.SERVICE_MAX_REQUESTS,
  waitMs: at.SERVICE_MAX_WAIT_MS,
  perCaller: at.SERVICE_RATE_PER_CALLER,
  perCompany: at.SERVICE_RATE_PER_COMPANY,
});

const hostnamesOf = (at: Settings, urls: readonly (string | null)[]): ReadonlySet<string> => {
  const named = at.SERVICE_ALLOWED_HOSTNAMES.split(",").map((name) => name.trim().toLowerCase());
  const own = urls.flatMap((url) => (url === null ? [] : [new URL(url).hostname]));
  return new Set([...named, ...own].filter((name) => name !== ""));
};

const retentionOf = (at: Settings): Config["retention"] => ({
  runDetailsDays: at.SERVICE_KEEP_RUN_DETAILS_DAYS || null,
  activityDays: at.SERVICE_KEEP_ACTIVITY_DAYS || null,
  costEventsDays: at.SERVICE_KEEP_COST_EVENTS_DAYS || null,
});

const backupOf = (at: Settings): Config["backup"] => {
  if (at.SERVICE_BACKUP_TO === undefined) return null;
  const cronExpression = at.SERVICE_BACKUP_AT;
  const refusal = cronerCalendar().refuse({ cronExpression, timezone: "UTC" });
  if (refusal !== null) throw new SettingInvalid(`SERVICE_BACKUP_AT: ${refusal.message}`);
  const [daily = 0, weekly = 0, monthly = 0] = at.SERVICE_BACKUP_KEEP;
  const passphraseFile = at.SERVICE_BACKUP_PASSPHRASE_FILE;
  return {
    to: at.SERVICE_BACKUP_TO,
    passphraseFile: passphraseFile === undefined ? null : resolve(passphraseFile),
    cronExpression,
    keep: { daily, weekly, monthly },
  };
};

const externalVaultOf = (at: Settings, set: Environment): VaultDeployment | null => {
  if (!at.SERVICE_SECRET_PROVIDERS.includes("external_vault")) return null;
  try {
    return readVaultDeployment(set, new Set(at.SERVICE_OUTBOUND_PRIVATE_HOSTS), (name) =>
      readSecret(set, name),
    );
  } catch (error) {
    if (error instanceof SettingInvalid) throw error;
    throw new SettingInvalid(`VAULT_CACERT: ${(error as Error).message}`);
  }
};

const agentUsersOf = ({ SERVICE_AGENT_UID: uids, SERVICE_AGENT_GID: gid }: Settings): UserRange | null => {
  const [first, last = first] = uids ?? [];
  return first === undefined || last === undefined ? null : { first, last, gid: gid ?? first };
};

const s3Of = (at: Settings): Config["s3"] => {
  if (at.SERVICE_BLOB_STORE === "disk") return null;
  if (at.SERVICE_S3_BUCKET === undefined)
    throw new SettingInvalid("SERVICE_S3_BUCKET: names the bucket, where SERVICE_BLOB_STORE is s3");
  return {
    bucket: at.SERVICE_S3_BUCKET,
    region: at.SERVICE_S3_REGION,
    endpoint: at.SERVICE_S3_ENDPOINT ?? null,
    prefix: at.SERVICE_S3_PREFIX,
  };
};

const letThrough = ["PATH", "HOME", "LANG", "TZ", "TMPDIR"];

/** Leaves out the service's own settings and secrets even if SERVICE_AGENT_ENV_PASSTHROUGH lists them. */
const agentEnv = (env: Environment, passthrough: readonly string[]): Record<string, string> => {
  const names = new Set([...letThrough, ...passthrough.map((name) => name.trim())]);
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        (names.has(entry[0]) || entry[0].startsWith("LC_")) &&
        !isServiceVariable(entry[0]) &&
        !/^(VAULT|BAO)_/.test(entry[0]) &&
        !entry[0].startsWith("DATABASE_URL"),
    ),
  );
};
