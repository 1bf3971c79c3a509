import { expect, test } from "vitest";
import { readConfig } from "../../hosts/composition/config.ts";
import { serviceAddress } from "../../hosts/composition/service-address.ts";

const addressOf = (env: Record<string, string>) => {
  const config = readConfig({ SERVICE_DATA_DIR: "/tmp/none", ...env }, "all");
  const address = serviceAddress(config.publicUrl, config.agentUrl);
  address.listensAt("http://127.0.0.1:3100");
  return { people: address.ofService(), agents: address.ofAgents(), names: config.allowedHostnames };
};

test("agents reach the service where it listens, regardless of its public name", () => {
  const { people, agents } = addressOf({ SERVICE_PUBLIC_URL: "https://board.example.org/" });
  expect({ people, agents }).toEqual({
    people: "https://board.example.org",
    agents: "http://127.0.0.1:3100",
  });
});

test("SERVICE_AGENT_URL sets the address for agents, and the service answers to that name", () => {
  const { agents, names } = addressOf({ SERVICE_AGENT_URL: "http://board.internal:8080/" });
  expect(agents).toBe("http://board.internal:8080");
  expect([...names]).toContain("board.internal");
});
