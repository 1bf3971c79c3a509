import * as Effect from "effect/Effect";
import type { EnvironmentCheck } from "../../ports/agent-adapter.ts";
import { reachesNeighbour } from "./check-neighbours.ts";
import { type CheckedRunner, runScript } from "./run-script.ts";

/** Used by the steps in workspaces of issues. */
const tools = "awk cksum cmp cp cut du find grep head mktemp paste sed sort timeout tr xargs";

/** Tries from inside what the network lets through, and looks for programs; prints a line for each. */
const probe = `
const { spawnSync } = require("node:child_process");
const said = (command, ...args) => {
  const { stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return stdout + stderr;
};
const missingTools = () => {
  const [, major = 0, minor = 0] = /git version (\\d+)\\.(\\d+)/.exec(said("git", "--version")) ?? [];
  if (major * 1000 + minor * 1 < 2034) return ["git 2.34 or later"];
  return [
    ...(/is not a git command/.test(said("git", "remote-http")) ? ["git over http"] : []),
    ...said("/bin/sh", "-c", "for each in ${tools}; do command -v $each >/dev/null || echo $each; done").split("\\n"),
  ].filter((name) => name !== "");
};
const reaches = (url, ms) => fetch(url, { signal: AbortSignal.timeout(ms) }).then((answer) => answer.status, () => 0);
(async () => {
  console.log("service", await reaches(process.argv[1] + "/api/health", 8000));
  console.log("missing", missingTools().join(", "));
  console.log("metadata", await reaches("http://169.254.169.254/", 3000));
  require("node:fs").writeFileSync("written", "x");
  console.log("workspace", 1);
})();
`;

/** The operator's words for an engine. */
export interface CheckWords {
  readonly kind: "pod" | "container";
  readonly closeMetadata: string;
  readonly closeNeighbours: string;
  readonly openService: string;
}

/** Runs programs that call the service, try the metadata address and one another, and write into their workspace. */
export const checkEngine = (
  runner: CheckedRunner,
  url: string,
  { kind, closeMetadata, closeNeighbours, openService }: CheckWords,
): Effect.Effect<readonly EnvironmentCheck[]> =>
  Effect.gen(function* () {
    const { outcome, said, waited } = yield* runScript(runner, [probe, url], AbortSignal.timeout(120_000));
    if (outcome.exitCode !== 0)
      return [
        {
          level: "error" as const,
          code: `${kind}_failed`,
          message: [
            outcome.startError ?? `The ${kind} ended with exit code ${outcome.exitCode}.`,
            waited,
            outcome.stderrTail,
          ]
            .filter((part) => part !== "")
            .join(" "),
        },
      ];
    const status = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(said)?.[1] ?? 0);
    const missing = /^missing (.+)$/m.exec(said)?.[1] ?? null;
    const neighbour = yield* reachesNeighbour(runner);
    const checks: EnvironmentCheck[] = [
      { level: "info", code: `${kind}_ran`, message: `A ${kind} ran with the restrictions of agents.` },
      status("service") === 200
        ? { level: "info", code: "service_reachable", message: `A ${kind} reaches the service at ${url}.` }
        : {
            level: "error",
            code: "service_unreachable",
            message: `A ${kind} does not reach the service at ${url}.`,
            hint: `Set SERVICE_AGENT_URL to an address that a ${kind} can reach, and ${openService}.`,
          },
      status("metadata") === 0
        ? {
            level: "info",
            code: "metadata_closed",
            message: `A ${kind} does not reach the cloud's metadata address.`,
          }
        : {
            level: "error",
            code: "metadata_open",
            message: `A ${kind} reaches the cloud's metadata address 169.254.169.254, which gives credentials of the machine.`,
            hint: closeMetadata,
          },
      ...(neighbour === null
        ? []
        : neighbour
          ? [
              {
                level: "warn" as const,
                code: "neighbours_open",
                message: `A ${kind} reaches the ports of others, of other companies too.`,
                hint: closeNeighbours,
              },
            ]
          : [
              {
                level: "info" as const,
                code: "neighbours_closed",
                message: `A ${kind} reaches no port of another.`,
              },
            ]),
      status("workspace") === 1
        ? { level: "info", code: "workspace_writable", message: "Programs can write into their workspace." }
        : {
            level: "error",
            code: "workspace_closed",
            message: "Programs cannot write into their workspace.",
          },
      missing === null
        ? { level: "info", code: "git_found", message: "Its image has git for workspaces of issues." }
        : {
            level: "warn",
            code: "git_missing",
            message: `Its image lacks ${missing}, so that issues get no workspace of a repository there.`,
            hint: "Add it to the image, or set the repositories' mode to shared.",
          },
    ];
    return checks;
  }).pipe(Effect.scoped);
