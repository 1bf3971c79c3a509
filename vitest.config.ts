import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { SlowFiles } from "./test/support/slow-files.ts";

// The suites against the real agent CLIs need a gigabyte of other people's programs: `npm run test:real-clis`.
const realClis = ["test/**/real-*.test.ts"];

// On a real cluster: `npm run test:kubernetes`.
const onCluster = ["test/kubernetes/**/*.test.ts"];

const real = Boolean(process.env.REAL_CLIS);
const cluster = Boolean(process.env.KUBERNETES_LAB);
const exclude = [...configDefaults.exclude, ...(real ? [] : realClis), ...(cluster ? [] : onCluster)];
const common = {
  exclude,
  // Programs of tests lie wherever the tests do; what keeps agents apart has suites of its own, which say so.
  env: { SERVICE_SANDBOX: "off" },
  // Processes, because engines of the web server and signals do not share one process well.
  pool: "forks",
  testTimeout: 60_000,
  hookTimeout: 60_000,
  teardownTimeout: 30_000,
} as const;

/** Their files share processes: to load the service again takes longer than most of them run. */
const sharing = ["test/api/**/*.test.ts", "test/contracts/**/*.test.ts", "test/core/**/*.test.ts"];

export default defineConfig({
  test: {
    globalSetup: ["test/support/built.ts", "test/support/postgres-setup.ts"],
    reporters: ["default", new SlowFiles()],
    // Two for each core: most tests of processes wait, for graces, leases and starts, more than they work.
    maxWorkers: 2 * availableParallelism(),
    projects: cluster
      ? [{ test: { ...common, name: "cluster", include: onCluster } }]
      : real
        ? [{ test: { ...common, name: "real CLIs", include: realClis } }]
        : [
            { test: { ...common, name: "sharing", include: sharing, isolate: false } },
            {
              test: {
                ...common,
                name: "apart",
                include: ["test/**/*.test.ts"],
                exclude: [...exclude, ...sharing],
              },
            },
          ],
  },
});
