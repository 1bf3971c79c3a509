import { afterAll, beforeAll, expect } from "vitest";
import { bounds } from "../../core/model/shared/bounds.ts";
import { type AttackedService, attackedService } from "./attacked-service.ts";
import { load } from "./attempts/load.ts";
import { carryOut } from "./carry-out.ts";

let attacked: AttackedService;
let companyId: string;

/** For the program: an issue of its own. */
const ownIssue = () => `
  const made = await call("POST", "/api/companies/${companyId}/issues", { title: "Mine", assigneeAgentId: me });
  const issue = made.body.id;`;

carryOut(
  load,
  ["root", "user"],
  {
    "pipelined-and-gone": async () => {
      const issue = await attacked.attempt(
        companyId,
        `${ownIssue()}
        const net = await import("node:net");
        const { hostname, port } = new URL(api);
        const body = JSON.stringify({ body: "Again." });
        const request = "POST /api/issues/" + issue + "/comments HTTP/1.1\\r\\nHost: " + hostname + ":" + port +
          "\\r\\nAuthorization: Bearer " + token + "\\r\\nContent-Type: application/json\\r\\nContent-Length: " +
          body.length + "\\r\\n\\r\\n" + body;
        const socket = net.connect(port, hostname);
        await new Promise((done, failed) => {
          socket.on("error", failed);
          socket.on("data", done);
          socket.write(request.repeat(2000));
        });
        socket.destroy();
        return issue;`,
      );
      const { items } = await attacked.board.issues.comments({ issueId: issue as string, limit: 100 });
      expect(items.length).toBeGreaterThan(0);
      expect(items.length).toBeLessThan(50);
    },
    "many-pieces": async () => {
      const before = (await attacked.board.agents.list({ companyId })).length;
      const refused = (await attacked.attempt(
        companyId,
        `const wide = Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => ["k" + n, n]));
        const deep = '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000);
        const path = "/api/companies/${companyId}/agent-hires";
        const answers = [await call("POST", path, { name: "Wide", adapterConfig: wide })];
        const answer = await fetch(api + path, {
          method: "POST",
          headers: { authorization: "Bearer " + token, "content-type": "application/json" },
          body: '{"name":"Deep","adapterConfig":' + deep + "}",
        });
        answers.push({ status: answer.status, body: await answer.json() });
        return answers.map(({ status, body }) => [status, body.code]);`,
      )) as readonly [number, string][];
      for (const [status, code] of refused)
        expect([status, code]).toEqual([
          expect.toSatisfy((of: number) => of >= 400 && of < 500),
          expect.any(String),
        ]);
      // Only the attacker itself is new.
      expect(await attacked.board.agents.list({ companyId })).toHaveLength(before + 1);
    },
    "many-questions": async () => {
      const statuses = (await attacked.attempt(
        companyId,
        `${ownIssue()}
        const ask = () => call("POST", "/api/issues/" + issue + "/interactions", {
          kind: "request_confirmation", payload: { version: 1, prompt: "May I?" },
        });
        const answers = await Promise.all(Array.from({ length: 30 }, ask));
        for (let n = 0; n < 30; n += 1) answers.push(await ask());
        return answers.map(({ status, body }) => status === 201 ? 201 : body.code);`,
      )) as readonly (number | string)[];
      const asked = statuses.filter((status) => status === 201).length;
      expect(asked).toBeLessThanOrEqual(bounds.openInteractions.most);
      expect(new Set(statuses)).toEqual(new Set([201, "too_many_records"]));
    },
  },
  (environment) => {
    beforeAll(async () => {
      attacked = await attackedService(environment);
      companyId = (await attacked.board.companies.create({ name: "Load" })).id;
    });
    afterAll(() => attacked?.close());
  },
);
