import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { filesWithoutPrograms } from "./test/support/needed-programs.ts";
import { RunSummary } from "./test/support/run-summary.ts";

/** Suites with commands of their own, by the variable that chooses them: they need programs that are no part of the product, or minutes, or check nothing. */
const optional = {
  REAL_CLIS: { name: "real CLIs", include: ["test/**/real-*.test.ts"] },
  ACP_AGENTS: { name: "ACP agents", include: ["test/acp/*.test.ts"] },
  MCP_CONFORMANCE: { name: "MCP conformance", include: ["test/mcp/*.test.ts"] },
  KUBERNETES_LAB: { name: "cluster", include: ["test/kubernetes/**/*.test.ts"] },
  DOCKER_ENGINES: { name: "engines", include: ["test/docker/**/*.test.ts"] },
  CGROUPS: { name: "control groups", include: ["test/cgroups/*.test.ts"] },
  SEVERAL_SERVICES: { name: "services", include: ["test/services/*.test.ts"] },
  PICTURES: { name: "pictures", include: ["test/web/pictures.test.ts"] },
  GENERATED_CLIENTS: { name: "clients", include: ["test/clients/*.test.ts"] },
};

const chosen = Object.entries(optional)
  .filter(([variable]) => process.env[variable])
  .map(([, suite]) => suite);
const exclude = [
  ...configDefaults.exclude,
  ...Object.values(optional).flatMap(({ include }) => include),
  ...filesWithoutPrograms(import.meta.dirname),
];
const common = {
  // Programs of tests lie wherever the tests do; what keeps agents apart has suites of its own, which say so.
  env: { SERVICE_SANDBOX: "off" },
  // Processes, because engines of the web server and signals do not share one process well.
  pool: "forks",
  // A wait for a condition says what it waited for; a limit of a whole test does not, so it is far beyond them.
  testTimeout: 300_000,
  // A value that is polled comes in its time on a loaded machine, too.
  expect: { poll: { timeout: 120_000, interval: 100 } },
  // A gate is lost to one moment without processor time; what passed only when tried again is printed at the end.
  retry: process.env.CI ? 2 : 0,
  hookTimeout: 300_000,
  teardownTimeout: 30_000,
  // To transform the service takes seven seconds of processor time, once for each project and run without it. Not for the set-up
  // of all, whose errors have no stack with it: vitest 4.1.12 then ends.
  experimental: { fsModuleCache: true },
} as const;

const filesOf = (folders: readonly string[]) => folders.map((folder) => `test/${folder}/**/*.test.ts`);

/** Their files share processes: to load the service again takes longer than most of them run. */
const sharing = [
  ...filesOf(["api", "core", "journeys", "plugins", "web"]),
  // It changes the variables that the AWS SDK reads once.
  "test/contracts/**/!(instance-credentials).test.ts",
];
/** Theirs, too, but with each other alone. Named are those that change the engine, the clock, the variables or the folder of their process. */
const programs = [
  ...filesOf(["attacks"]),
  "test/faults/!(containers|npm-install).test.ts",
  "test/hosts/**/!(cli-80-columns|collect-when-idle|file-sweep-by-time|http-*|too-much).test.ts",
];

/** Kills, attacks, and each file that takes 40 s of both: `npm run test:slow`. `npm test` has the others. */
const slow = {
  sharing: [
    "test/api/{adapter-installs,caller-may,changes,fuzz,installed-adapters,many-pieces,merge,pull-requests}.test.ts",
    "test/contracts/{hostile-objects,issue-trees,kept-history,list-plans,pod-runner,pod-trees,process-runner}.test.ts",
    "test/core/claim-runs.test.ts",
    "test/journeys/{backup,company-move,file-memory,files-in-s3,gated-end,getting-in,masked-work,trees,webhook-routine,work-of-another-disk}.test.ts",
    "test/plugins/{hosted-adapters,ui-parser-sandbox}.test.ts",
    "test/web/{changes,decisions,interactions,issues,journeys,keyboard-focus,layout,links,operator-tasks,phone,push,reached,review,steady,thread,undo}.test.ts",
  ],
  programs: [
    ...filesOf(["attacks"]),
    "test/faults/!(containers|npm-install).test.ts",
    "test/hosts/{lifecycle,package-types}.test.ts",
  ],
  apart: ["test/examples.test.ts", "test/faults/{containers,npm-install}.test.ts"],
};

/**
 * Tests of the service and the page keep a core busy: one worker for each core. Tests of programs also wait, for graces, leases and
 * starts: half as many workers again. On two cores, both kinds take a quarter longer with four workers, because all work then costs
 * more. Projects with different numbers of workers run one after another.
 */
const workers = {
  busy: { maxWorkers: availableParallelism(), sequence: { groupOrder: 0 } },
  waiting: { maxWorkers: Math.ceil(1.5 * availableParallelism()), sequence: { groupOrder: 1 } },
};

interface ProjectOptions {
  readonly load: keyof typeof workers;
  readonly exclude?: string[];
  readonly isolate?: false;
}

const project = (
  name: string,
  include: string[],
  { load, exclude: others = [], ...options }: ProjectOptions,
) => ({
  test: { ...common, ...workers[load], name, include, ...options, exclude: [...exclude, ...others] },
});

/** By how their files share processes, and by what they cost: `npx vitest run FILE` finds a file in any. */
const projects = [
  project("sharing", sharing, { load: "busy", exclude: slow.sharing, isolate: false }),
  project("programs", programs, { load: "waiting", exclude: slow.programs, isolate: false }),
  project("apart", ["test/**/*.test.ts"], {
    load: "waiting",
    exclude: [...sharing, ...programs, ...slow.apart],
  }),
  project("slow-sharing", slow.sharing, { load: "busy", isolate: false }),
  project("slow-programs", slow.programs, { load: "waiting", isolate: false }),
  project("slow-apart", slow.apart, { load: "waiting" }),
];

export default defineConfig({
  test: {
    globalSetup: [
      "test/support/needed-programs.ts",
      "test/support/built.ts",
      "test/support/postgres-setup.ts",
    ],
    reporters: ["default", new RunSummary()],
    maxWorkers: workers.waiting.maxWorkers,
    projects: chosen.length > 0 ? chosen.map((suite) => ({ test: { ...common, ...suite } })) : projects,
  },
});
