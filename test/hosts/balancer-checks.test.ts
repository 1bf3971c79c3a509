import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawSocket } from "../support/raw-socket.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ role: "api" });
});
afterAll(() => service?.stop());

const ask = async (...lines: string[]) => {
  const client = await RawSocket.open(Number(new URL(service.url).port));
  const toHead = lines[0]!.startsWith("HEAD");
  return client.request(...lines).answer({ toHead });
};

describe("A balancer's check", () => {
  it.each([
    ["HAProxy: option httpchk GET /api/health", 200, ["GET /api/health HTTP/1.0"]],
    ["HAProxy: option httpchk", 204, ["OPTIONS / HTTP/1.0"]],
    ["HTTP/1.0 of the root", 200, ["GET / HTTP/1.0"]],
    ["HTTP/1.0 by HEAD", 200, ["HEAD /api/health HTTP/1.0"]],
    ["GKE", 200, ["GET / HTTP/1.1", "Host: 10.4.0.7:3100", "User-Agent: GoogleHC/1.0", "Accept: */*"]],
    ["AWS", 200, ["GET / HTTP/1.1", "Host: 10.4.0.7:3100", "User-Agent: ELB-HealthChecker/2.0"]],
    ["kubelet", 200, ["GET /api/health HTTP/1.1", "Host: 10.4.0.7:3100", "User-Agent: kube-probe/1.33"]],
  ])("%s: %i", async (_, status, lines) => {
    expect((await ask(...lines)).status).toBe(status);
  });

  it.each([
    ["HTTP/1.0 of anything else", 403, ["GET /api/companies HTTP/1.0"]],
    ["HTTP/1.0 of another path of the page", 403, ["GET /inbox HTTP/1.0", "Accept: text/html"]],
    ["HTTP/1.0 that writes", 403, ["POST /api/health HTTP/1.0", "Content-Length: 0"]],
    ["HTTP/1.0 from a page", 403, ["GET /api/health HTTP/1.0", "Origin: https://evil.example"]],
    ["HTTP/1.1 without Host", 400, ["GET /api/health HTTP/1.1"]],
    ["a foreign name", 403, ["GET /api/health HTTP/1.1", "Host: evil.example"]],
    ["OPTIONS of a foreign name", 403, ["OPTIONS / HTTP/1.1", "Host: evil.example"]],
  ])("%s is refused: %i", async (_, status, lines) => {
    expect((await ask(...lines)).status).toBe(status);
  });
});
