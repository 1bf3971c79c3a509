import { isAbsolute, normalize } from "node:path";
import { z } from "zod";
import { boardTokenPolicies } from "../../core/model/access/board-token-policy.ts";
import type { HostPath } from "../../core/model/agents/named-paths.ts";
import { defaultLeaseSec } from "../../core/model/runs/lease.ts";

const whole = (min: number, max = 100_000) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};
const count = (defaultValue: number, min = 1, max = 100_000) => whole(min, max).default(defaultValue);
const userIds = "must be a user id above 0, or a range of them such as 60000-60999";
const retentionRule = "must be the numbers of daily, weekly and monthly backups that are kept, such as 7,4,6";
const given = z.string().min(1).optional();
/** A secret may also come from a file: `NAME_FILE` names it. */
const secret = (of: z.ZodString) => of.optional().meta({ secret: true });

/** `/srv/tools` or `/srv/tools:ro` is read, `/srv/project:rw` is written, too. */
const agentPath = (text: string): HostPath => {
  const [, path = text, access] = /^(.*):(ro|rw)$/.exec(text) ?? [];
  return { path: normalize(`${path}/`).slice(0, -1) || "/", access: access === "rw" ? "write" : "read" };
};

/** Its programs could put a link there, which a later run would follow. */
const isBelowWritable = ({ path }: HostPath, paths: readonly HostPath[]): boolean =>
  paths.some((other) => other.access === "write" && path.startsWith(`${other.path}/`));

/** Every setting by its name; docs/configuration.md explains each. */
export const settings = z.object({
  PORT: count(3100, 0, 65_535),
  HOST: z.string().min(1).default("127.0.0.1"),
  SERVICE_DATA_DIR: given,
  DATABASE_URL: secret(z.string()),
  // Four for each of two processors, one for look-ups and one that listens: 16 more answer no more requests, and each holds
  // 10 MB of the server.
  SERVICE_DATABASE_POOL: count(10, 4, 500),
  SERVICE_DATABASE_DURABLE: z.enum(["true", "false"]).default("true"),
  SERVICE_FORMER_POSTGRES: given,
  SERVICE_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  SERVICE_AGENT_URL: z.url({ protocol: /^https?$/ }).optional(),
  SERVICE_ALLOWED_HOSTNAMES: z.string().default(""),
  SERVICE_BOARD_TOKENS: z.enum(boardTokenPolicies).default("all"),
  SERVICE_OUTBOUND_PRIVATE_HOSTS: z
    .string()
    .transform((text) =>
      text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim().toLowerCase()])),
    )
    .default([]),
  SERVICE_SMTP_URL: secret(z.string()),
  SERVICE_SMTP_FROM: given,
  SERVICE_DRAIN_SEC: count(0, 0, 3_600),
  SERVICE_HANDOVER_SEC: count(0, 0, 1_800),
  SERVICE_METRICS_TOKEN: secret(z.string().min(16)),
  SERVICE_SECRETS_MASTER_KEY: secret(z.string()),
  SERVICE_SECRETS_MASTER_KEY_NEXT: secret(z.string()),
  SERVICE_SECRETS_PROVIDER: z.enum(["local_encrypted", "cloud_a_secrets_manager"]).default("local_encrypted"),
  SERVICE_SECRET_PROVIDERS: z
    .string()
    .transform((text) => text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()])))
    .refine((names) => names.every((name) => name === "external_vault"), "must be external_vault")
    .default([]),
  SERVICE_CLOUD_A_REGION: given,
  SERVICE_CLOUD_A_DEPLOYMENT_ID: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/)
    .optional(),
  SERVICE_CLOUD_A_KMS_KEY_ID: given,
  SERVICE_CLOUD_A_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/)
    .default("boardroom"),
  SERVICE_CLOUD_A_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  SERVICE_AGENT_UID: z
    .string()
    .regex(/^\d{1,9}(-\d{1,9})?$/, userIds)
    .transform((text) => text.split("-").map(Number))
    .refine(([first = 0, last]) => first > 0 && (last === undefined || last > first), userIds)
    .optional(),
  SERVICE_AGENT_GID: z.coerce.number().int().min(1).optional(),
  SERVICE_SANDBOX: z.enum(["auto", "required", "off"]).default("auto"),
  SERVICE_AGENT_PATHS: z
    .string()
    .transform((text) =>
      text.split(",").flatMap((each) => (each.trim() === "" ? [] : [agentPath(each.trim())])),
    )
    .refine((paths) => paths.every(({ path }) => isAbsolute(path)), "must be absolute paths")
    .refine(
      (paths) => paths.every((each) => !isBelowWritable(each, paths)),
      "must not list a path below one with :rw",
    )
    .default([]),
  SERVICE_SANDBOX_PATHS: z
    .string()
    .transform((text) => text.split(",").map((path) => path.trim()))
    .refine((paths) => paths.every((path) => path === "" || isAbsolute(path)), "must be absolute paths")
    .transform((paths) => paths.filter((path) => path !== ""))
    .default([]),
  SERVICE_RUN_MAX_MEMORY_MB: count(8_192, 64, 10_000_000),
  SERVICE_RUN_MAX_DISK_MB: count(32_768, 64, 100_000_000),
  SERVICE_RUN_MIN_FREE_MB: count(1_024, 0, 100_000_000),
  SERVICE_RUN_MAX_PROCESSES: count(4_096, 16, 1_000_000),
  SERVICE_RUN_MAX_OPEN_FILES: count(65_536, 64, 10_000_000),
  SERVICE_RUN_MAX_FILE_BYTES: count(16 * 1024 ** 3, 1024 * 1024, 1024 ** 5),
  SERVICE_AGENT_ENV_PASSTHROUGH: z.string().default(""),
  SERVICE_MAX_RUNS: count(50),
  SERVICE_MAX_RUNS_PER_COMPANY: count(50),
  SERVICE_MAX_RUNS_PER_ADAPTER: count(50),
  SERVICE_MAX_REQUESTS: count(200, 8),
  SERVICE_MAX_WAIT_MS: count(1_000, 0, 600_000),
  // The default is config.ts's: it depends on the address for people.
  SERVICE_MAX_CONNECTIONS_PER_ADDRESS: whole(0).optional(),
  SERVICE_RATE_PER_CALLER: count(100, 0),
  SERVICE_RATE_PER_COMPANY: count(400, 0),
  SERVICE_RUNNER: z.string().min(1).default("local"),
  SERVICE_LEASE_SEC: count(defaultLeaseSec, 3, 3_600),
  SERVICE_HOST_TERM_SEC: count(300, 0, 7 * 24 * 3_600),
  SERVICE_RUN_LOG_MAX_BYTES: count(64 * 1024 * 1024, 64 * 1024, 100 * 1024 ** 3),
  SERVICE_ATTACHMENT_MAX_BYTES: count(10 * 1024 * 1024, 1, 5 * 1024 ** 3),
  SERVICE_KEEP_RUN_DETAILS_DAYS: count(0, 0, 36_500),
  SERVICE_KEEP_ACTIVITY_DAYS: count(0, 0, 36_500),
  // An event is recognised when it is reported again, for which a month is enough.
  SERVICE_KEEP_COST_EVENTS_DAYS: count(0, 0, 36_500).refine(
    (days) => days === 0 || days >= 31,
    "must be 0 or at least 31",
  ),
  SERVICE_BLOB_STORE: z.enum(["disk", "s3"]).default("disk"),
  SERVICE_S3_BUCKET: given,
  SERVICE_S3_REGION: z.string().min(1).default("us-east-1"),
  SERVICE_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  SERVICE_S3_PREFIX: z.string().default(""),
  SERVICE_BACKUP_TO: given,
  SERVICE_BACKUP_AT: z.string().min(1).default("@daily"),
  SERVICE_BACKUP_PASSPHRASE_FILE: given,
  SERVICE_BACKUP_BEFORE_MIGRATION: z.enum(["true", "false"]).default("true"),
  SERVICE_BACKUP_REMINDER: z.enum(["true", "false"]).default("true"),
  SERVICE_BACKUP_KEEP: z
    .string()
    .regex(/^\d{1,4},\d{1,4},\d{1,4}$/, retentionRule)
    .transform((text) => text.split(",").map(Number))
    .default([7, 4, 6]),
  SERVICE_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("warn"),
});

/** The names of the settings that are secrets, or may have one in them. */
export const secretSettings: readonly string[] = Object.entries(settings.shape).flatMap(([name, setting]) =>
  setting.meta()?.secret === true ? [name] : [],
);

export type Settings = z.output<typeof settings>;
