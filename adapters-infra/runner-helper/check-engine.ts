import * as Effect from "effect/Effect";
import type { EnvironmentCheck } from "../../ports/agent-adapter.ts";
import { reachesNeighbour } from "./check-neighbours.ts";
import { type CheckedRunner, runScript } from "./run-script.ts";

/** Tries from inside what the network lets through; prints a word for each. */
const probe = `
const reaches = (url, ms) => fetch(url, { signal: AbortSignal.timeout(ms) }).then((answer) => answer.status, () => 0);
(async () => {
  console.log("service", await reaches(process.argv[1] + "/api/health", 8000));
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
    ];
    return checks;
  }).pipe(Effect.scoped);
