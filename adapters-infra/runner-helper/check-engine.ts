import * as Effect from "effect/Effect";
import type { EnvironmentCheck } from "../../ports/agent-adapter.ts";
import { reachesNeighbour } from "./check-neighbours.ts";
import { routedMetadata } from "./metadata-routes.ts";
import { type CheckedRunner, runScript } from "./run-script.ts";

/** The programs that the steps in workspaces of issues use, next to git and the shell. */
export const stepTools =
  "awk cat chmod cksum cmp cp cut du find grep head ln ls mkdir mktemp mv paste readlink rm sed sort timeout tr wc xargs".split(
    " ",
  );

/** Calls the service from inside, reads the routes to metadata addresses, and looks for programs; prints a line for each. */
const probe = `
${routedMetadata}
const { spawnSync } = require("node:child_process");
const outputOf = (command, ...args) => {
  const { stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return stdout + stderr;
};
const missingTools = () => {
  const [, major = 0, minor = 0] = /git version (\\d+)\\.(\\d+)/.exec(outputOf("git", "--version")) ?? [];
  if (major * 1000 + minor * 1 < 2034) return ["git 2.34 or later"];
  return [
    ...(/is not a git command/.test(outputOf("git", "remote-http")) ? ["git over http"] : []),
    ...outputOf("/bin/sh", "-c", "for each in ${stepTools.join(" ")}; do command -v $each >/dev/null || echo $each; done").split("\\n"),
  ].filter((name) => name !== "");
};
const reaches = (url, ms) => fetch(url, { signal: AbortSignal.timeout(ms) }).then((answer) => answer.status, () => 0);
(async () => {
  console.log("service", await reaches(process.argv[1] + "/api/health", 8000));
  console.log("missing", missingTools().join(", "));
  console.log("routed", routedMetadata().join(" "));
  const addresses = Object.values(require("node:os").networkInterfaces()).flat();
  console.log("addresses", addresses.filter((each) => !each.internal && each.family === "IPv4").map((each) => each.address).join(" "));
  require("node:fs").writeFileSync("written", "x");
  console.log("workspace", 1);
})();
`;

/** The operator's terms for an engine. */
export interface CheckTerms {
  readonly kind: "pod" | "container";
  readonly closeMetadata: string;
  /** Where the operator reads whether it is closed. */
  readonly listMetadata: string;
  readonly closeNeighbours: string;
  readonly openService: string;
}

/**
 * Whether rules of the engine's machine refuse each of the subnets to a program with those addresses; null where this
 * service cannot read them.
 */
export type RefusesSubnets = (
  addresses: readonly string[],
  subnets: readonly string[],
) => Promise<boolean | null>;

/** Runs programs that call the service and one another, read their routes, and write into their workspace. */
export const checkEngine = (
  runner: CheckedRunner,
  url: string,
  terms: CheckTerms,
  refuses: RefusesSubnets = async () => null,
): Effect.Effect<readonly EnvironmentCheck[]> =>
  Effect.gen(function* () {
    const { kind, closeNeighbours, openService } = terms;
    const { outcome, output, waited } = yield* runScript(runner, [probe, url], AbortSignal.timeout(120_000));
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
    const status = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
    const listed = (name: string) =>
      (new RegExp(`^${name} (.*)$`, "m").exec(output)?.[1] ?? "").split(" ").filter((each) => each !== "");
    const routed = listed("routed");
    const isRefused =
      routed.length > 0 ? yield* Effect.promise(() => refuses(listed("addresses"), routed)) : null;
    const metadata = metadataCheck(terms, routed, isRefused);
    const missing = /^missing (.+)$/m.exec(output)?.[1] ?? null;
    const neighbour = yield* reachesNeighbour(runner);
    const checks: EnvironmentCheck[] = [
      passed(`${kind}_ran`, `A ${kind} ran with the restrictions of agents.`),
      status("service") === 200
        ? passed("service_reachable", `A ${kind} reaches the service at ${url}.`)
        : {
            level: "error",
            code: "service_unreachable",
            message: `A ${kind} does not reach the service at ${url}.`,
            hint: `Set SERVICE_AGENT_URL to an address that a ${kind} can reach, and ${openService}.`,
          },
      metadata,
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
          : [passed("neighbours_closed", `A ${kind} reaches no port of another.`)]),
      status("workspace") === 1
        ? passed("workspace_writable", "Programs can write into their workspace.")
        : {
            level: "error",
            code: "workspace_closed",
            message: "Programs cannot write into their workspace.",
          },
      missing === null
        ? passed("git_found", "Its image has git for workspaces of issues.")
        : {
            level: "warn",
            code: "git_missing",
            message: `Its image lacks ${missing}, so that issues get no workspace of a repository there.`,
            hint: "Add it to the image, or set the repositories' mode to shared.",
          },
    ];
    return checks;
  }).pipe(Effect.scoped);

const passed = (code: string, message: string): EnvironmentCheck => ({
  level: "info",
  passed: true,
  code,
  message,
});

/** Judges from the routes of a program and from the rules of its machine: no packet is sent to a metadata address. */
const metadataCheck = (
  { kind, closeMetadata, listMetadata }: CheckTerms,
  routed: readonly string[],
  isRefused: boolean | null,
): EnvironmentCheck => {
  if (routed.length === 0)
    return passed("metadata_closed", `A ${kind} has no route to the metadata addresses of clouds.`);
  if (isRefused === true)
    return passed("metadata_closed", `The firewall refuses a ${kind} the metadata addresses of clouds.`);
  const where = `${routed.join(", ")}, where clouds give credentials of the machine`;
  return isRefused === false
    ? {
        level: "warn",
        code: "metadata_open",
        message: `A ${kind} has a route to ${where}, and the firewall has no rule that refuses all of it.`,
        hint: closeMetadata,
      }
    : {
        level: "warn",
        code: "metadata_unchecked",
        message: `A ${kind} has a route to ${where}. The service cannot read whether a rule refuses it, and does not try.`,
        hint: `${listMetadata} ${closeMetadata}`,
      };
};
