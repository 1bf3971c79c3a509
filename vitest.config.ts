import { configDefaults, defineConfig } from "vitest/config";
import { SlowFiles } from "./test/support/slow-files.ts";

// The suites against the real agent CLIs need a gigabyte of other people's programs: `npm run test:real-clis`.
const realClis = ["test/**/real-*.test.ts"];

export default defineConfig({
  test: {
    include: process.env.REAL_CLIS ? realClis : ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(process.env.REAL_CLIS ? [] : realClis)],
    globalSetup: ["test/support/built.ts", "test/support/postgres-setup.ts"],
    reporters: ["default", new SlowFiles()],
    // Programs of tests lie wherever the tests do; what keeps agents apart has suites of its own, which say so.
    env: { SERVICE_SANDBOX: "off" },
    // Processes, because engines of the web server and signals do not share one process well.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
