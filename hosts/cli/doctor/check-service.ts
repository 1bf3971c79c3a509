import { BoardroomError } from "../../library/client-error.ts";
import { type Connection, connect } from "../connection/connect.ts";
import type { Check, Health } from "./check.ts";
import { checkInlineSecrets } from "./check-inline-secrets.ts";
import { checkLimits, checkSeparation } from "./check-isolation.ts";
import { checkRunners } from "./check-runners.ts";

/** Checks the running service and its health report; one failure if it does not answer. */
export const checkService = async (connection: Connection): Promise<readonly Check[]> => {
  const client = connect(connection);
  let health: Health;
  try {
    health = await client.system.health({}, { signal: AbortSignal.timeout(6_000) });
  } catch (error) {
    return noAnswer(connection, error);
  }
  return [
    ...checksOf(connection, health),
    ...(health.backups ? [backupsOf(health.backups)] : await checkBackups(client)),
    await checkIdentity(connection),
    ...(await checkInlineSecrets(client)),
    checkSeparation(health.separation, null),
    ...(health.runLimits === undefined ? [] : [checkLimits(health.runLimits.gap, null)]),
    ...(await checkRunners(client)),
  ];
};

/** The checks of a service that has not reported its health. */
const noAnswer = ({ baseUrl }: Connection, error: unknown): readonly Check[] => {
  const check = "service";
  if (error instanceof BoardroomError && error.status === 401)
    return [
      { level: "ok", check, message: `${baseUrl} answers` },
      {
        level: "fail",
        check: "token",
        message: "rejected by the service",
        hint: "Set a valid one with --token or SERVICE_API_KEY.",
      },
    ];
  if (error instanceof BoardroomError)
    return [
      {
        level: "fail",
        check,
        message: error.message,
        hint: "See the service's output for the cause.",
      },
    ];
  return [
    {
      level: "fail",
      check,
      message:
        error instanceof Error && error.name !== "TimeoutError" ? error.message : "no answer within 6 s",
      hint: "The service may have been killed. Restart it with `boardroom serve` and check its output.",
    },
  ];
};

const checksOf = ({ baseUrl }: Connection, health: Health): readonly Check[] => {
  const version = health.version === undefined ? "" : `, version ${health.version}`;
  const message = `${baseUrl} answers${version}`;
  const checks: Check[] = [{ level: "ok", check: "service", message }];
  if (health.outage !== undefined)
    checks.push({
      level: "fail",
      check: "database",
      message: `${health.outage.error} (${health.outage.code}, at ${health.outage.at})`,
      hint: "See the service's output for the cause.",
    });
  if (health.tickAgeSec !== undefined && health.tickAgeSec !== null)
    checks.push(
      health.tickAgeSec > 120
        ? {
            level: "fail",
            check: "background work",
            message: `last round ${health.tickAgeSec} s ago`,
            hint: "Agents aren't waking. Check the service's output, then restart it.",
          }
        : {
            level: "ok",
            check: "background work",
            message: `${health.runsRunning ?? 0} runs, ${health.runsQueued ?? 0} queued`,
          },
    );
  if (health.heldAsRestoredSince)
    checks.push({
      level: "warn",
      check: "restored",
      message: `agents are on hold since the restore at ${health.heldAsRestoredSince}`,
      hint: "Stop the original, then release them with `boardroom system release-after-restore`.",
    });
  if (health.disk) {
    checks.push(...health.disk.companies.slice(0, shownDisks).map(diskOf));
    checks.push(...health.disk.projects.slice(0, shownDisks).map(diskOfProject));
  }
  checks.push(...(health.workspacesNotKept ?? []).map(workNotCaptured));
  checks.push(...(health.packsNotWhole ?? []).map(packNotWhole));
  if (health.kept !== undefined) checks.push(history(health.kept));
  checks.push(...(health.adaptersNotLoaded ?? []).map(adapterTrouble));
  return checks;
};

/** Says to those who may see it that nothing is backed up on a schedule. */
const checkBackups = async (client: ReturnType<typeof connect>): Promise<readonly Check[]> => {
  const found = await client.system.backups().catch(() => null);
  if (found === null) return [];
  const { last, problem } = found;
  return [
    {
      level: "warn",
      check: "backups",
      message: `${last === null ? "none yet" : `last backup at ${last.at}`}, none is scheduled`,
      hint: problem ?? "Set SERVICE_BACKUP_TO to a folder or an S3 address to take one every day.",
    },
  ];
};

/** The age and size of the last good one. */
const backupsOf = ({ last, ageSec, dueAt, trouble }: NonNullable<Health["backups"]>): Check => {
  const message =
    last === null
      ? `none yet, the first is due at ${dueAt}`
      : `last backup ${(ageSec / 3_600).toFixed(1)} hours ago, ${last.bytes} bytes: ${last.file}`;
  return trouble === null
    ? { level: "ok", check: "backups", message }
    : { level: "fail", check: "backups", message, hint: trouble };
};

const shownDisks = 5;

const mib = (count: number) => `${(count / 1024 / 1024).toFixed(1)} MiB`;

/** The disk use of a company, and what to do about most of it. */
const diskOf = ({
  companyName,
  bytes,
  advice,
  ...use
}: NonNullable<Health["disk"]>["companies"][number]): Check => {
  const kinds = (["files", "logs", "runs", "activity", "costs", "work"] as const)
    .map((kind) => `${kind} ${mib(use[kind])}`)
    .join(", ");
  return { level: "ok", check: `disk of ${companyName}`, message: `${mib(bytes)} (${kinds}). ${advice}` };
};

/** The disk use of a project's code, and what of it may go. */
const diskOfProject = ({
  companyName,
  projectName,
  workspaces,
  mayGo,
  repositories,
  advice,
}: NonNullable<Health["disk"]>["projects"][number]): Check => ({
  level: "ok",
  check: `disk of ${projectName} (${companyName})`,
  message: `workspaces ${mib(workspaces)} (${mib(mayGo)} can be cleaned up), repositories ${mib(repositories)}. ${advice}`,
});

const workNotCaptured = ({
  companyName,
  workspaceId,
  branch,
  problem,
}: NonNullable<Health["workspacesNotKept"]>[number]): Check => ({
  level: "warn",
  check: `workspace of ${branch ?? workspaceId} (${companyName})`,
  message: `a run's work isn't saved: ${problem}`,
  hint: "It's still in the folder, and the service retries every ten minutes. Fix the cause and don't delete the folder.",
});

const packNotWhole = ({
  companyName,
  runId,
  branch,
  problem,
}: NonNullable<Health["packsNotWhole"]>[number]): Check => ({
  level: "warn",
  check: `work of run ${runId} in ${branch} (${companyName})`,
  message: problem,
  hint: "Look for it in a backup of the data directory (repositories/), or in the workspace of the issue.",
});

/** Reports how long history is retained. */
const history = ({ runDetailsDays, activityDays, costEventsDays }: NonNullable<Health["kept"]>): Check => {
  const time = (days: number | null) => (days === null ? "permanently" : `${days} days`);
  const message = `events and logs of runs are kept ${time(runDetailsDays)}, activity ${time(activityDays)}, cost events ${time(costEventsDays)}`;
  return { level: "ok", check: "history", message };
};

const adapterTrouble = ({
  type,
  status,
  error,
  runsQueued,
}: NonNullable<Health["adaptersNotLoaded"]>[number]): Check => ({
  level: "warn",
  check: `adapter ${type ?? "?"}`,
  message: `${status}${runsQueued === 0 ? "" : `, ${runsQueued} runs wait for it`}`,
  ...(error === null ? {} : { hint: error }),
});

const checkIdentity = async (connection: Connection): Promise<Check> => {
  const check = "token";
  if (connection.token === null)
    return {
      level: "fail",
      check,
      message: "none found for this service",
      hint: "Set one with --token or SERVICE_API_KEY.",
    };
  const from = `from the ${connection.tokenFrom}`;
  const client = connect(connection);
  try {
    const { name, admin } = await client.session.get();
    return { level: "ok", check, message: `${name}${admin ? ", instance admin" : ""} (${from})` };
  } catch (error) {
    const agent = await client.agents.me().catch(() => null);
    if (agent !== null) return { level: "ok", check, message: `agent ${agent.name} (${from})` };
    return {
      level: "fail",
      check,
      message: `the one ${from} was rejected: ${(error as Error).message}`,
      hint: "Create a new one with `boardroom tokens create`. For the local one, delete <data>/board-token and restart the service.",
    };
  }
};
