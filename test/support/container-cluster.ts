import { request } from "node:http";
import type { TestCluster } from "./postgres-setup.ts";

const answerWithinMs = 500;

/** Checks the socket directly: loading testcontainers takes longer than most test files. */
export const dockerAnswers = (): Promise<boolean> => {
  const host = process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock";
  const url = new URL(host);
  const target =
    url.protocol === "unix:"
      ? { socketPath: url.pathname }
      : { host: url.hostname, port: Number(url.port || 2375) };
  return new Promise((resolve) => {
    const ping = request({ ...target, path: "/_ping", timeout: answerWithinMs }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    ping.once("timeout", () => ping.destroy());
    ping.once("error", () => resolve(false));
    ping.once("close", () => resolve(false));
    ping.end();
  });
};

export const containerCluster = async (): Promise<TestCluster> => {
  const { GenericContainer, Wait } = await import("testcontainers");
  const container = await new GenericContainer("postgres:18-alpine")
    .withEnvironment({ POSTGRES_USER: "boardroom", POSTGRES_PASSWORD: "test", POSTGRES_DB: "postgres" })
    .withCommand([
      "postgres",
      ...["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=400"].flatMap(
        (s) => ["-c", s],
      ),
    ])
    .withExposedPorts(5432)
    // The image starts twice: once to initialise, then permanently.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  return {
    url: `postgres://boardroom:test@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    stop: async () => {
      await container.stop();
    },
  };
};
