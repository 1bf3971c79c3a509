import type { TestProject } from "vitest/node";
import { embeddedCluster } from "./embedded-cluster.ts";
import {
  dropFilledTemplates,
  ensureTemplate,
  type MigratedTemplate,
  migrationsKey,
} from "./migrated-template.ts";

/** Given to test files by `inject("postgres")`. */
export type ProvidedPostgres = MigratedTemplate | { readonly unavailable: string };

declare module "vitest" {
  interface ProvidedContext {
    postgres: ProvidedPostgres;
  }
}

/** A running PostgreSQL for one test run. */
export interface TestCluster {
  /** Of a user who may create databases. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts one PostgreSQL per test run: a server named by the environment, else a container where a Docker engine
 * answers, else the embedded server of the service. Only tests that need a database report a failure.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let cluster: TestCluster | null = null;
  let template: MigratedTemplate | null = null;
  try {
    const key = await migrationsKey();
    let prepared: string | undefined;
    cluster = named() ?? (await contained());
    if (cluster === null) ({ cluster, prepared } = await embeddedCluster(key));
    template = await ensureTemplate(cluster.url, key);
    project.provide("postgres", { ...template, prepared });
  } catch (error) {
    const unavailable = `There is no database for tests: ${error instanceof Error ? error.message : String(error)}`;
    project.provide("postgres", { unavailable });
  }
  return async () => {
    if (template !== null && named() !== null) await dropFilledTemplates(template);
    await cluster?.stop();
  };
}

const named = (): TestCluster | null => {
  const url = process.env.TEST_DATABASE_URL;
  return url ? { url, stop: async () => {} } : null;
};

const contained = async (): Promise<TestCluster | null> => {
  const { dockerAnswers, containerCluster } = await import("./container-cluster.ts");
  if (!(await dockerAnswers())) return null;
  return containerCluster().catch((error: Error) => {
    process.stderr.write(
      `No PostgreSQL container (${error.message}); the embedded server is used instead.\n`,
    );
    return null;
  });
};
